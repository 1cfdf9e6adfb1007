import { expect, test } from 'vitest';
import { leasedTask } from '../../../test/support/api-answers.ts';
import type { ListedTaskAnswer } from '../schema/task.ts';
import { runCommandLine } from './program.ts';
import type { Shell } from './shell.ts';
import { width } from './text.ts';

async function listed(columns: number, tasks: readonly ListedTaskAnswer[]): Promise<string[]> {
  let written = '';
  const write = (text: string) => {
    written += text;
  };
  const shell = {
    stdout: { isTTY: true, columns, rows: 24, write },
    stderr: { write },
    color: false,
    version: '1.2.3',
    now: () => Date.parse('2026-11-15T20:01:00.000Z'),
    session: () => ({ client: { tasks: async () => ({ tasks, next_cursor: null }) } }),
  } as unknown as Shell;
  expect(await runCommandLine(['tasks'], shell)).toBe(0);
  return written.trimEnd().split('\n');
}

const LONG = '長い題名がここにあります、とても長い題名が'.repeat(4);

test('a long title leaves room for what is said about the task', async () => {
  const [head = '', row = ''] = await listed(120, [leasedTask({ title: LONG })]);
  expect(head).toMatch(/^TASK +STATE +PRIORITY +TITLE$/);
  expect(row).toMatch(/長い題名.*…  a1, lease ends in 9 min$/);
});

test.each([20, 40, 60, 80])(
  'on %d columns no line is wider, whatever the title',
  async (columns) => {
    const titles = [LONG, '', 'Fix\u001b[2J\nlogin\u202e', '👩‍👩‍👧'.repeat(60)];
    const lines = await listed(
      columns,
      titles.map((title) => leasedTask({ title })),
    );
    expect(lines).toHaveLength(5);
    expect(Math.max(...lines.map(width))).toBeLessThanOrEqual(columns);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e]/u);
  },
);
