// Who watches Banto must not be wrong itself: what the store loses is no proof against an answer.

import { expect, it } from 'vitest';
import type { Assignment } from '../../../src/broker/broker.ts';
import type { Fact } from '../../../src/core/facts.ts';
import { createAnswers } from './answers.ts';
import { createLeases } from './leases.ts';

const taskId = 'octo~park~7~implement.1';
const leased = (agentId: string, fence: number, at: number) =>
  ({ seq: fence, type: 'leased', at, taskId, fence, agentId, expiresAt: at + 60_000 }) as Fact;
const given = (agentId: string, fence: number, at: number) =>
  ({ task: { id: taskId }, lease: { agentId, fence, expiresAt: at + 60_000 } }) as Assignment;

/** Two get the task, one after the other; then the store forgets the second. What the first answer to it proves. */
function afterLoss(secondAt: number): string[] {
  const found: string[] = [];
  const leases = createLeases((rule) => found.push(rule));
  const answers = createAnswers(
    leases,
    () => secondAt,
    (rule) => found.push(rule),
  );
  leases.take([leased('a1', 1, 1000)]);
  answers.heard('a1', given('a1', 1, 1000));
  const goBack = leases.keep();
  leases.take([leased('a2', 2, secondAt)]);
  goBack();
  answers.lost();
  answers.heard('a2', given('a2', 2, secondAt));
  return found;
}

it('a lease that had run out before the loss is no rival of the next one', () => {
  expect(afterLoss(70_000)).toEqual([]);
});

it('a lease that had not is', () => {
  expect(afterLoss(2000)).toEqual(['exclusive']);
});
