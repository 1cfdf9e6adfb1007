// Agents as rows, leases as bars: one look shows who is idle, what is tried again, which reviews wait.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { timeTicks } from '../charts/ticks.ts';
import { now } from '../data/clock.ts';
import { reference, referenceOf } from '../data/columns.ts';
import type { Card, LeaseBar } from '../data/contract.ts';
import { fleet } from '../data/derived.ts';
import type { Member } from '../data/fleet.ts';
import { leases, loadLeases } from '../data/leases.ts';
import { route, setQuery, taskPath } from '../data/route.ts';
import { cards, repositories } from '../data/state.ts';
import { useWidth } from '../parts/measure.ts';
import { onKey } from '../shell/keyboard.ts';
import { at, duration } from '../words/time.ts';
import { words } from '../words/words.ts';

const ZOOMS = ['15m', '2h', '8h', '1d', '1w'] as const;
type Zoom = (typeof ZOOMS)[number];
const MINUTE = 60_000;
const SPANS: Readonly<Record<Zoom, number>> = {
  '15m': 15 * MINUTE,
  '2h': 120 * MINUTE,
  '8h': 480 * MINUTE,
  '1d': 1440 * MINUTE,
  '1w': 10_080 * MINUTE,
};
const WEEK_MS = SPANS['1w'];
/** Room to the right of now, as a share of the range. */
const AHEAD = 0.08;
const ROW_PX = 46;
const HEAD_PX = 28;
const MOST_ROWS = 300;
const CHAR_PX = 6.4;

type Tone = keyof ReturnType<typeof toneNames>;
const toneNames = () => words.value.timeline.keys;
const TONES: readonly Tone[] = [
  'running',
  'completed',
  'review',
  'failed',
  'expired',
  'released',
  'ask',
];

function toneOf(lease: LeaseBar, asking: boolean): Tone {
  if (lease.outcome === null) {
    if (asking) return 'ask';
    return lease.kind === 'review' ? 'review' : 'running';
  }
  if (lease.outcome === 'failed' || lease.outcome === 'refused') return 'failed';
  if (lease.outcome === 'expired') return 'expired';
  if (lease.outcome === 'completed') return lease.kind === 'review' ? 'review' : 'completed';
  return 'released';
}

function Key() {
  const names = toneNames();
  return (
    <div class="key">
      {TONES.map((tone) => (
        <span key={tone}>
          <svg viewBox="0 0 22 12" class="tl-key" aria-hidden="true">
            <rect class={`b-${tone}`} x=".5" y=".5" width="21" height="11" rx="2" />
          </svg>
          {names[tone]}
        </span>
      ))}
    </div>
  );
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly px: number;
}

function labelOf(lease: LeaseBar, tone: Tone): string {
  const name =
    repositories.value.length > 1
      ? referenceOf(lease.task_id)
      : `#${lease.task_id.split('~').at(-2)}`;
  const { timeline } = words.value;
  if (tone === 'failed' || tone === 'expired') return `${name} ${timeline.keys[tone]}`;
  return lease.attempt > 1 ? `${name}, ${timeline.attempt(lease.attempt)}` : name;
}

function Bar({ lease, y, range, end }: { lease: LeaseBar; y: number; range: Range; end: number }) {
  const asking = Boolean(cards.value.get(lease.task_id)?.question) && lease.outcome === null;
  const tone = toneOf(lease, asking);
  const scale = range.px / (range.to - range.from);
  const started = Date.parse(lease.started_at);
  const ended = lease.ended_at === null ? end : Date.parse(lease.ended_at);
  const x = Math.max(-2, (started - range.from) * scale);
  const width = Math.max(2, Math.min(range.px + 2, (ended - range.from) * scale) - x);
  const label = labelOf(lease, tone);
  const short = label.split(/[ ,]/)[0] ?? '';
  const fits = (text: string) => text.length * CHAR_PX + 14 < width;
  const shown = fits(label) ? label : fits(short) ? short : null;
  const title = cards.value.get(lease.task_id)?.title ?? '';
  const lines = [
    `${label} ${title}`.trim(),
    `${lease.agent_id}, ${words.value.timeline.keys[tone]}, ${duration(ended - started)}`,
    `${at('clock', started)} – ${lease.ended_at === null ? '' : at('clock', ended)}`,
    lease.note ?? '',
  ];
  return (
    <a
      href={taskPath(lease.task_id)}
      tabIndex={width < 12 ? -1 : 0}
      aria-label={lines.slice(0, 2).join(', ')}
    >
      <title>{lines.filter(Boolean).join('\n')}</title>
      <rect class={`b-${tone}`} x={x} y={y + 9} width={width} height="27" rx="3" />
      {shown === null ? null : (
        <text class="tb halo" x={Math.max(x, 0) + 9} y={y + 27}>
          {shown}
        </text>
      )}
    </a>
  );
}

