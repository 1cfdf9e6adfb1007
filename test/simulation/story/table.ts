// The report of a run: every fault of the table with how often it happened, and what else happened.

import type { RunResult } from '../run.ts';
import { FAULTS } from '../world/faults.ts';

function rows(lines: readonly (readonly [string, string, string])[]): string {
  const width = (at: 0 | 1 | 2) => Math.max(...lines.map((line) => line[at].length));
  const [a, b, c] = [width(0), width(1), width(2)];
  return lines
    .map(([name, many, what]) => `| ${name.padEnd(a)} | ${many.padStart(b)} | ${what.padEnd(c)} |`)
    .join('\n');
}

const many = (count: number | undefined) => (count ?? 0).toLocaleString('en-US');

export function faultTable({ counts }: Pick<RunResult, 'counts'>): string {
  const named = new Set(FAULTS.map(({ name }) => name));
  const others = [...counts]
    .filter(([name]) => !named.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    rows([
      ['fault', 'times', 'what happens'],
      ...FAULTS.map(({ name, what }) => [name, many(counts.get(name)), what] as const),
    ]),
    '',
    rows([
      ['and', 'times', ''],
      ...others.map(([name, times]) => [name, many(times), ''] as const),
    ]),
  ].join('\n');
}
