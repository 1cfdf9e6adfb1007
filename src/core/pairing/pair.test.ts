import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRIORITIES, score } from '../priority.ts';
import type { TaskKind } from '../task.ts';
import { type Bucket, bucketKey, matchCount, parseBucketKey } from './match.ts';
import { type Pairing, pair, type Supply, type Waiter } from './pair.ts';

const { high, normal, low } = PRIORITIES;

const key = (over: Partial<Bucket> = {}): string =>
  bucketKey({
    repository: 'o/r',
    kind: 'implement',
    priority: normal,
    authors: [],
    only: null,
    labels: [],
    ...over,
  });
/** A bucket with tasks enqueued at these instants. */
const stock = (over: Partial<Bucket>, ...enqueuedAt: number[]): Supply => ({
  bucket: key(over),
  scores: enqueuedAt.map((at) => score(over.priority ?? normal, at)),
});
const waiter = (id: string, capabilities: string[], over: Partial<Waiter> = {}): Waiter => ({
  id,
  agentId: `agent-${id}`,
  capabilities,
  kinds: null,
  repositories: null,
  since: 0,
  ...over,
});
const named = (pairings: Pairing[]): string[] =>
  pairings.map(({ waiter, bucket }) => {
    const { kind, priority, labels } = parseBucketKey(bucket);
    return `${waiter}: ${kind} ${priority} ${labels.join('+')}`;
  });

