// Every write of a story fails once, in each way a write can fail: nothing that was refused may show, and the story
// goes on as if nothing had happened.

import { describe, expect, it } from 'vitest';
import {
  createWorld,
  entry,
  followUp,
  idOf,
  sweepInput,
  type World,
} from '../../../test/contract/store/world.ts';
import { createMapArchive } from '../../../test/support/memory-store/map-archive.ts';
import { createMemoryStore } from '../../../test/support/memory-store/memory-store.ts';
import type { BaseStore } from '../../core/base-store.ts';
import { bucketKey, parseBucketKey } from '../../core/pairing/match.ts';
import type { Store } from '../../core/store.ts';
import type { Archive } from './archive.ts';
import { UnknownOutcome } from './group-commit.ts';

type Step = (world: World) => Promise<unknown>;

const held = { state: 'held', reason: 'blocked', graceMs: null } as const;
const later = { state: 'delayed', delayMs: 5_000, reason: 'review_delay' } as const;
const closed = {
  issue: { state: 'closed' as const },
  plan: { want: { state: 'cancelled', reason: 'issue_closed' } as const },
};
const again = { requestId: 'r1', token: 'the-same' };

const story: readonly Step[] = [
  ({ mirror }) =>
    mirror(entry(1), entry(2, { labels: ['web', 'python'] }), entry(3, { dependsOn: [1] })),
  ({ mirror }) => mirror(entry(4, { plan: { want: held } }), entry(5, { plan: { want: later } })),
  ({ store }) => store.learn(['python']),
  ({ take }) => take('a1', again),
  async ({ store }) => store.heartbeat({ taskId: idOf(1), token: 'the-same', progress: 'half' }),
  ({ store }) =>
    store.complete({
      taskId: idOf(1),
      token: 'the-same',
      summary: 'did it',
      prNumber: 7,
      verdict: null,
      comments: [],
      followUp: followUp(idOf(1, 'review'), { state: 'delayed', delayMs: 2_000, reason: 'wait' }),
      ledger: ['needs-review'],
    }),
  ({ take }) => take('a2', { requestId: 'r2', token: 'second' }),
  ({ store }) => store.release({ taskId: idOf(2), token: 'second', reason: null, ledger: [] }),
  ({ mirror }) => mirror(entry(2, { labels: ['rust'] })),
  ({ mirror }) => mirror(entry(3, closed), entry(4)),
  ({ store }) => store.prioritize({ taskId: idOf(2), priority: 100 }),
  ({ store }) => store.cancel({ taskId: idOf(2), reason: 'no', ledger: ['x'] }),
  ({ store }) => store.requeue({ taskId: idOf(2), delayMs: 0, ledger: [] }),
  ({ store }) => store.putSetting('config:x', { deep: [1] }),
  async ({ advance }) => advance(10_000),
  ({ store }) => store.sweep(sweepInput()),
  ({ store }) => store.takeWrites(20, 1_000),
  ({ store }) => store.touchLabels('octo/park', 4),
  ({ store }) => store.putSetting('config:x', null),
];

/** Tasks may stand under a label that is being learned; a fresh start files them without it. */
function asLearned(key: string, unlearned: readonly string[]): string {
  const bucket = parseBucketKey(key);
  const labels = bucket.labels.filter((label) => !unlearned.includes(label));
  return bucketKey({ ...bucket, labels });
}

