import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../settings.ts';
import type { TaskName } from '../task.ts';
import { outcomeOf, reviewAfter } from './follow-up.ts';

const name = (kind: TaskName['kind'], round = 1): TaskName => ({
  repository: 'o/r',
  number: 7,
  kind,
  round,
});

describe('outcomeOf', () => {
  it('follows an implement task with a delayed review and the label needs-review', () => {
    const { followUp, ledger } = outcomeOf(name('implement'), null, [], DEFAULT_POLICY, true);
    expect(followUp).toMatchObject({
      id: 'o~r~7~review.1',
      state: 'delayed',
      reason: 'review_delay',
      delayMs: 300_000,
    });
    expect(ledger).toEqual(['needs-review']);
  });

  it('holds the review while a forge with pull requests shows none', () => {
    const { followUp } = outcomeOf(name('implement'), null, [], DEFAULT_POLICY, false);
    expect(followUp).toMatchObject({ state: 'held', reason: 'no_pull_request' });
  });

  it('ends with the label approved when the review approves', () => {
    expect(outcomeOf(name('review'), 'approve', [], DEFAULT_POLICY, true)).toEqual({
      followUp: null,
      ledger: ['approved'],
    });
  });

  it('makes a fix of high priority, for its author first, when the review asks for changes', () => {
    const { followUp, ledger } = outcomeOf(
      name('review'),
      'request_changes',
      ['x'],
      DEFAULT_POLICY,
      true,
    );
    expect(followUp).toMatchObject({
      id: 'o~r~7~fix.1',
      state: 'ready',
      reason: null,
      priority: 100,
      authorFirstMs: 120_000,
      reviewComments: ['x'],
    });
    expect(ledger).toEqual([]);
  });

  it('reviews the fix in the next round', () => {
    const { followUp } = outcomeOf(name('fix', 2), null, [], DEFAULT_POLICY, true);
    expect(followUp?.id).toBe('o~r~7~review.3');
  });

  it.each([3, 103])('asks for a person after the last round of a life (round %i)', (round) => {
    const outcome = outcomeOf(name('review', round), 'request_changes', [], DEFAULT_POLICY, true);
    expect(outcome.followUp).toMatchObject({ state: 'dead', reason: 'too_many_review_rounds' });
    expect(outcome.ledger).toEqual(['needs-human']);
  });
});

it.each<[TaskName, string | null]>([
  [name('implement'), 'o~r~7~review.1'],
  [name('fix', 2), 'o~r~7~review.3'],
  [name('review'), null],
])('%j is reviewed by %s', (finished, review) => {
  expect(reviewAfter(finished)).toBe(review);
});
