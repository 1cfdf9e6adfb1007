// Where work piles up, how long it takes, what it costs.

import { signal } from '@preact/signals';
import 'uplot/dist/uPlot.min.css';
import { useEffect } from 'preact/hooks';
import { timeLabel } from '../charts/axes.ts';
import { BudgetLine } from '../charts/budget-line.tsx';
import { bandCounts, bandName, Cumulative } from '../charts/cumulative.tsx';
import { gather, LeaseBarsChart } from '../charts/lease-bars.tsx';
import { Spreads } from '../charts/spreads.tsx';
import { api } from '../data/api.ts';
import type { Flow as FlowAnswer } from '../data/contract.ts';
import { route, setQuery } from '../data/route.ts';
import { queue, twoDays } from '../data/state.ts';
import { Meter } from '../parts/marks.tsx';
import { at, compact, dollars, minuteOrDay, number, shortTime } from '../words/time.ts';
import { words } from '../words/words.ts';

const RANGES = ['hour', 'day', 'week'] as const;
type Range = (typeof RANGES)[number];
const HOUR_MS = 3_600_000;
const SPANS: Readonly<Record<Range, { ms: number; step: number; bars: number }>> = {
  hour: { ms: HOUR_MS, step: 60, bars: 12 },
  day: { ms: 24 * HOUR_MS, step: 900, bars: 24 },
  week: { ms: 7 * 24 * HOUR_MS, step: 3600, bars: 28 },
};
const REFRESH_MS = 15_000;

const flow = signal<{ readonly range: Range; readonly answer: FlowAnswer } | null>(null);

function readRange(): Range {
  const range = route.value.query.get('range') as Range | null;
  return range !== null && RANGES.includes(range) ? range : 'day';
}

const LEAST_POINTS = 12;

/** A Banto that is younger than the range begins where it began. */
function trimmed(answer: FlowAnswer): FlowAnswer {
  const empty = ({ tasks, counts }: FlowAnswer['points'][number]) =>
    [...Object.values(tasks), ...Object.values(counts)].every((count) => count === 0);
  const first = answer.points.findIndex((point) => !empty(point));
  if (first === -1) return answer;
  const from = Math.max(0, Math.min(first - 1, answer.points.length - LEAST_POINTS));
  return { ...answer, points: answer.points.slice(from) };
}

async function refresh(range: Range): Promise<void> {
  const { ms, step } = SPANS[range];
  const stepMs = step * 1000;
  // Whole steps, so that bars do not change their meaning while one looks.
  const since = Math.floor((Date.now() - ms) / stepMs) * stepMs + stepMs;
  const answer = await api.flow(new Date(since), step);
  if (readRange() === range) flow.value = { range, answer: trimmed(answer) };
}

function Bars({
  rows,
  tone,
}: {
  rows: readonly { readonly name: string; readonly share: number; readonly text: string }[];
  tone: 'fg' | 'rd';
}) {
  return (
    <ul class="hbars">
      {rows.map(({ name, share, text }) => (
        <li key={name}>
          <span class="clip">{name}</span>
          <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
            <rect class="hb-bg" width="100" height="12" />
            <rect
              class={tone === 'fg' ? 'hb-ink' : 'hb'}
              width={Math.max(0, Math.min(1, share)) * 100}
              height="12"
            />
          </svg>
          <span class="num">{text}</span>
        </li>
      ))}
    </ul>
  );
}

function ByPriority({ alone }: { alone: boolean }) {
  const { flow: text, priorities, fleet } = words.value;
  const counts = queue.value?.by_priority;
  if (counts === undefined) return null;
  const total = counts.high + counts.normal + counts.low;
  return (
    <section class={alone ? 'panel wide2' : 'panel'}>
      <div class="panel-head">
        <h2>{text.byPriority}</h2>
        <span class="end">
          {number(total)} {fleet.tasks(total)}
        </span>
      </div>
      <div class="panel-body">
        <Bars
          tone="rd"
          rows={(['high', 'normal', 'low'] as const).map((name) => ({
            name: priorities[name],
            share: total === 0 ? 0 : counts[name] / total,
            text: number(counts[name]),
          }))}
        />
      </div>
    </section>
  );
}

function ByModel({ models }: { models: FlowAnswer['models'] }) {
  const { flow: text } = words.value;
  if (models.length === 0) return null;
  const total = models.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  const most = Math.max(...models.map(({ cost_usd }) => cost_usd), 0.01);
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.byModel}</h2>
        <span class="end">{dollars(total)}</span>
      </div>
      <div class="panel-body">
        <Bars
          tone="fg"
          rows={models.map(({ model, cost_usd, tokens }) => ({
            name: model ?? text.unknownModel,
            share: cost_usd / most,
            text: cost_usd === 0 ? text.tokens(compact(tokens)) : dollars(cost_usd),
          }))}
        />
      </div>
    </section>
  );
}

