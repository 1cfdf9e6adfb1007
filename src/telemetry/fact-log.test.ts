import { expect, test } from 'vitest';
import type { Fact } from '../core/facts.ts';
import { createTelemetry } from './telemetry.ts';

const taskId = 'octo~shop~7~implement.1';
const leased: Fact = {
  seq: 1,
  at: 1000,
  type: 'leased',
  taskId,
  state: 'leased',
  agentId: 'a1',
  fence: 1,
  expiresAt: 2000,
  attempt: 2,
  requestId: null,
  waitedMs: 5,
};
const completed: Fact = {
  seq: 2,
  at: 1500,
  type: 'completed',
  taskId,
  state: 'done',
  agentId: 'a1',
  fence: 1,
  summary: null,
  verdict: null,
  prNumber: null,
  workedMs: 500,
};

function linesOf(facts: readonly Fact[], leads: boolean): Record<string, unknown>[] {
  const lines: string[] = [];
  const telemetry = createTelemetry({ level: 'info', write: (line) => lines.push(line) });
  telemetry.takeFacts(facts, leads);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('each step of a task is a line with its task, agent, repository and attempt', () => {
  const about = { task_id: taskId, agent_id: 'a1', repository: 'octo/shop', issue: 7, attempt: 2 };
  expect(linesOf([leased, completed], true)).toMatchObject([
    { ...about, event: 'leased', msg: 'task handed out' },
    { ...about, event: 'completed', msg: 'task completed' },
  ]);
});

test('an instance that does not lead writes nothing: the leader does', () => {
  expect(linesOf([leased, completed], false)).toEqual([]);
});
