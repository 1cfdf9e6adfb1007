import { expect, test } from 'vitest';
import { detailAnswer, leasedTask } from '../../../../test/support/api-answers.ts';
import type { ListedTaskAnswer } from '../../schema/task.ts';
import { runCommandLine } from '../program.ts';
import type { Shell } from '../shell.ts';
import { width } from '../terminal/text.ts';

async function run(columns: number, args: readonly string[], client: object): Promise<string[]> {
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
    session: () => ({ client }),
  } as unknown as Shell;
  expect(await runCommandLine([...args], shell)).toBe(0);
  return written.trimEnd().split('\n');
}

const listed = (columns: number, tasks: readonly ListedTaskAnswer[]) =>
  run(columns, ['tasks'], { tasks: async () => ({ tasks, next_cursor: null }) });

test('the history of a task says in words what an attempt used', async () => {
  const usage = { input_tokens: 4920, output_tokens: 200, cached_tokens: 800, turns: 4 };
  const renewed = {
    seq: 3,
    at: '2026-11-15T20:00:00.000Z',
    type: 'renewed',
    state: 'leased',
    usage: { model: 'large', ...usage, cost_usd: 0.0157 },
  } as const;
  const task = detailAnswer({ history: [renewed] });
  const lines = await run(200, ['show', task.task_id], { task: async () => task });
  expect(lines.join('\n')).toMatch(
    /renewed +leased +used \$0\.02, 4920 tokens read, 200 written, 4 turns$/m,
  );
});

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