describe('pair', () => {
  it('leaves a specialist the only task it can do', () => {
    const waiters = [
      waiter('generalist', ['python', 'docs'], { since: 1 }),
      waiter('specialist', ['python'], { since: 2 }),
    ];
    const supply = [stock({ labels: ['python'] }, 10), stock({ labels: ['docs'] }, 20)];
    expect(named(pair(waiters, supply))).toEqual([
      'specialist: implement 50 python',
      'generalist: implement 50 docs',
    ]);
  });

  it('moves an agent that was already placed when that lets one more task be placed', () => {
    // `x` has fewer buckets and so gets the first task; only moving it lets the third be placed.
    const waiters = [
      waiter('x', ['a', 'b']),
      waiter('y', ['a', 'c', 'd']),
      waiter('z', ['c', 'd']),
    ];
    const supply = [
      stock({ labels: ['a'] }, 1, 4),
      stock({ labels: ['c'] }, 2),
      stock({ labels: ['b'] }, 3),
      stock({ labels: ['d'] }, 9),
    ];
    expect(named(pair(waiters, supply)).map((line) => line.slice(-1))).toEqual(['a', 'c', 'b']);
  });

  it('places high priority before older work, and as much of it as it can', () => {
    const waiters = [waiter('w1', ['a']), waiter('w2', ['a', 'b'])];
    const supply = [
      stock({ labels: ['a'], priority: low }, 1),
      stock({ labels: ['a'], priority: normal }, 2),
      stock({ labels: ['a'], priority: high }, 3),
      stock({ labels: ['b'], priority: high }, 4),
    ];
    expect(named(pair(waiters, supply))).toEqual(['w1: implement 100 a', 'w2: implement 100 b']);
  });

  it('takes the oldest of equal priority', () => {
    const supply = [stock({ labels: ['a'] }, 7), stock({ labels: ['b'] }, 5, 6)];
    const waiters = [waiter('w1', ['a', 'b'], { since: 1 }), waiter('w2', ['*'], { since: 2 })];
    expect(named(pair(waiters, supply))).toEqual(['w1: implement 50 b', 'w2: implement 50 b']);
  });

  it('never gives a review to its author, even if nobody else waits', () => {
    const review = stock({ kind: 'review', authors: ['agent-a'], priority: high }, 1);
    const author = waiter('a', ['review', '*']);
    expect(pair([author], [review])).toEqual([]);
    const other = waiter('b', ['review']);
    expect(named(pair([author, other], [review]))).toEqual(['b: review 100 ']);
  });

  it('lets two authors review each other', () => {
    const supply = [
      stock({ kind: 'review', authors: ['agent-a'] }, 1),
      stock({ kind: 'review', authors: ['agent-b'] }, 2),
    ];
    const waiters = [waiter('a', ['review']), waiter('b', ['review'])];
    expect(pair(waiters, supply)).toEqual([
      { waiter: 'b', bucket: supply[0]?.bucket },
      { waiter: 'a', bucket: supply[1]?.bucket },
    ]);
  });

  it('keeps a reserved fix for its author, who needs no label for it', () => {
    const fix = stock({ kind: 'fix', only: 'agent-a', labels: ['rust'], priority: high }, 1);
    expect(pair([waiter('b', ['rust', '*'])], [fix])).toEqual([]);
    expect(named(pair([waiter('b', ['rust', '*']), waiter('a', [])], [fix]))).toEqual([
      'a: fix 100 rust',
    ]);
  });

  it('obeys the filters by kind and by repository', () => {
    const supply = [
      stock({ repository: 'o/one', labels: ['a'] }, 1),
      stock({ repository: 'o/two', labels: ['a'] }, 2),
      stock({ repository: 'o/two', labels: ['a'], kind: 'fix' }, 3),
    ];
    const waiters = [
      waiter('w1', ['a'], { repositories: ['o/two'], kinds: ['fix', 'review'] }),
      waiter('w2', ['a'], { repositories: ['o/two'] }),
      waiter('w3', ['*'], { repositories: ['o/none'] }),
    ];
    expect(named(pair(waiters, supply))).toEqual(['w2: implement 50 a', 'w1: fix 50 a']);
  });

  it('prefers who suits fewer buckets to who matches more labels or waits longer', () => {
    const waiters = [
      waiter('wide', ['a', 'b'], { since: 1 }),
      waiter('narrow', ['c'], { since: 2 }),
      waiter('other', ['d'], { since: 3 }),
    ];
    const supply = [stock({ labels: ['a', 'b', 'c'] }, 1), stock({ labels: ['a', 'b', 'd'] }, 2)];
    const chosen = pair(waiters, supply);
    expect(chosen.map((pairing) => pairing.waiter)).toEqual(['narrow', 'other']);
  });

  it('prefers, among equals, more matching labels, and then the one that waits longest', () => {
    const supply = [stock({ labels: ['a', 'b', 'c'] }, 1)];
    const long = waiter('long', ['a'], { since: 1 });
    const both = waiter('both', ['a', 'b'], { since: 2 });
    const late = waiter('late', ['b'], { since: 3 });
    expect(pair([long, late, both], supply)[0]?.waiter).toBe('both');
    expect(pair([late, long], supply)[0]?.waiter).toBe('long');
  });

  it('compares the waiting of groups by whoever is next in each', () => {
    const waiters = [
      waiter('first', ['a'], { since: 1 }),
      waiter('second', ['a', 'unheard-of'], { since: 2 }),
      waiter('third', ['a'], { since: 3 }),
    ];
    const chosen = pair(waiters, [stock({ labels: ['a'] }, 1, 2)]);
    expect(chosen.map((pairing) => pairing.waiter)).toEqual(['first', 'second']);
  });

  it('does not count the reviews an author is barred from among those that suit it', () => {
    const supply = [
      stock({ kind: 'review', repository: 'o/one', authors: ['agent-author'] }, 1),
      stock({ kind: 'review', repository: 'o/two', authors: ['somebody'] }, 2),
    ];
    const waiters = [
      waiter('other', ['review'], { since: 1 }),
      waiter('author', ['review'], { since: 2 }),
      waiter('filtered', ['review'], { since: 3, repositories: ['o/one'] }),
    ];
    const chosen = pair(waiters, supply);
    expect(chosen.map((pairing) => pairing.waiter)).toEqual(['filtered', 'author']);
  });

  it('still finds an author for the next review after one that it was barred from', () => {
    const supply = [
      stock({ labels: ['c'] }, 1),
      stock({ kind: 'review', authors: ['agent-author'] }, 2),
      stock({ kind: 'review', authors: ['somebody'] }, 3),
      stock({ labels: ['x'] }, 4),
      stock({ labels: ['y'] }, 5),
      stock({ labels: ['z'] }, 6),
    ];
    const waiters = [waiter('author', ['review', 'x', 'y', 'z']), waiter('other', ['review', 'c'])];
    expect(pair(waiters, supply)).toEqual([
      { waiter: 'other', bucket: supply[0]?.bucket },
      { waiter: 'author', bucket: supply[2]?.bucket },
    ]);
  });

  it('gives an agent that waits twice one task only, through the waiter that suits it best', () => {
    const twice = { agentId: 'same' };
    const waiters = [
      waiter('w1', ['a'], { ...twice, since: 1 }),
      waiter('w2', ['a', 'b'], { ...twice, since: 2 }),
      waiter('w3', ['a', 'b'], { ...twice, since: 3 }),
    ];
    const supply = [stock({ labels: ['a', 'b'] }, 1, 2), stock({ labels: ['a'] }, 3)];
    expect(named(pair(waiters, supply))).toEqual(['w2: implement 50 a+b']);
  });

  it('lets an agent that waits in two ways take what either way allows', () => {
    const waiters = [
      waiter('x1', ['a'], { agentId: 'x', since: 2 }),
      waiter('x2', ['b'], { agentId: 'x', since: 3 }),
      waiter('y', ['a'], { since: 1 }),
    ];
    const supply = [stock({ labels: ['a'] }, 1), stock({ labels: ['b'] }, 2)];
    expect(named(pair(waiters, supply))).toEqual(['y: implement 50 a', 'x2: implement 50 b']);
  });

  it('pairs nobody with nothing', () => {
    expect(pair([], [stock({ labels: ['a'] }, 1)])).toEqual([]);
    expect(pair([waiter('w', ['a'])], [])).toEqual([]);
    expect(pair([waiter('w', ['a'])], [stock({ labels: ['a'] })])).toEqual([]);
    expect(pair([waiter('w', [])], [stock({ labels: [] }, 1)])).toEqual([]);
  });

  it('serves many alike in order of waiting', () => {
    const waiters = Array.from({ length: 50 }, (_, n) =>
      waiter(`w${n}`, ['a'], { since: 100 - n }),
    );
    const supply = [stock({ labels: ['a'] }, ...Array.from({ length: 20 }, (_, n) => n))];
    expect(pair(waiters, supply).map((pairing) => pairing.waiter)).toEqual(
      Array.from({ length: 20 }, (_, n) => `w${49 - n}`),
    );
  });
});

