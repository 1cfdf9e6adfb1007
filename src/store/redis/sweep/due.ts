// What is due: leases, delays, reservations and ledger writes. The lists only say where to look; the rows decide.

import type { BaseStore } from '../../../core/base-store.ts';
import { compareDue, type Deadline, deadlineOf } from '../../../core/decide/filing.ts';
import { dueWrites, type LedgerRow } from '../../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { Parts } from '../parts.ts';
import type { ListChange } from '../rows/step-arguments.ts';
import { issueOfName } from '../rows/work.ts';

const PAGE = 200;

type Found = Awaited<ReturnType<BaseStore['due']>>;

export function createDue({ link, keys, works, now, write, setAside }: Parts): BaseStore['due'] {
  const { at } = keys;
  const LISTS = { lease: at.leases, delayed: at.queue_delayed, opening: at.queue_opening };
  const NAMES = { lease: 'leases', delayed: 'delayed', opening: 'opening' };

  async function page(key: string, from: number): Promise<[string, number][]> {
    const entries = await link.pairs('ZRANGE', key, from, from + PAGE - 1, 'WITHSCORES');
    return entries.map(([id, score]) => [id, Number(score)]);
  }

  /** An entry whose task is gone, or waits for something else, is set aside rather than lost. */
  async function aside(what: Deadline, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const why = `${NAMES[what]} at ${await now()}`;
    await write(
      ids.flatMap((id): ListChange[] => [
        ['ZREM', LISTS[what], id],
        ['HSET', at.queue_corrupt, id, why],
      ]),
    );
    setAside(ids);
  }

  async function tasks(what: Deadline, limit: number, until: number): Promise<Found> {
    const rows: TaskRow[] = [];
    const inOrder = (nextAt: number | null): Found => ({
      ids: rows.sort(compareDue).map(({ id }) => id),
      nextAt,
    });
    for (let from = 0; ; from += PAGE) {
      const entries = await page(LISTS[what], from);
      const found = await works.tasks(entries.map(([id]) => id));
      const strange: string[] = [];
      for (const [id, score] of entries) {
        const row = found.get(id)?.row;
        const deadline = row === undefined ? null : deadlineOf(row);
        if (row === undefined || deadline?.what !== what) {
          if (score <= until) strange.push(id);
          continue;
        }
        const instant = deadline.at;
        if (instant > until || rows.length >= limit) {
          await aside(what, strange);
          return inOrder(instant);
        }
        rows.push(row);
      }
      await aside(what, strange);
      if (entries.length < PAGE) return inOrder(null);
    }
  }

  async function writes(limit: number, until: number): Promise<Found> {
    const ledgers: LedgerRow[] = [];
    for (let from = 0; ; from += PAGE) {
      const entries = await page(at.outbox_due, from);
      const due = entries.filter(([, score]) => score <= until);
      const found = await works.get(due.map(([name]) => issueOfName(name)));
      for (const { ledger } of found) ledgers.push(ledger);
      // Behind a full page there may be more that are due.
      const [, nextAt = null] = entries[due.length] ?? [];
      const isLast = nextAt !== null || entries.length < PAGE;
      const answer = dueWrites(ledgers, until, limit, isLast ? nextAt : until);
      if (isLast || answer.ids.length === limit) return answer;
    }
  }

  return async (what, limit, aheadMs = 0) => {
    const until = (await now()) + aheadMs;
    return what === 'write' ? writes(limit, until) : tasks(what, limit, until);
  };
}
