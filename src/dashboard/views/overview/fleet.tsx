// The fleet in six figures. One that is not known is not shown.

import type { ComponentChildren } from 'preact';
import { now } from '../../data/clock.ts';
import type { Flow } from '../../data/contract.ts';
import { fleet } from '../../data/derived.ts';
import { isBusy } from '../../data/fleet.ts';
import { startOfDay } from '../../data/follow.ts';
import { config, queue, twoDays } from '../../data/state.ts';
import { Meter } from '../../parts/marks.tsx';
import { at, dollars, duration, number } from '../../words/time.ts';
import { words } from '../../words/words.ts';

function Figure(props: { name: string; children: ComponentChildren; sub: ComponentChildren }) {
  return (
    <div class="fig">
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
      <dd class="sub">{props.sub}</dd>
    </div>
  );
}

type Counts = Flow['points'][number]['counts'];

export function sumCounts(flow: Flow | null, from: number, to: number): Counts | null {
  if (flow === null) return null;
  const sum = { handed_out: 0, completed: 0, failed: 0, expired: 0, released: 0 };
  for (const point of flow.points) {
    const start = Date.parse(point.at);
    if (start < from || start >= to) continue;
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += point.counts[name];
  }
  return sum;
}

export function sumCost(flow: Flow | null, from: number): number {
  return (flow?.points ?? [])
    .filter(({ at: start }) => Date.parse(start) >= from)
    .reduce((sum, { cost_usd }) => sum + cost_usd, 0);
}

const DAY_MS = 86_400_000;

/** The day's limit begins at midnight UTC, wherever the reader is. */
function DayLimit({ limit }: { limit: number }) {
  const text = words.value.fleet;
  const spent = sumCost(twoDays.value, Math.floor(now.value / DAY_MS) * DAY_MS);
  return (
    <>
      {' '}
      <small title={text.dayLimit}>{text.of(dollars(limit))}</small>
      <Meter share={spent / limit} tone={spent >= limit ? 'warn' : 'fg'} label={text.cost} />
    </>
  );
}

function Cost({ completed }: { completed: number }) {
  const text = words.value.fleet;
  const spent = sumCost(twoDays.value, startOfDay().getTime());
  const limit = config.value?.max_cost_per_day_usd ?? null;
  const known =
    limit !== null || (twoDays.value?.points.some(({ cost_usd }) => cost_usd > 0) ?? false);
  if (!known) return null;
  return (
    <Figure
      name={text.cost}
      sub={completed === 0 || spent === 0 ? '–' : text.perTask(dollars(spent / completed))}
    >
      {dollars(spent)}
      {limit === null ? null : <DayLimit limit={limit} />}
    </Figure>
  );
}

export function Fleet() {
  const text = words.value.fleet;
  const members = fleet.value;
  const busy = members.filter(({ doing }) => isBusy(doing)).length;
  const waiting = members.filter(({ doing }) => doing === 'waiting').length;
  const stopped = members.filter(({ doing }) => doing === 'stopped').length;
  const state = queue.value;
  const ready = state?.by_state.ready ?? 0;
  const oldest = state?.oldest_ready_at ?? null;
  const reviews = (state?.counts ?? [])
    .filter((one) => one.state === 'ready' && one.kind === 'review')
    .reduce((sum, { count }) => sum + count, 0);
  const midnight = startOfDay().getTime();
  const today = sumCounts(twoDays.value, midnight, Number.POSITIVE_INFINITY);
  const yesterday = sumCounts(twoDays.value, midnight - DAY_MS, now.value - DAY_MS);
  const bad = today === null ? 0 : today.failed + today.expired;
  const ended = today === null ? 0 : bad + today.completed + today.released;
  const budget = state?.forge_budget ?? null;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.title}</h2>
        <span class="end">{text.today}</span>
      </div>
      <dl class="glance">
        <Figure name={text.working} sub={text.rest(waiting, stopped)}>
          {busy} <small>{text.ofAgents(members.length)}</small>
        </Figure>
        <Figure
          name={text.ready}
          sub={
            ready === 0 || oldest === null
              ? text.empty
              : text.oldestReady(duration(now.value - Date.parse(oldest)), reviews)
          }
        >
          {number(ready)} <small>{text.readyTasks(ready, reviews)}</small>
        </Figure>
        <Figure
          name={text.done}
          sub={yesterday === null ? '' : text.yesterday(yesterday.completed)}
        >
          {today === null ? '–' : number(today.completed)}{' '}
          <small>{text.tasks(today?.completed ?? 0)}</small>
        </Figure>
        <Figure name={text.failed} sub={ended === 0 ? '–' : `${Math.round((bad / ended) * 100)} %`}>
          {today === null ? '–' : number(bad)} <small>{text.ofLeases(ended)}</small>
        </Figure>
        <Cost completed={today?.completed ?? 0} />
        {budget === null ? null : (
          <Figure
            name={text.budget}
            sub={
              budget.blocked_until === null
                ? text.resets(at('minute', Date.parse(budget.reset_at)))
                : text.silentUntil(at('clock', Date.parse(budget.blocked_until)))
            }
          >
            {number(budget.remaining)} <small>{text.of(number(budget.limit))}</small>
            <Meter share={budget.remaining / budget.limit} tone="fg" label={text.budget} />
          </Figure>
        )}
      </dl>
    </section>
  );
}
