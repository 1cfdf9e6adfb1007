import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Shell } from '../shell.ts';
import { createWorkView } from './work-view.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function open(isTTY: boolean) {
  let out = '';
  const stdout = { isTTY, columns: 60, write: (text: string) => (out += text) };
  const shell = { stdout, color: false, now: () => Date.now() } as unknown as Shell;
  return { view: createWorkView(shell), text: () => out };
}

const took = {
  type: 'took',
  agentId: 'w1',
  taskId: 'shop~7~fix.1',
  title: 'T\u001b[2J',
  attempt: 2,
  log: '',
} as const;
const note = (text: string) =>
  ({ type: 'note', agentId: 'w1', taskId: 'shop~7~fix.1', text }) as const;

it('writes plain lines where there is no terminal, and not every word of the tool', () => {
  const { view, text } = open(false);
  view.tell({ type: 'waiting', agentId: 'w1' });
  view.tell(took);
  view.tell(note('one'));
  vi.advanceTimersByTime(16_000);
  view.tell(note('two'));
  view.tell(note('three'));
  view.tell({
    type: 'ended',
    agentId: 'w1',
    taskId: 'shop~7~fix.1',
    how: 'completed',
    text: 'Fixed\nit',
  });
  view.close();
  expect(text().replaceAll(/^\d\d:\d\d:\d\d /gm, '')).toBe(
    'Waiting for tasks; Ctrl-C ends it.\nw1 took shop~7~fix.1 (attempt 2): T\nw1 shop~7~fix.1: two\nw1 completed shop~7~fix.1: Fixed it\n',
  );
});

it('keeps one live line for each task on a terminal', () => {
  const { view, text } = open(true);
  view.tell(took);
  view.tell(note('Bash: npm test'));
  vi.advanceTimersByTime(3000);
  expect(text()).toMatch(/\u001b\[1A\u001b\[2Kw1 {2}shop~7~fix\.1 {2}3 s {2}Bash: npm test\n$/);
  view.close();
  expect(text()).toMatch(/\u001b\[1A\u001b\[2K$/);
});

it('says once that the server is away', () => {
  const { view, text } = open(false);
  for (let turn = 0; turn < 3; turn += 1) view.tell({ type: 'away', agentId: 'w1', text: 'away' });
  view.close();
  expect(text().match(/away/g)).toHaveLength(1);
});
