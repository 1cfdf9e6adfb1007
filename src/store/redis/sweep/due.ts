// What is due: leases, delays, reservations and ledger writes. The lists only say where to look; the rows decide.

import type { BaseStore, Due } from '../../../core/base-store.ts';
import { deadlineOf } from '../../../core/decide/filing.ts';
import { writeId } from '../../../core/rows/ledger-row.ts';
import type { Link } from '../connection/link.ts';
import type { StoreClock } from '../connection/store-clock.ts';
import type { Keys } from '../keys.ts';
import { decodeLedgerText, issueOfName } from '../rows/row-codec.ts';
import type { Rows } from '../rows/rows.ts';
import { type ListChange } from '../rows/step-arguments.ts';
import { type Steps } from '../rows/steps.ts';

const PAGE = 200;

interface Looking {
  readonly link: Link;
  readonly keys: Keys;
  readonly rows: Rows;
  readonly steps: Steps;
  readonly clock: StoreClock;
  readonly write: (lists: readonly ListChange[]) => Promise<void>;
  readonly setAside: (ids: readonly string[]) => void;
}

export function createDue(env: Looking): BaseStore['due'] {
  const { link, keys, rows, steps, clock } = env;
  const { at } = keys;
  const LISTS = { lease: at.leases, delayed: at.queue_delayed, opening: at.queue_opening };
  const NAMES = { lease: 'leases', delayed: 'delayed', opening: 'opening' };

  async function page(key: string, from: number): Promise<[string, number][]> {
    const flat = (await link.send('ZRANGE', key, from, from + PAGE - 1, 'WITHSCORES')) as string[];
    return flat.flatMap((id, index): [string, number][] =>
      index % 2 === 0 ? [[id, Number(flat[index + 1])]] : [],
    );
  }

  /** An entry whose task is gone, or waits for something else, is set aside rather than lost. */
  async function aside(what: Exclude<Due, 'write'>, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await env.write(
      ids.flatMap((id): ListChange[] => [
        ['ZREM', LISTS[what], id],
        ['HSET', at.queue_corrupt, id, `${NAMES[what]} at ${clock.now()}`],
      ]),
    );
    env.setAside(ids);
  }

  async function tasks(
    what: Exclude<Due, 'write'>,
    limit: number,
    aheadMs: number,
  ): Promise<{ ids: string[]; nextAt: number | null }> {
    await steps.look();
    const now = clock.now() + aheadMs;
    const ids: string[] = [];
    for (let from = 0; ; from += PAGE) {
      const entries = await page(LISTS[what], from);
      const found = await rows.tasks(
        entries.map(([id]) => id),
        true,
      );
      const strange: string[] = [];
      for (const [id, score] of entries) {
        const task = found.get(id);
        const deadline = task === undefined ? null : deadlineOf(task.row);
        if (deadline?.what !== what) {
          if (score <= now) strange.push(id);
          continue;
        }
        const instant = deadline.at;
        if (instant > now || ids.length >= limit) {
          await aside(what, strange);
          return { ids, nextAt: instant };
        }
        ids.push(id);
      }
      await aside(what, strange);
      if (entries.length < PAGE) return { ids, nextAt: null };
    }
  }

  async function writes(
    limit: number,
    aheadMs: number,
  ): Promise<{ ids: string[]; nextAt: number | null }> {
    await steps.look();
    const now = clock.now() + aheadMs;
    const found: { id: string; at: number }[] = [];
    let nextAt: number | null = null;
    const later = (instant: number) => {
      nextAt = nextAt === null ? instant : Math.min(nextAt, instant);
    };
    for (let from = 0; found.length < limit; from += PAGE) {
      const entries = await page(at.outbox_due, from);
      const due = entries.filter(([, score]) => score <= now);
      const texts = await rows.read(due.map(([name]) => `#${name}`));
      for (const [index, [name]] of due.entries()) {
        const { row } = decodeLedgerText(issueOfName(name), texts[index] ?? '');
        for (const write of row.writes) {
          if (write.availableAt > now) later(write.availableAt);
          else found.push({ id: writeId(row, write), at: write.availableAt });
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

  return (what, limit, aheadMs = 0) =>
    what === 'write' ? writes(limit, aheadMs) : tasks(what, limit, aheadMs);
}