function WaitingBar({ card, y, range, end }: { card: Card; y: number; range: Range; end: number }) {
  const scale = range.px / (range.to - range.from);
  const x = Math.max(0, (Date.parse(card.since) - range.from) * scale);
  const width = Math.max(3, (end - range.from) * scale - x);
  return (
    <a href={taskPath(card.task_id)} aria-label={`${reference(card)} ${card.title}`}>
      <title>{`${reference(card)} ${card.title}`}</title>
      <rect class="b-waiting" x={x} y={y + 9} width={width} height="27" rx="3" />
    </a>
  );
}

interface Row {
  readonly name: string;
  readonly sub: string;
  readonly hot: boolean;
  readonly bars: readonly LeaseBar[];
  readonly waiting: readonly Card[];
}

function rowOf(member: Member | undefined, name: string, bars: readonly LeaseBar[]): Row {
  const { states } = words.value.agents;
  if (member === undefined) return { name, sub: '', hot: false, bars, waiting: [] };
  const { doing, agent } = member;
  const quiet = ['waiting', 'idle', 'stopped'].includes(doing);
  const silent = duration(now.value - Date.parse(agent.last_seen_at));
  return {
    name,
    sub: quiet && doing !== 'waiting' ? `${states[doing]} ${silent}` : states[doing],
    hot: doing === 'stopped' || doing === 'asking',
    bars,
    waiting: [],
  };
}

function useRows(range: { from: number; to: number }): Row[] {
  const byAgent = useMemo(() => {
    const inView = leases.value.filter(
      ({ started_at, ended_at }) =>
        Date.parse(started_at) <= range.to &&
        (ended_at === null || Date.parse(ended_at) >= range.from),
    );
    return Map.groupBy(inView, ({ agent_id }) => agent_id);
  }, [leases.value, range.from, range.to]);
  const members = new Map(fleet.value.map((member) => [member.agent.agent_id, member]));
  const names = new Set([
    ...fleet.value.filter(({ doing }) => doing !== 'idle').map(({ agent }) => agent.agent_id),
    ...byAgent.keys(),
  ]);
  const rows = [...names]
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .slice(0, MOST_ROWS)
    .map((name) => rowOf(members.get(name), name, byAgent.get(name) ?? []));
  const waiting = [...cards.value.values()].filter(
    ({ kind, state }) => kind === 'review' && state === 'ready',
  );
  if (waiting.length === 0) return rows;
  const { timeline } = words.value;
  const sub = timeline.waits(waiting.length);
  return [...rows, { name: timeline.waiting, sub, hot: false, bars: [], waiting }];
}

function Axis({ range, height }: { range: Range; height: number }) {
  const ticks = timeTicks(range.from, range.to, Math.max(2, Math.floor(range.px / 84)));
  const scale = range.px / (range.to - range.from);
  const end = now.value;
  const nowX = (end - range.from) * scale;
  const inView = nowX >= 0 && nowX <= range.px;
  return (
    <>
      {ticks.map((tick) => {
        const x = (tick - range.from) * scale;
        const midnight = new Date(tick).getHours() === 0 && new Date(tick).getMinutes() === 0;
        const clear = !inView || Math.abs(x + 16 - nowX) > 48;
        return (
          <g key={tick}>
            <path class="grid" d={`M${x} ${HEAD_PX}V${height}`} />
            {clear ? (
              <text x={x + 4} y="18">
                {at(midnight ? 'shortDay' : 'minute', tick)}
              </text>
            ) : null}
          </g>
        );
      })}
    </>
  );
}

function NowLine({ range, height }: { range: Range; height: number }) {
  const end = now.value;
  const x = ((end - range.from) * range.px) / (range.to - range.from);
  if (x < 0 || x > range.px) return null;
  return (
    <g aria-hidden="true">
      <path class="nowline" d={`M${x} ${HEAD_PX - 4}V${height}`} />
      <rect class="nowbg" x={x - 23} y="5" width="46" height="18" rx="3" />
      <text class="t-nowx" x={x} y="18" text-anchor="middle">
        {at('minute', end)}
      </text>
    </g>
  );
}

