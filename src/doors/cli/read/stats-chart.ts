// Statistics as small charts: a row for each day or hour up to now, empty ones too.

import type { StatsAnswer } from '../../schema/queue.ts';
import type { Paint } from '../shell.ts';
import { duration } from '../terminal/time-text.ts';
import { type Counters, costCell, hasCost, usageTables } from './stats-usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const PERIODS = {
  daily: { stepMs: DAY_MS, steps: 7, suffix: 'T00:00:00Z' },
  hourly: { stepMs: HOUR_MS, steps: 24, suffix: ':00:00Z' },
} as const;

/** Told apart without colours too. */
const PARTS = [
  { counter: 'completed', mark: '█', color: 'green' },
  { counter: 'failed', mark: '▓', color: 'red' },
  { counter: 'expired', mark: '░', color: 'yellow' },
] as const;
const WIDEST_BAR = 40;
const NARROWEST_BAR = 8;

interface Step {
  readonly at: number;
  readonly counters: Counters;
}

/** Oldest first, the last one is running. Rows from before are not shown. */
export function stepsOf({ period, rows }: StatsAnswer, now: number): Step[] {
  const { stepMs, steps, suffix } = PERIODS[period];
  const known = new Map(
    rows.map(({ start, counters }) => [Date.parse(`${start}${suffix}`), counters]),
  );
  // The server's clock may be ahead: what it counted already is not left out.
  const last = Math.max(Math.floor(now / stepMs) * stepMs, ...known.keys());
  return Array.from({ length: steps }, (_, index) => {
    const at = last - (steps - 1 - index) * stepMs;
    return { at, counters: known.get(at) ?? {} };
  });
}

const valueOf = (counters: Counters, name: string) => counters[name] ?? 0;
const two = (value: number) => String(value).padStart(2, '0');
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

function labelsOf(period: StatsAnswer['period'], steps: readonly Step[]): string[] {
  if (period === 'daily') {
    // These days are UTC's: read in another zone they would be the days before or after.
    return steps.map(({ at }) => {
      const day = new Date(at);
      return `${WEEKDAYS[day.getUTCDay()]} ${two(day.getUTCMonth() + 1)}-${two(day.getUTCDate())}`;
    });
  }
  let shown = '';
  return steps.map(({ at }) => {
    const hour = new Date(at);
    const date = `${two(hour.getMonth() + 1)}-${two(hour.getDate())}`;
    const time = `${two(hour.getHours())}:${two(hour.getMinutes())}`;
    const label = `${date === shown ? '     ' : date} ${time}`;
    shown = date;
    return label;
  });
}

/** Nothing that happened is drawn as nothing. */
export function barOf(counters: Counters, most: number, width: number, paint: Paint): string {
  let drawn = '';
  let length = 0;
  for (const { counter, mark, color } of PARTS) {
    const value = valueOf(counters, counter);
    if (value === 0) continue;
    const cells = Math.max(1, Math.round((value / most) * width));
    drawn += paint(color, mark.repeat(cells));
    length += cells;
  }
  const over = Math.max(width + PARTS.length, length);
  return `${drawn}${' '.repeat(over - length)}`;
}

function average(counters: Counters, sum: string, count: number): string {
  return count === 0 ? '–' : duration(valueOf(counters, sum) / count / 1000);
}

function cellsOf(counters: Counters, withCost: boolean): string[] {
  const done = valueOf(counters, 'completed') + valueOf(counters, 'failed');
  return [
    ...['handed_out', 'completed', 'failed', 'expired', 'dead'].map((name) =>
      String(valueOf(counters, name)),
    ),
    average(counters, 'waited_ms', valueOf(counters, 'handed_out')),
    average(counters, 'worked_ms', done),
    ...(withCost ? [costCell(counters)] : []),
  ];
}

function totalOf(steps: readonly Step[]): Counters {
  const total: Record<string, number> = {};
  for (const { counters } of steps) {
    for (const [name, value] of Object.entries(counters)) total[name] = (total[name] ?? 0) + value;
  }
  return total;
}

const HEAD = ['OUT', 'DONE', 'FAILED', 'EXPIRED', 'DEAD', 'WAITED', 'WORKED'];

function zoneNote(period: StatsAnswer['period'], now: number): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (period === 'hourly') return `Hours are in your time zone, ${zone}.`;
  const midnight = new Date(Math.floor(now / DAY_MS) * DAY_MS);
  const here = `${two(midnight.getHours())}:${two(midnight.getMinutes())}`;
  return here === '00:00' ? 'Days are UTC.' : `Days are UTC: they begin at ${here} in ${zone}.`;
}

/** Null: nothing happened in the time that is shown. */
export function statsChart(
  stats: StatsAnswer,
  { now, columns, paint }: { now: number; columns: number; paint: Paint },
): string[] | null {
  const steps = stepsOf(stats, now);
  const ended = ({ counters }: Step) =>
    PARTS.reduce((sum, { counter }) => sum + valueOf(counters, counter), 0);
  const total = totalOf(steps);
  if (Object.values(total).every((value) => value === 0)) return null;
  const withCost = hasCost(total);
  const heads = withCost ? [...HEAD, 'COST'] : HEAD;
  const rows = [...steps.map(({ counters }) => counters), total].map((each) =>
    cellsOf(each, withCost),
  );
  const labels = [...labelsOf(stats.period, steps), 'total'];
  const widths = heads.map((head, index) =>
    Math.max(head.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const fixed = labelWidth + 2 + widths.reduce((sum, width) => sum + width + 2, 0);
  const room = columns - fixed - PARTS.length;
  const barWidth = room < NARROWEST_BAR ? 0 : Math.min(WIDEST_BAR, room);
  const most = Math.max(1, ...steps.map(ended));
  const line = (label: string, bar: string, cells: readonly string[]) =>
    [
      `${label.padEnd(labelWidth)}  `,
      barWidth === 0 ? '' : bar,
      ...cells.map((cell, index) => `  ${cell.padStart(widths[index] ?? 0)}`),
    ]
      .join('')
      .trimEnd();
  const blank = ' '.repeat(barWidth + PARTS.length);
  const legend = PARTS.map(({ counter, mark, color }) => `${paint(color, mark)} ${counter}`);
  return [
    paint('bold', line('', blank, heads)),
    ...steps.map((step, index) =>
      line(labels[index] ?? '', barOf(step.counters, most, barWidth, paint), rows[index] ?? []),
    ),
    paint('bold', line('total', blank, rows.at(-1) ?? [])),
    '',
    ...(barWidth === 0 ? [] : [legend.join('   ')]),
    paint('dim', 'WAITED and WORKED are averages of one task.'),
    paint('dim', zoneNote(stats.period, now)),
    ...usageTables(total, { columns, paint }),
  ];
}