const NAMES = ['a', 'b', 'c', '*', 'review'];
const REPOSITORIES = ['o/one', 'o/two', 'o/"'];
const AGENTS = ['p', 'q', 'r'];
/** No bucket names these: those of them that ask alike are one group. */
const CROWD = ['t', 'u', 'v', 'w', 'x', 'y'];
const maybe = <T>(arb: fc.Arbitrary<T>) => fc.option(arb, { nil: null, freq: 5 });

const anyBucket = fc
  .record({
    repository: fc.constantFrom(...REPOSITORIES),
    kind: fc.constantFrom<TaskKind[]>('implement', 'implement', 'review', 'fix'),
    priority: fc.constantFrom(high, normal, low),
    authors: fc.subarray(AGENTS, { maxLength: 2 }),
    only: fc.option(fc.constantFrom(...AGENTS), { nil: null, freq: 1 }),
    labels: fc.subarray(NAMES),
  })
  .map((bucket): Bucket => ({ ...bucket, only: bucket.kind === 'fix' ? bucket.only : null }));

const anySupply = fc
  .array(fc.tuple(anyBucket, fc.integer({ min: 0, max: 3 })), { maxLength: 6 })
  .chain((stocks) => {
    const tasks = stocks.reduce((sum, [, size]) => sum + size, 0);
    const ages = Array.from({ length: tasks }, (_, age) => age);
    return fc.shuffledSubarray(ages, { minLength: tasks }).map((shuffled) => {
      let from = 0;
      const supply = new Map<string, number[]>();
      for (const [bucket, size] of stocks) {
        const own = shuffled.slice(from, from + size).map((age) => score(bucket.priority, age));
        from += size;
        supply.set(bucketKey(bucket), [...(supply.get(bucketKey(bucket)) ?? []), ...own]);
      }
      return [...supply].map(
        ([bucket, scores]): Supply => ({ bucket, scores: scores.toSorted((a, b) => a - b) }),
      );
    });
  });

const anyWaiters = fc
  .array(
    fc.record({
      agentId: fc.constantFrom(...AGENTS, ...CROWD),
      capabilities: fc.subarray(NAMES, { maxLength: 2 }),
      kinds: maybe(fc.subarray(['implement', 'review', 'fix'] as const)),
      repositories: maybe(fc.subarray(REPOSITORIES)),
      since: fc.integer({ min: 0, max: 5 }),
    }),
    { maxLength: 8 },
  )
  .map((waiters) => waiters.map((seeker, index): Waiter => ({ ...seeker, id: `w${index}` })));

