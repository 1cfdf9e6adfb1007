// How benchmarks are taken on shared machines: warm up, interleave the cases, drop runs during which the
// hypervisor took the CPU away, and report medians.

import { readFileSync } from 'node:fs';

const WARM_UPS = 5;
const REPETITIONS = 11;
/** Runs with more stolen time than this are dropped and repeated, at most so many times in all by default. */
const STEAL_ALLOWED = 0.04;
const REPEATS_MOST = 20;

interface Case {
  /** What the figure is called in `--json`, whatever becomes of its name. */
  readonly id?: string;
  readonly name: string;
  readonly unit: string;
  /** What the median should be at most, or at least. */
  readonly goal?: { readonly most: number } | { readonly least: number };
  /** One run; returns its figure in the unit. */
  run(): number | Promise<number>;
}

export interface Report {
  measure(
    cases: readonly Case[],
    options?: { repetitions?: number; warmUps?: number; repeats?: number },
  ): Promise<void>;
}

export interface Bench {
  readonly name: string;
  /** One line for the table's head. */
  readonly about: string;
  run(report: Report): Promise<void>;
}

export interface Figure {
  readonly id: string | null;
  readonly bench: string;
  readonly name: string;
  readonly unit: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly runs: number;
  /** Runs dropped for stolen time. */
  readonly dropped: number;
  /** Runs above the limit that had to be kept, because repeating did not help. */
  readonly noisy: number;
  readonly goal: string | null;
  readonly met: boolean | null;
}

export async function takeFigures(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  await bench.run({
    async measure(
      cases,
      { repetitions = REPETITIONS, warmUps = WARM_UPS, repeats = REPEATS_MOST } = {},
    ) {
      for (let round = 0; round < warmUps; round += 1) for (const one of cases) await one.run();
      const taken = cases.map((one) => ({ one, clean: [] as number[], stolen: [] as number[] }));
      for (let round = 0; round < repetitions + repeats; round += 1) {
        for (const { one, clean, stolen } of taken) {
          if (clean.length === repetitions) continue;
          const before = cpuTimes();
          const figure = await one.run();
          (stolenShare(before, cpuTimes()) > STEAL_ALLOWED ? stolen : clean).push(figure);
        }
      }
      for (const each of taken) figures.push(summarize(bench.name, each, repetitions));
    },
  });
  return figures;
}

function summarize(
  bench: string,
  { one, clean, stolen }: { one: Case; clean: number[]; stolen: number[] },
  repetitions: number,
): Figure {
  const noisy = stolen.slice(0, repetitions - clean.length);
  const runs = [...clean, ...noisy].sort((a, b) => a - b);
  const median = ((runs[(runs.length - 1) >> 1] ?? 0) + (runs[runs.length >> 1] ?? 0)) / 2;
  const { goal } = one;
  const limit = goal === undefined ? null : 'most' in goal ? goal.most : goal.least;
  return {
    id: one.id ?? null,
    bench,
    name: one.name,
    unit: one.unit,
    median,
    least: runs[0] ?? 0,
    most: runs.at(-1) ?? 0,
    runs: runs.length,
    dropped: stolen.length - noisy.length,
    noisy: noisy.length,
    goal: goal === undefined ? null : `${'most' in goal ? '≤' : '≥'} ${limit}`,
    met: goal === undefined ? null : 'most' in goal ? median <= goal.most : median >= goal.least,
  };
}

interface CpuTimes {
  readonly total: number;
  readonly stolen: number;
}

/** From the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Elsewhere none. */
function cpuTimes(): CpuTimes {
  if (process.platform !== 'linux') return { total: 0, stolen: 0 };
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
  const times = line.split(/ +/).slice(1, 9).map(Number);
  return { total: times.reduce((sum, time) => sum + time, 0), stolen: times[7] ?? 0 };
}

function stolenShare(before: CpuTimes, after: CpuTimes): number {
  const total = after.total - before.total;
  return total === 0 ? 0 : (after.stolen - before.stolen) / total;
}
