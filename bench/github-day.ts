// A working day of 100 agents and 500 issues an hour on the double of GitHub, in simulated time: what it costs of
// GitHub's budgets, and what it costs the agents. `GITHUB_DAY_HOURS=1` makes it shorter.

import type { Fact } from '../src/core/facts.ts';
import { parseTaskId } from '../src/core/task.ts';
import { type Day, liveDay } from '../test/support/github/day.ts';
import type { Bench } from './measure.ts';

const HOURS = Number(process.env['GITHUB_DAY_HOURS'] ?? 8);
const MINUTE_MS = 60_000;

type Requests = Day['github']['requests'];

/** The most in any window of this length; `requests` are in order of time. */
function mostWithin(requests: Requests, windowMs: number): number {
  let from = 0;
  let most = 0;
  for (const [to, { at }] of requests.entries()) {
    while ((requests[from]?.at ?? at) <= at - windowMs) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const isLease = (fact: Fact) => fact.type === 'leased';

/** From each hand-out and completion to the writing of the labels that say so. */
function labelLags(facts: readonly Fact[]): number[] {
  const wanted = new Map<string, number>();
  const lags: number[] = [];
  for (const fact of facts) {
    if (fact.type === 'leased' || fact.type === 'completed') {
      const number = parseTaskId(fact.taskId)?.number ?? 0;
      if (!wanted.has(`${number}`)) wanted.set(`${number}`, fact.at);
    } else if (fact.type === 'ledger_written') {
      const since = wanted.get(`${fact.number}`);
      wanted.delete(`${fact.number}`);
      if (since !== undefined) lags.push(fact.at - since);
    }
  }
  return lags;
}

/** Figures of one day, in the order of the table. */
function figuresOf(
  day: Day,
  minutes: number,
): [name: string, unit: string, figure: number, most?: number][] {
  const { github, issues, handOuts, backlog, facts } = day;
  const { peaks, violations } = github.limits;
  const counted = github.requests.filter((one) => one.status !== 304);
  const rest = counted.filter((one) => one.operation !== 'POST /graphql');
  const writes = counted.filter((one) => one.method !== 'GET');
  const refused = counted.filter((one) => one.status === 403 || one.status === 429).length;
  const answers = handOuts.map((one) => one.answeredMs);
  const pending = handOuts.filter((one) => one.ledger === 'pending').length;
  const waits = facts.filter(isLease).map((fact) => fact.waitedMs);
  const lags = labelLags(facts);
  const each = (count: number) => count / issues.length;
  return [
    ['answers 403 and 429', 'in all', refused, 0],
    ['limits run into, or asked during retry-after', 'in all', violations.length, 0],
    ['issues merged', 'in all', issues.length],
    ['simulated time', 'hours', day.tookMs / (60 * MINUTE_MS)],
    ['requests, REST', 'an hour at most', peaks.primary, 5000],
    ['requests, GraphQL', 'an hour at most', peaks.graphqlPrimary, 5000],
    ['requests', 'a minute at most', mostWithin(counted, MINUTE_MS)],
    ['writes', 'a minute at most', mostWithin(writes, MINUTE_MS)],
    ['points, REST', 'a minute at most', peaks.pointsPerMinute, 900],
    ['points, GraphQL', 'a minute at most', peaks.graphqlPointsPerMinute, 2000],
    ['content-creating requests', 'a minute at most', peaks.creationsPerMinute, 80],
    ['content-creating requests', 'an hour at most', peaks.creationsPerHour, 500],
    ['requests', 'at once at most', day.atOnce, 100],
    ['tasks handed out', 'per issue', each(handOuts.length)],
    ['writes', 'per issue', each(writes.length)],
    ['requests, REST', 'per issue', each(rest.length)],
    ['requests', 'per issue', each(counted.length)],
    ['ledger writes waiting', 'at most', Math.max(...backlog)],
    ['ledger writes waiting', 'median', quantile(backlog, 0.5)],
    ['labels behind', 's, median', quantile(lags, 0.5) / 1000],
    ['labels behind', 's, 95 of 100', quantile(lags, 0.95) / 1000],
    ['labels behind', 's at most', Math.max(...lags) / 1000],
    ['lease to answer', 'ms, median', quantile(answers, 0.5)],
    ['lease to answer', 'ms, 95 of 100', quantile(answers, 0.95)],
    ['answered before the ledger was written', 'percent', (100 * pending) / handOuts.length],
    ['ready to leased', 'ms, median', quantile(waits, 0.5)],
    ['ready to leased', 'ms, 95 of 100', quantile(waits, 0.95)],
    ['memory in use, double included, after an hour', 'MB', day.liveMb[0] ?? 0],
    ['memory in use, double included, at the end', 'MB', day.liveMb.at(-1) ?? 0],
    ['real time', 'minutes', minutes],
  ];
}

export const githubDayBench: Bench = {
  name: 'github-day',
  about: `${HOURS} simulated hours of 100 agents and 500 issues an hour on GitHub`,
  async run(report) {
    for (const webhooks of [false, true]) await measureDay(report, webhooks);
  },
};

/** By itself, so that nothing of one day is still in memory during the other. */
async function measureDay(report: Parameters<Bench['run']>[0], webhooks: boolean): Promise<void> {
  const startedAt = performance.now();
  const day = await liveDay({
    hours: HOURS,
    agents: 100,
    waiting: 100,
    issuesPerHour: 500,
    changesShare: 0.1,
    webhooks,
  });
  const how = webhooks ? 'webhooks' : 'polling';
  const figures = figuresOf(day, (performance.now() - startedAt) / MINUTE_MS);
  await day.close();
  const cases = figures.map(([name, unit, figure, most]) => ({
    name: `${how}: ${name}`,
    unit,
    run: () => figure,
    ...(most === undefined ? {} : { goal: { most } }),
  }));
  await report.measure(cases, { repetitions: 1, warmUps: 0 });
}
