// The pairing of a whole fleet with a whole backlog, grouping included.

import { bucketKey, normalizeCapabilities } from '../src/core/pairing/match.ts';
import { pair, type Supply, type Waiter } from '../src/core/pairing/pair.ts';
import { PRIORITIES, score } from '../src/core/priority.ts';
import type { TaskKind } from '../src/core/task.ts';
import type { Bench } from './measure.ts';

const AGENTS = 10_000;
const TASKS = 100_000;
const LABELS = 60;
const START = 1_700_000_000_000;

/** A small generator (mulberry32), so that every run pairs the same fleet with the same backlog. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Scene {
  readonly waiters: Waiter[];
  readonly supply: Supply[];
}

interface Shape {
  readonly tasks: number;
  /** Different label sets in the backlog; null: drawn label by label, so that there are tens of thousands. */
  readonly labelSets: number | null;
  /** Different sets of capabilities in the fleet; null: drawn one by one. */
  readonly fleets: number | null;
  /** Share of tasks that are reviews, and of agents that can review. */
  readonly reviews: number;
  /** High, normal, low; the rest of one. */
  readonly high: number;
  readonly normal: number;
}

function createScene(shape: Shape, seed: number): Scene {
  const random = createRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  const weights = Array.from({ length: LABELS }, (_, index) => 1 / (index + 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const drawLabel = (): string => {
    let left = random() * total;
    const found = weights.findIndex((weight) => {
      left -= weight;
      return left < 0;
    });
    return `label-${Math.max(0, found)}`;
  };
  const drawLabels = (most: number): string[] => {
    const labels = new Set<string>();
    for (const size = 1 + upTo(most); labels.size < size; ) labels.add(drawLabel());
    return [...labels].sort();
  };

  const fleet = Array.from({ length: shape.fleets ?? 0 }, () => drawLabels(6));
  const waiters = Array.from({ length: AGENTS }, (_, index): Waiter => {
    const capabilities =
      random() < 0.02 ? ['*'] : [...(fleet[upTo(fleet.length)] ?? drawLabels(6))];
    if (random() < shape.reviews * 2) capabilities.push('review');
    return {
      id: `ticket-${index}`,
      agentId: `agent-${index}`,
      capabilities: normalizeCapabilities(capabilities),
      kinds: null,
      repositories: null,
      since: START + upTo(600_000),
    };
  });

  const pool = Array.from({ length: shape.labelSets ?? 0 }, () => drawLabels(4));
  const buckets = new Map<string, number[]>();
  for (let index = 0; index < shape.tasks; index += 1) {
    const chance = random();
    const kind: TaskKind = random() < shape.reviews ? 'review' : 'implement';
    const level =
      chance < shape.high ? 'high' : chance < shape.high + shape.normal ? 'normal' : 'low';
    const priority = PRIORITIES[kind === 'review' ? 'high' : level];
    const key = bucketKey({
      repository: 'owner/repository',
      kind,
      priority,
      authors: kind === 'review' ? [`agent-${upTo(AGENTS)}`] : [],
      only: null,
      labels: pool[Math.floor(random() ** 2 * pool.length)] ?? drawLabels(4),
    });
    const scores = buckets.get(key) ?? [];
    if (scores.length === 0) buckets.set(key, scores);
    scores.push(score(priority, START + index));
  }
  return { waiters, supply: [...buckets].map(([bucket, scores]) => ({ bucket, scores })) };
}

const USUAL = {
  tasks: TASKS,
  labelSets: null,
  fleets: null,
  reviews: 0.02,
  high: 0.1,
  normal: 0.6,
};
const SHAPES: readonly (Shape & { readonly name: string })[] = [
  {
    ...USUAL,
    name: 'a few hundred sets of labels, and of capabilities',
    labelSets: 300,
    fleets: 200,
  },
  { ...USUAL, name: 'labels and capabilities drawn one by one' },
  { ...USUAL, name: 'the same, hardly any of high priority', reviews: 0, high: 0.01, normal: 0.05 },
  { ...USUAL, name: 'the same, as many tasks as agents', tasks: AGENTS },
];

export const pairBench: Bench = {
  name: 'pair',
  about: `${AGENTS} waiting agents with ${TASKS} ready tasks`,
  async run(report) {
    const scenes = SHAPES.map((shape) => ({ ...shape, ...createScene(shape, 20_261_115) }));
    await report.measure(
      scenes.map(({ name, waiters, supply }) => ({
        name: `${name} (${supply.length} buckets)`,
        unit: 'ms',
        goal: { most: 100 },
        run: () => {
          const begun = performance.now();
          const pairings = pair(waiters, supply);
          const tookMs = performance.now() - begun;
          if (pairings.length === 0) throw new Error('Nothing was paired.');
          return tookMs;
        },
      })),
    );
  },
};
