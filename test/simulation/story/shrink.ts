// A run that found something, made as short as it gets: fewer steps, agents, issues and faults, while the same rule is
// still broken. Then it is told in sentences.

import { stepAt } from '../engine/steps.ts';
import { type RunOptions, type RunResult, run } from '../run.ts';

type Fewer = Pick<RunOptions, 'only' | 'gaps' | 'issues' | 'agents' | 'instances'>;

/** Runs that a shrink may take: every one is shorter than the one before. */
const MOST_RUNS = 400;
const SHORT_GAP_MS = 50;

export interface Shrunk {
  readonly options: RunOptions;
  readonly rule: string;
  readonly runs: number;
}

export async function shrink(
  options: RunOptions,
  found: Pick<RunResult, 'findings' | 'steps' | 'inPeace'>,
  say: (sentence: string) => void = () => undefined,
): Promise<Shrunk> {
  const rule = found.findings[0]?.rule ?? '';
  const noPeace = !found.inPeace;
  let best: RunOptions = { ...options, noPeace, tell: undefined, progress: undefined };
  let places = options.only ?? Array.from({ length: found.steps }, (_, place) => place);
  let runs = 0;

  async function breaks(fewer: Partial<Fewer>): Promise<boolean> {
    if (runs >= MOST_RUNS) return false;
    runs += 1;
    const next = { ...best, ...fewer };
    const steps = next.only?.length ?? next.steps;
    const { findings } = await run({ ...next, steps, season: Math.max(steps, 1) });
    if (!findings.some((finding) => finding.rule === rule)) return false;
    best = next;
    return true;
  }

  const gapBefore = (place: number): number =>
    best.gaps?.get(place) ?? stepAt(best.seed, place, best.agents).afterMs;

  /** Without these steps, and without the time before them; or else with that time. */
  async function leaveOut(from: number, end: number): Promise<void> {
    const only = [...places.slice(0, from), ...places.slice(end)];
    const next = places[end];
    const passed = places.slice(from, end + 1).reduce((sum, place) => sum + gapBefore(place), 0);
    const waits = next === undefined ? null : new Map(best.gaps).set(next, passed);
    if ((await breaks({ only })) || (waits !== null && (await breaks({ only, gaps: waits })))) {
      places = only;
    }
  }

  /** Leaves out runs of steps, long ones first. */
  async function fewerSteps(): Promise<void> {
    for (let size = places.length >> 1; size >= 1; size = size > 3 ? size >> 1 : size - 1) {
      for (let end = places.length; end > 0 && runs < MOST_RUNS; end -= size) {
        const from = Math.max(0, end - size);
        await leaveOut(from, end);
      }
      say(`${places.length} steps are left after ${runs} runs.`);
    }
  }

  async function fewer(what: 'issues' | 'agents' | 'instances'): Promise<void> {
    for (let most = 1; most < best[what]; most *= 2) if (await breaks({ [what]: most })) return;
  }

  /** Time that nothing needs: waiting for leases to end stays. */
  async function lessTime(): Promise<void> {
    const gaps = new Map(best.gaps);
    for (const place of places) {
      const before = gapBefore(place);
      if (before <= SHORT_GAP_MS) continue;
      gaps.set(place, SHORT_GAP_MS);
      if (!(await breaks({ gaps: new Map(gaps) }))) gaps.set(place, before);
    }
  }

  await breaks({ only: places });
  await fewer('issues');
  await fewerSteps();
  await fewer('instances');
  await fewer('issues');
  await fewerSteps();
  if (places.length < 60) await lessTime();
  return { options: best, rule, runs };
}

export async function tellStory({ options, rule, runs }: Shrunk): Promise<string> {
  const sentences: string[] = [];
  const steps = options.only?.length ?? options.steps;
  const { findings } = await run({
    ...options,
    steps,
    season: Math.max(steps, 1),
    tell: (sentence) => sentences.push(sentence),
  });
  const end = sentences.findLastIndex((sentence) => sentence.includes('FOUND ')) + 1;
  const found = findings.find((finding) => finding.rule === rule) ?? findings[0];
  return [
    `A short story of how ${rule} is broken (seed ${options.seed}, ${steps} steps, ${options.issues} issues, found in ${runs} runs):`,
    ...sentences.slice(0, end || sentences.length).map((sentence) => `  ${sentence}`),
    `${found?.rule ?? rule}: ${found?.message ?? 'it was not broken this time'}`,
  ].join('\n');
}