/** Everything that a reader can see. */
async function everything(store: BaseStore & Store): Promise<unknown> {
  const { tasks } = await store.tasks({ limit: 100 });
  const numbers = [1, 2, 3, 4, 5];
  const { buckets, unlearned } = await store.registry();
  const [lease, delayed] = [await store.due('lease', 9), await store.due('delayed', 9)];
  return {
    tasks: await Promise.all(tasks.map(({ id }) => store.task(id))),
    byState: await store.tasks({ limit: 100, state: 'ready' }),
    issues: await store.issuesNumbered('octo/park', numbers),
    open: await store.openIssues('octo/park', 0, 100),
    dependents: await store.dependents('octo/park', 1),
    unlearned,
    filled: (await store.peek(buckets, 10))
      .filter(({ ready }) => ready > 0)
      .map((peek) => ({ ...peek, bucket: asLearned(peek.bucket, unlearned) })),
    queue: await store.queue(10),
    // When an agent was last seen is kept to the second.
    agents: (await store.agents()).map(({ lastSeenAt: _lastSeenAt, ...agent }) => agent),
    settings: [...(await store.settings(''))],
    facts: await store.facts(0, 1000),
    lastSeq: await store.lastSeq(),
    stats: await store.stats('daily', 9),
    ids: [lease.ids, delayed.ids],
  };
}

const ways = {
  'is refused':
    (archive: Archive, fail: () => boolean): Archive['write'] =>
    (changes) => {
      if (fail()) throw new Error('database or disk is full');
      archive.write(changes);
    },
  'is refused, and nobody knows':
    (archive: Archive, fail: () => boolean): Archive['write'] =>
    (changes) => {
      if (fail()) throw new UnknownOutcome('lost before it was written');
      archive.write(changes);
    },
  'was kept, and nobody knows':
    (archive: Archive, fail: () => boolean): Archive['write'] =>
    (changes) => {
      archive.write(changes);
      if (fail()) throw new UnknownOutcome('lost after it was written');
    },
} as const;

describe.each(Object.keys(ways) as (keyof typeof ways)[])('a write that %s', (way) => {
  async function tell(failAt: number): Promise<{ seen: unknown; writes: number; busy: number }> {
    let now = Date.UTC(2026, 10, 15);
    let writes = 0;
    let busy = 0;
    const map = createMapArchive();
    const archive = {
      ...map,
      write: ways[way](map, () => {
        writes += 1;
        return writes === failAt;
      }),
    };
    const clock = { now: () => now };
    const store = createMemoryStore(archive, { clock });
    const world = createWorld({
      store,
      close: () => store.close(),
      advance: (ms) => {
        now += ms;
      },
    });
    for (const step of story) {
      now += 10;
      try {
        await step(world);
      } catch (error) {
        expect(error).toMatchObject({ code: 'busy' });
        busy += 1;
        // What is in memory is what a fresh start would find.
        expect(await everything(store)).toEqual(
          await everything(createMemoryStore(map, { clock })),
        );
        await step(world);
      }
    }
    const seen = await everything(store);
    expect(seen).toEqual(await everything(createMemoryStore(map, { clock })));
    return { seen, writes, busy };
  }

  it('leaves nothing behind, wherever it happens', async () => {
    const { seen: expected, writes } = await tell(0);
    expect(writes).toBeGreaterThan(15);
    for (let failAt = 1; failAt <= writes; failAt += 1) {
      const { seen, busy } = await tell(failAt);
      expect(busy, `write ${failAt}`).toBe(1);
      if (way !== 'was kept, and nobody knows') expect(seen, `write ${failAt}`).toEqual(expected);
    }
  });
});

describe('a verb that throws while it decides', () => {
  it('takes back what its call has done, and nothing else of the turn', async () => {
    const map = createMapArchive();
    const store = createMemoryStore(map, { clock: { now: () => 1_000_000 } });
    const bad = { ...entry(9), plans: [{ ...entry(9).plans[0], id: 'not an id' }] } as never;
    const results = await Promise.allSettled([
      store.mirror([entry(1)]),
      store.mirror([entry(2), entry(1, { labels: ['rust'], plan: { want: held } }), bad]),
      store.mirror([entry(3)]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const shown = await everything(store);
    expect(shown).toMatchObject({
      open: [{ issue: { number: 1, labels: ['python'] } }, { issue: { number: 3 } }],
    });
    expect(shown).toEqual(
      await everything(createMemoryStore(map, { clock: { now: () => 1_000_000 } })),
    );
  });
});