const placedScores = (pairings: Pairing[], supply: readonly Supply[]): number[] =>
  supply
    .flatMap(({ bucket, scores }) =>
      scores.slice(0, pairings.filter((pairing) => pairing.bucket === bucket).length),
    )
    .sort((a, b) => a - b);

/** Every way to serve the agents, as counts by bucket; the best by the vector of tasks that are placed. */
function bestByBruteForce(waiters: readonly Waiter[], supply: readonly Supply[]): number[] {
  const buckets = supply.map(({ bucket }) => parseBucketKey(bucket));
  let ways = new Map<string, number[]>([['', supply.map(() => 0)]]);
  for (const agentId of new Set(waiters.map((waiter) => waiter.agentId))) {
    const own = waiters.filter((waiter) => waiter.agentId === agentId);
    const next = new Map(ways);
    for (const counts of ways.values()) {
      buckets.forEach((bucket, index) => {
        if ((counts[index] ?? 0) >= (supply[index]?.scores.length ?? 0)) return;
        if (own.every((waiter) => matchCount(waiter, bucket) === null)) return;
        const more = counts.with(index, (counts[index] ?? 0) + 1);
        next.set(more.join(), more);
      });
    }
    ways = next;
  }
  const tasks = supply.flatMap(({ scores }) => scores).sort((a, b) => a - b);
  let best: { vector: string; scores: number[] } = { vector: '', scores: [] };
  for (const counts of ways.values()) {
    const scores = supply.flatMap(({ scores }, index) => scores.slice(0, counts[index]));
    const placed = new Set(scores);
    const vector = tasks.map((task) => (placed.has(task) ? '1' : '0')).join('');
    if (vector >= best.vector) best = { vector, scores };
  }
  return best.scores.sort((a, b) => a - b);
}

describe('pair, for any fleet and any backlog', () => {
  it('places exactly the tasks that trying everything finds best', () => {
    fc.assert(
      fc.property(anyWaiters, anySupply, (waiters, supply) => {
        const found = placedScores(pair(waiters, supply), supply);
        expect(found).toEqual(bestByBruteForce(waiters, supply));
      }),
      { numRuns: 5000 },
    );
  });

  it('pairs only what suits, no agent twice, and no bucket beyond its tasks', () => {
    fc.assert(
      fc.property(anyWaiters, anySupply, (waiters, supply) => {
        const pairings = pair(waiters, supply);
        const agents = pairings.map((pairing) => {
          const one = waiters.find(({ id }) => id === pairing.waiter);
          if (one === undefined) throw new Error(`Nobody called ${pairing.waiter} waits.`);
          expect(matchCount(one, parseBucketKey(pairing.bucket))).not.toBeNull();
          return one.agentId;
        });
        expect(new Set(agents).size).toBe(agents.length);
        for (const { bucket, scores } of supply) {
          const given = pairings.filter((pairing) => pairing.bucket === bucket).length;
          expect(given).toBeLessThanOrEqual(scores.length);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('answers the same whatever the order of the arrays', () => {
    const shuffled = fc.tuple(anyWaiters, anySupply).chain(([waiters, supply]) =>
      fc.record({
        waiters: fc.constant(waiters),
        supply: fc.constant(supply),
        waitersShuffled: fc.shuffledSubarray(waiters, { minLength: waiters.length }),
        supplyShuffled: fc.shuffledSubarray(supply, { minLength: supply.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ waiters, supply, waitersShuffled, supplyShuffled }) => {
        expect(pair(waitersShuffled, supplyShuffled)).toEqual(pair(waiters, supply));
      }),
      { numRuns: 2000 },
    );
  });

  it('does not depend on any one of the agents being known by name', () => {
    fc.assert(
      fc.property(anyWaiters, anySupply, (waiters, supply) => {
        // A review by everybody, which nobody may have, makes every agent a group of its own.
        const nobodys = stock(
          { kind: 'review', authors: [...AGENTS, ...CROWD], priority: high },
          0,
        );
        const placed = placedScores(pair(waiters, [...supply, nobodys]), supply);
        expect(placed).toEqual(placedScores(pair(waiters, supply), supply));
      }),
      { numRuns: 2000 },
    );
  });
});