function Drawing({ rows, range }: { rows: readonly Row[]; range: Range }) {
  const height = HEAD_PX + rows.length * ROW_PX;
  const end = Math.min(range.to, now.value);
  return (
    <svg
      class="tl-svg"
      width={range.px}
      height={height}
      viewBox={`0 0 ${range.px} ${height}`}
      role="group"
      aria-label={words.value.timeline.chart}
    >
      <Axis range={range} height={height} />
      {rows.map(({ name, bars, waiting }, index) => {
        const y = HEAD_PX + index * ROW_PX;
        return (
          <g key={name}>
            <path class="grid" d={`M0 ${y + 0.5}H${range.px}`} />
            {bars.map((lease) => (
              <Bar
                key={`${lease.task_id} ${lease.started_at}`}
                lease={lease}
                y={y}
                range={range}
                end={end}
              />
            ))}
            {waiting.map((card) => (
              <WaitingBar key={card.task_id} card={card} y={y} range={range} end={end} />
            ))}
          </g>
        );
      })}
      <NowLine range={range} height={height} />
    </svg>
  );
}

function readZoom(): Zoom {
  const zoom = route.value.query.get('zoom') as Zoom | null;
  return zoom !== null && ZOOMS.includes(zoom) ? zoom : '2h';
}

/** Null: the range follows now. */
function readEnd(): number | null {
  const end = Number(route.value.query.get('end'));
  return end > 0 ? end * 1000 : null;
}

function zoomBy(by: 1 | -1): void {
  const index = Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(readZoom()) + by));
  setQuery({ zoom: ZOOMS[index] ?? '2h' });
}

function pan(share: number): void {
  const span = SPANS[readZoom()];
  const end = (readEnd() ?? now.value) + span * share;
  setQuery({ end: end >= now.value ? null : String(Math.round(end / 1000)) });
}

const KEYS: Readonly<Record<string, () => void>> = {
  '+': () => zoomBy(-1),
  '=': () => zoomBy(-1),
  '-': () => zoomBy(1),
  ArrowLeft: () => pan(-0.5),
  h: () => pan(-0.5),
  ArrowRight: () => pan(0.5),
  l: () => pan(0.5),
};

function useDrag(px: number) {
  const [from, setFrom] = useState<{ x: number; end: number } | null>(null);
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      setFrom({ x: event.clientX, end: readEnd() ?? now.value });
    },
    onPointerMove(event: PointerEvent) {
      if (from === null || event.buttons !== 1) return;
      const moved = from.x - event.clientX;
      if (Math.abs(moved) < 4) return;
      const end = from.end + (moved / Math.max(1, px)) * SPANS[readZoom()];
      setQuery({ end: end >= now.value ? null : String(Math.round(end / 1000)) });
    },
    onPointerUp: () => setFrom(null),
  };
}

export function Timeline() {
  const { timeline, views } = words.value;
  const [panel, px] = useWidth<HTMLDivElement>();
  const zoom = readZoom();
  const span = SPANS[zoom];
  const chosen = readEnd();
  const to = (chosen ?? now.value) + (chosen === null ? span * AHEAD : 0);
  const from = to - span;
  // The range moves each second; what is in it is looked up less often.
  const grain = Math.max(5000, span / 200);
  const rows = useRows({
    from: Math.floor(from / grain) * grain,
    to: Math.ceil(to / grain) * grain,
  });
  const drag = useDrag(px);
  const since = Math.max(from - span, now.peek() - WEEK_MS);

  useEffect(() => {
    loadLeases(since).catch(() => undefined);
  }, [Math.floor(since / (span / 2))]);
  useEffect(
    () =>
      onKey((key) => {
        KEYS[key]?.();
        return key in KEYS;
      }),
    [],
  );

  return (
    <div class="view">
      <div class="view-head">
        <h1>{views.timeline}</h1>
        <Key />
        <div class="end">
          <button
            type="button"
            class="btn"
            onClick={() => pan(-0.5)}
            aria-label={timeline.earlier}
            title={timeline.earlier}
          >
            ‹
          </button>
          <button
            type="button"
            class="btn"
            disabled={chosen === null}
            onClick={() => pan(0.5)}
            aria-label={timeline.later}
            title={timeline.later}
          >
            ›
          </button>
          <span class="seg" role="group" aria-label={timeline.zoom}>
            {ZOOMS.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === zoom}
                onClick={() => setQuery({ zoom: each })}
              >
                {timeline.zooms[each]}
              </button>
            ))}
          </span>
          <button
            type="button"
            class="btn"
            disabled={chosen === null}
            onClick={() => setQuery({ end: null })}
          >
            {timeline.now}
          </button>
        </div>
      </div>
      <div class="panel tl">
        <ul class="tl-names">
          {rows.map(({ name, sub, hot }) => (
            <li key={name}>
              <span class="strong clip" title={name}>
                {name}
              </span>
              <small class={hot ? 'shu' : ''}>{sub}</small>
            </li>
          ))}
        </ul>
        <div class="tl-scroll" ref={panel} {...drag}>
          {px === 0 ? null : <Drawing rows={rows} range={{ from, to, px }} />}
        </div>
      </div>
      {rows.length === 0 ? <p class="dim after">{timeline.none}</p> : null}
    </div>
  );
}
