// What is due: leases, delays, reservations and ledger writes. The lists only say where to look; the rows decide.

import type { BaseStore } from '../../../core/base-store.ts';
import { compareDue, type Deadline, deadlineOf } from '../../../core/decide/filing.ts';
import { writeId } from '../../../core/rows/ledger-row.ts';
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
    const found: { id: string; at: number }[] = [];
    let nextAt: number | null = null;
    const later = (instant: number) => {
      nextAt = nextAt === null ? instant : Math.min(nextAt, instant);
    };
    for (let from = 0; found.length < limit; from += PAGE) {
      const entries = await page(at.outbox_due, from);
      const due = entries.filter(([, score]) => score <= until);
      for (const { ledger } of await works.get(due.map(([name]) => issueOfName(name)))) {
        for (const write of ledger.writes) {
          if (write.availableAt > until) later(write.availableAt);
          else found.push({ id: writeId(ledger, write), at: write.availableAt });
        }
      }
      const next = entries[due.length];
      if (next !== undefined) later(next[1]);
      if (entries.length < PAGE || next !== undefined) break;
    }
    found.sort((a, b) => a.at - b.at);
    const left = found[limit];
    if (left !== undefined) later(left.at);
    return { ids: found.slice(0, limit).map(({ id }) => id), nextAt };
  }

  return async (what, limit, aheadMs = 0) => {
    const until = (await now()) + aheadMs;
    return what === 'write' ? writes(limit, until) : tasks(what, limit, until);
  };
}