function Budget({ samples }: { samples: FlowAnswer['budget'] }) {
  const { flow: text, fleet } = words.value;
  const budget = queue.value?.forge_budget ?? null;
  if (budget === null) return null;
  const [first, second] = samples;
  return (
    <section class="panel wide2">
      <div class="panel-head">
        <h2>{text.budget}</h2>
        <span class="end">{fleet.resets(at('minute', Date.parse(budget.reset_at)))}</span>
      </div>
      <div class="panel-body">
        <div class="big">
          {number(budget.remaining)} <small>{fleet.of(number(budget.limit))}</small>
        </div>
        <Meter share={budget.remaining / budget.limit} tone="fg" label={text.budget} />
        {first === undefined || second === undefined ? null : (
          <>
            <BudgetLine samples={samples} />
            <p class="dim">{text.budgetSince(minuteOrDay(Date.parse(first.at), Date.now()))}</p>
          </>
        )}
      </div>
    </section>
  );
}

function FlowTable({ answer }: { answer: FlowAnswer }) {
  const { flow: text } = words.value;
  const bands = ['done', 'review', 'leased', 'ready', 'held', 'dead'] as const;
  const counts = bandCounts(answer);
  const each = Math.max(1, Math.ceil(answer.points.length / 24));
  const rows = answer.points
    .map((point, index) => ({ point, index }))
    .filter(({ index }) => (answer.points.length - 1 - index) % each === 0)
    .reverse();
  return (
    <details class="panel as-table">
      <summary>{text.asTable}</summary>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={text.asTable}>
        <table>
          <thead>
            <tr>
              <th scope="col">{text.time}</th>
              {bands.map((band) => (
                <th key={band} scope="col" class="num">
                  {bandName(band)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ point, index }) => (
              <tr key={point.at}>
                <td>{timeLabel(Date.parse(point.at))}</td>
                {bands.map((band) => (
                  <td key={band} class="num">
                    {number(counts[band][index] ?? 0)}
                  </td>
                ))}
              </tr>
            ))}
            {answer.times.map((time) => (
              <tr key={time.name}>
                <td>{text.timesNames[time.name]}</td>
                <td colSpan={bands.length}>
                  {text.spread(
                    shortTime(time.p50_ms),
                    shortTime(time.p90_ms),
                    shortTime(time.p99_ms),
                    time.count,
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function LeasesKey() {
  const { flow: text } = words.value;
  const marks = [
    ['f-done', text.completed],
    ['f-failed', text.failed],
    ['f-expired', text.expired],
    ['f-out', text.handedOut],
  ] as const;
  return (
    <span class="end key">
      {marks.map(([name, label]) => (
        <span key={name}>
          <svg class="sw" viewBox="0 0 12 12" aria-hidden="true">
            <rect class={name} x="1" y="1" width="10" height="10" rx="1" />
          </svg>
          {label}
        </span>
      ))}
    </span>
  );
}

function Charts({ answer, range }: { answer: FlowAnswer; range: Range }) {
  const { flow: text } = words.value;
  return (
    <div class="flow">
      <section class="panel w4">
        <div class="panel-head">
          <h2>{text.cumulative}</h2>
          <span class="end">{text.byState}</span>
        </div>
        <div class="panel-body">
          <Cumulative flow={answer} />
        </div>
      </section>
      <section class="panel w2">
        <div class="panel-head">
          <h2>{text.leases}</h2>
          <LeasesKey />
        </div>
        <div class="panel-body">
          <LeaseBarsChart bars={gather(answer, SPANS[range].bars)} />
        </div>
      </section>
      <section class="panel w3">
        <div class="panel-head">
          <h2>{text.times}</h2>
          <span class="end key">
            <span>● {text.median}</span>
            <span>○ 90 %</span>
            <span>| 99 %</span>
          </span>
        </div>
        <div class="panel-body">
          {answer.times.length === 0 ? (
            <p class="dim">{text.noTimes}</p>
          ) : (
            <Spreads times={answer.times} />
          )}
        </div>
      </section>
      <div class="w3 stack two">
        <ByPriority alone={answer.models.length === 0} />
        <ByModel models={answer.models} />
        <Budget samples={answer.budget} />
      </div>
    </div>
  );
}

export function Flow() {
  const { flow: text, views } = words.value;
  const range = readRange();
  const shown = flow.value;
  useEffect(() => {
    const read = () => void refresh(range).catch(() => undefined);
    read();
    const timer = setInterval(read, REFRESH_MS);
    return () => clearInterval(timer);
  }, [range, twoDays.value]);
  const [first] = shown?.answer.points ?? [];
  return (
    <div class="view">
      <div class="view-head">
        <h1>{views.flow}</h1>
        {first === undefined ? null : (
          <span class="dim">
            {text.span(minuteOrDay(Date.parse(first.at), Date.now()), at('minute', Date.now()))}
          </span>
        )}
        <div class="end">
          <span class="seg" role="group" aria-label={text.range}>
            {RANGES.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === range}
                onClick={() => setQuery({ range: each })}
              >
                {text.ranges[each]}
              </button>
            ))}
          </span>
        </div>
      </div>
      {shown === null ? null : (
        <>
          <Charts answer={shown.answer} range={shown.range} />
          <FlowTable answer={shown.answer} />
        </>
      )}
    </div>
  );
}
