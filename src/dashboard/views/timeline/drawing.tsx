// Leases as bars over time, drawn at the measured width.

import { timeTicks } from '../../charts/ticks.ts';
import { now } from '../../data/clock.ts';
import { reference, referenceOf } from '../../data/columns.ts';
import type { Card, LeaseBar } from '../../data/contract.ts';
import { taskPath } from '../../data/route.ts';
import { cards, repositories } from '../../data/state.ts';
import { at, duration } from '../../words/time.ts';
import { words } from '../../words/words.ts';
import type { Row } from './rows.ts';

const ROW_PX = 46;
const HEAD_PX = 28;
const CHAR_PX = 6.4;
const LANES_PX = 27;
const MOST_LANES = 7;

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

export function Key() {
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

/** One below the other: how many wait, and since when. The newest share the last lane. */
function WaitingBar(props: {
  readonly card: Card;
  readonly lane: { readonly index: number; readonly count: number };
  readonly y: number;
  readonly range: Range;
  readonly end: number;
}) {
  const { card, lane, y, range, end } = props;
  const each = LANES_PX / Math.min(lane.count, MOST_LANES);
  const top = y + 9 + Math.min(lane.index, MOST_LANES - 1) * each;
  const scale = range.px / (range.to - range.from);
  const x = Math.max(0, (Date.parse(card.since) - range.from) * scale);
  const width = Math.max(3, (end - range.from) * scale - x);
  return (
    <a href={taskPath(card.task_id)} aria-label={`${reference(card)} ${card.title}`}>
      <title>{`${reference(card)} ${card.title}`}</title>
      <rect
        class={lane.count > 2 ? 'b-waiting thin' : 'b-waiting'}
        x={x}
        y={top}
        width={width}
        height={lane.count === 1 ? each : Math.max(2, each - 2)}
        rx={Math.min(3, each / 4)}
      />
    </a>
  );
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

export function Drawing({ rows, range }: { rows: readonly Row[]; range: Range }) {
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
            {waiting.map((card, lane) => (
              <WaitingBar
                key={card.task_id}
                card={card}
                lane={{ index: lane, count: waiting.length }}
                y={y}
                range={range}
                end={end}
              />
            ))}
          </g>
        );
      })}
      <NowLine range={range} height={height} />
    </svg>
  );
}
