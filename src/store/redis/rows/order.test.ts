// Steps that share a round trip see each other: the order of hand-outs is exact, whatever arrives in between.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { entry, idOf, REPOSITORY } from '../../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { matchCount, parseBucketKey, rankBuckets } from '../../../core/pairing/match.ts';
import type { HandOut, Store } from '../../../core/store.ts';
import { openRedisStore } from '../redis-store.ts';

/** Enough for more buckets of one priority than a claim reads at once. */
const LABELS = ['api', 'css', 'go', 'python', 'rust', 'sql', 'ux', 'web'];
const SKILLS = [LABELS, ['rust', 'web']];
const PRIORITIES = [25, 50, 50, 50, 50, 100];

let server: RedisServer;
beforeAll(async () => {
  server = await startRedisServer();
});
afterAll(() => server.stop());

interface Made {
  readonly labels: readonly string[];
  readonly priority: number;
}

/** Claims with everything they need at hand, so that all of one turn share a round trip. */
async function createClaims(store: Store, skills: readonly string[][] = SKILLS) {
  await store.learn(skills.flat());
  const { buckets, version } = await store.registry();
  const groups = skills.map((capabilities) =>
    rankBuckets(
      { agentId: 'a', capabilities, kinds: null, repositories: null },
      buckets.map((key) => [key, parseBucketKey(key)]),
    ),
  );
  let tokens = 0;
  return async (skill: number): Promise<HandOut | null> => {
    tokens += 1;
    const result = await store.claim({
      agentId: `agent-${tokens}-${skill}`,
      capabilities: skills[skill] ?? [],
      requestId: null,
      token: `token-${tokens}`,
      leaseSeconds: 600,
      groups: groups[skill] ?? [],
      registryVersion: version,
      writeLockMs: 5000,
    });
    if (result.outcome === 'none') return null;
    if (result.outcome !== 'leased') throw new Error(result.outcome);
    return result.handOut;
  };
}

const priorityFirst = (issues: readonly Made[], skill: number) => {
  const seeker = {
    agentId: 'a',
    capabilities: SKILLS[skill] ?? [],
    kinds: null,
    repositories: null,
  };
  const count = (number: number): number | null => {
    const { labels = [], priority = 0 } = issues[number] ?? {};
    return matchCount(seeker, {
      repository: REPOSITORY,
      kind: 'implement',
      priority,
      only: null,
      authors: [],
      labels,
    });
  };
  const priorityOf = (number: number) => issues[number]?.priority ?? 0;
  return (ready: ReadonlySet<number>): number | undefined =>
    [...ready]
      .filter((number) => count(number) !== null)
      .sort(
        (one, other) =>
          priorityOf(other) - priorityOf(one) ||
          (count(other) ?? 0) - (count(one) ?? 0) ||
          one - other,
      )[0];
};

/** What one turn asks for: a claim by the first or second kind of agent, or what was taken last given back. */
const ACT = fc.constantFrom<0 | 1 | 'release'>(0, 0, 1, 1, 'release');

it('takes exactly the best task, also after one was given back in the same round trip', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          labels: fc.subarray(LABELS, { minLength: 1, maxLength: 5 }),
          priority: fc.constantFrom(...PRIORITIES),
        }),
        { minLength: 5, maxLength: 80, size: 'max' },
      ),
      fc.array(fc.array(ACT, { minLength: 1, maxLength: 30 }), { minLength: 2, maxLength: 4 }),
      async (issues, turns) => {
        await server.raw.flushall();
        const store = await openRedisStore({ connection: { url: server.url } });
        try {
          await store.mirror(
            issues.map(({ labels, priority }, number) =>
              entry(number + 1, { labels, plan: { priority } }),
            ),
          );
          const claim = await createClaims(store);
          const held: HandOut[] = [];
          for (const turn of turns) {
            const taken = await Promise.all(
              turn.map(async (act) => {
                if (act !== 'release') return claim(act);
                const last = held.pop();
                if (last === undefined) return null;
                const { task, lease } = last;
                // As many turns of the microtask queue as a claim takes before it is sent.
                await Promise.resolve();
                await store.release({
                  taskId: task.id,
                  token: lease.token,
                  reason: null,
                  ledger: [],
                });
                return null;
              }),
            );
            held.push(...taken.filter((one) => one !== null));
          }
          const ready = new Set(issues.keys());
          for (const fact of await store.facts(0, 10_000)) {
            if (fact.type === 'released') ready.add(Number(fact.taskId.split('~')[2]) - 1);
            if (fact.type !== 'leased') continue;
            const best = priorityFirst(issues, Number(fact.agentId.split('-')[2]))(ready);
            expect(fact.taskId).toBe(idOf((best ?? -1) + 1));
            ready.delete(best ?? -1);
          }
        } finally {
          await store.close();
        }
      },
    ),
    { numRuns: 25 },
  );
});

it('takes what is older in a bucket that was not read yet before what is younger in one that was', async () => {
  const labels = Array.from({ length: 40 }, (_, index) => `label-${index}`);
  // One task in each bucket, and a second one in the first.
  const made = [...labels, 'label-0'].map((label, index) => entry(index + 1, { labels: [label] }));
  await server.raw.flushall();
  const store = await openRedisStore({ connection: { url: server.url } });
  try {
    await store.mirror(made);
    const claim = await createClaims(store, [labels]);
    const taken = await Promise.all(made.slice(0, 30).map(() => claim(0)));
    expect(taken.map((one) => one?.task.number)).toEqual(made.slice(0, 30).map((_, n) => n + 1));
  } finally {
    await store.close();
  }
});
