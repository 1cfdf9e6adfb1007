// Leases and the flow of tasks as JSON.

import type { BudgetSample } from '../../broker/broker.ts';
import { type PriorityName, priorityName } from '../../core/priority.ts';
import {
  type Activity,
  BANDS,
  type Band,
  bandOf,
  type LeaseSpan,
  percentile,
} from '../../core/reporting/activity.ts';
import type { QueueCount } from '../../core/store.ts';
import { usdOf } from '../../core/usage.ts';
import type { FlowAnswer, LeaseBar } from '../schema/activity.ts';
import { instant, instantOrNull } from './instant.ts';

export function leaseBarView(span: LeaseSpan): LeaseBar {
  return {
    task_id: span.taskId,
    agent_id: span.agentId,
    kind: span.kind,
    attempt: span.attempt,
    started_at: instant(span.startedAt),
    ended_at: instantOrNull(span.endedAt),
    expires_at: instant(span.expiresAt),
    outcome: span.outcome,
    note: span.note,
  };
}

function bandCounts(counts: readonly QueueCount[]): Record<Band, number> {
  const now = Object.fromEntries(BANDS.map((band) => [band, 0])) as Record<Band, number>;
  for (const { state, kind, count } of counts) {
    const band = bandOf(kind, state);
    if (band !== null) now[band] += count;
  }
  return now;
}

type Spread = FlowAnswer['times'][number];

function spread(name: Spread['name'], values: number[]): Spread[] {
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number) => percentile(sorted, share) ?? 0;
  if (sorted.length === 0) return [];
  return [{ name, count: sorted.length, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99) }];
}

const worked = ({ startedAt, endedAt }: LeaseSpan) => (endedAt ?? startedAt) - startedAt;

function timesOf(begun: readonly LeaseSpan[], finished: readonly LeaseSpan[]): Spread[] {
  const waited = (name: PriorityName) =>
    begun
      .filter(({ priority }) => priority !== null && priorityName(priority) === name)
      .map(({ waitedMs }) => waitedMs);
  const took = (review: boolean) =>
    finished.filter(({ kind }) => (kind === 'review') === review).map(worked);
  return [
    ...spread('waiting_high', waited('high')),
    ...spread('waiting_normal', waited('normal')),
    ...spread('waiting_low', waited('low')),
    ...spread('working', took(false)),
    ...spread('reviewing', took(true)),
  ];
}

function agentsOf(
  spans: readonly LeaseSpan[],
  costs: ReadonlyMap<string, number>,
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): FlowAnswer['agents'] {
  const steps = Math.ceil((to - from) / stepMs);
  return [...Map.groupBy(spans, ({ agentId }) => agentId)].map(([agent_id, theirs]) => {
    const ended = (outcome: string) =>
      theirs.filter((span) => span.outcome === outcome && (span.endedAt ?? 0) >= from);
    const times = ended('completed').map(worked);
    const busy = Array.from({ length: steps }, () => 0);
    for (const { startedAt, endedAt } of theirs) {
      const end = Math.min(endedAt ?? to, to);
      const first = Math.max(0, Math.floor((startedAt - from) / stepMs));
      for (let step = first; step < steps && from + step * stepMs < end; step += 1) {
        const begin = from + step * stepMs;
        const held = Math.min(end, begin + stepMs) - Math.max(startedAt, begin);
        busy[step] = Math.min(1, (busy[step] ?? 0) + Math.max(0, held) / stepMs);
      }
    }
    return {
      agent_id,
      handed_out: theirs.filter(({ startedAt }) => startedAt >= from).length,
      completed: times.length,
      failed: ended('failed').length,
      expired: ended('expired').length,
      median_ms: percentile(
        times.sort((a, b) => a - b),
        0.5,
      ),
      cost_usd: usdOf(costs.get(agent_id) ?? 0),
      busy: busy.map((share) => Math.round(share * 100) / 100),
    };
  });
}

export function flowView(
  activity: Activity,
  counts: readonly QueueCount[],
  budget: readonly BudgetSample[],
  range: { readonly from: number; readonly to: number; readonly stepMs: number },
): FlowAnswer {
  const spans = activity.leases(range.from, range.to, Number.MAX_SAFE_INTEGER);
  const begun = spans.filter(({ startedAt }) => startedAt >= range.from);
  const finished = spans.filter(({ outcome }) => outcome === 'completed');
  return {
    step_seconds: range.stepMs / 1000,
    points: activity.flow({ ...range, now: bandCounts(counts) }).map((point) => ({
      at: instant(point.at),
      tasks: { ...point.tasks },
      counts: { ...point.counts },
      cost_usd: usdOf(point.costMicroUsd),
    })),
    times: timesOf(begun, finished),
    agents: agentsOf(spans, activity.spending.byAgent(range.from, range.to), range),
    budget: budget.map(({ at, limit, remaining }) => ({ at: instant(at), limit, remaining })),
    models: activity.spending.byModel(range.from, range.to).map((spent) => ({
      model: spent.model,
      cost_usd: usdOf(spent.costMicroUsd),
      tokens: spent.tokens,
    })),
  };
}
