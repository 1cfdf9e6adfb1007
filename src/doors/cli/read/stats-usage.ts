// What models and agents used in the time that is shown: cost and tokens, the most expensive first.

import { usdOf } from '../../../core/usage.ts';
import type { Paint } from '../shell.ts';
import { cut } from '../terminal/text.ts';

const WIDEST_BAR = 20;
const NARROWEST_BAR = 8;
const MOST_ROWS = 10;
const WIDEST_NAME = 32;
const NOT_SAID = 'not said';
const HEAD = ['COST', 'TOKENS READ', 'WRITTEN'];

export type Counters = Readonly<Record<string, number>>;

interface Used {
  readonly name: string;
  readonly cost: number;
  readonly read: number;
  readonly written: number;
}

const dollars = (micros: number) => `$${usdOf(micros).toFixed(2)}`;
const whole = new Intl.NumberFormat('en-US');

export function hasCost(counters: Counters): boolean {
  return (counters['cost_micro_usd'] ?? 0) > 0;
}

export function costCell(counters: Counters): string {
  return hasCost(counters) ? dollars(counters['cost_micro_usd'] ?? 0) : '–';
}

function usedOf(name: string, head: string, counters: Counters): Used {
  const value = (counter: string) => counters[`${head}${counter}`] ?? 0;
  return {
    name,
    cost: value('cost_micro_usd'),
    read: value('input_tokens'),
    written: value('output_tokens'),
  };
}

/** `agent:{id}:…` or `model:{name}:…`; the name of a model may have colons of its own. */
function rowsOf(kind: 'agent' | 'model', total: Counters): Used[] {
  const names = new Set(
    Object.keys(total)
      .filter((counter) => counter.startsWith(`${kind}:`))
      .map((counter) => counter.slice(kind.length + 1, counter.lastIndexOf(':'))),
  );
  // Hours are counted in all only.
  if (names.size === 0) return [];
  const rows = [...names].map((name) => usedOf(name, `${kind}:${name}:`, total));
  const all = usedOf(NOT_SAID, '', total);
  const without = (key: 'cost' | 'read' | 'written') =>
    rows.reduce((rest, row) => rest - row[key], all[key]);
  const rest = {
    name: NOT_SAID,
    cost: without('cost'),
    read: without('read'),
    written: without('written'),
  };
  return [...rows, rest]
    .filter(({ cost, read, written }) => cost + read + written > 0)
    .toSorted((a, b) => b.cost - a.cost || b.read - a.read || (a.name < b.name ? -1 : 1));
}

function table(
  title: string,
  rows: readonly Used[],
  { columns, paint }: { columns: number; paint: Paint },
): string[] {
  if (rows.length === 0) return [];
  const shown = rows
    .slice(0, MOST_ROWS)
    .map((row) => ({ ...row, name: cut(row.name, WIDEST_NAME) }));
  const cells = shown.map(({ cost, read, written }) => [
    cost === 0 ? '–' : dollars(cost),
    whole.format(read),
    whole.format(written),
  ]);
  const widths = HEAD.map((head, index) =>
    Math.max(head.length, ...cells.map((row) => (row[index] ?? '').length)),
  );
  const nameWidth = Math.max(title.length, ...shown.map(({ name }) => name.length));
  const room = columns - nameWidth - 2 - widths.reduce((sum, width) => sum + width + 2, 0);
  const barWidth = room < NARROWEST_BAR ? 0 : Math.min(WIDEST_BAR, room);
  // Where nobody said a cost, tokens are compared.
  const size = ({ cost, read }: Used) => (rows.some((row) => row.cost > 0) ? cost : read);
  const most = Math.max(1, ...shown.map(size));
  const bar = (used: Used) =>
    '█'.repeat(size(used) === 0 ? 0 : Math.max(1, Math.round((size(used) / most) * barWidth)));
  const line = (name: string, drawn: string, row: readonly string[]) =>
    [
      `${name.padEnd(nameWidth)}  `,
      barWidth === 0 ? '' : drawn.padEnd(barWidth),
      ...row.map((cell, index) => `  ${cell.padStart(widths[index] ?? 0)}`),
    ].join('');
  return [
    '',
    paint('bold', line(title, '', HEAD)),
    ...shown.map((used, index) => line(used.name, bar(used), cells[index] ?? [])),
    ...(rows.length > MOST_ROWS ? [`and ${rows.length - MOST_ROWS} more (--json)`] : []),
  ];
}

export function usageTables(total: Counters, place: { columns: number; paint: Paint }): string[] {
  return [
    ...table('By model', rowsOf('model', total), place),
    ...table('By agent', rowsOf('agent', total), place),
  ];
}
