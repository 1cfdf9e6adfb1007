import { describe, expect, it } from 'vitest';
import {
  enqueuedAtOfScore,
  nextEnqueueAt,
  priorityName,
  priorityOf,
  priorityOfScore,
  SCORES,
  score,
} from './priority.ts';
import { DEFAULT_POLICY } from './settings.ts';

describe('priority', () => {
  it.each<[number, string]>([
    [100, 'high'],
    [99, 'normal'],
    [50, 'normal'],
    [49, 'low'],
    [0, 'low'],
  ])('%i is called %s', (priority, name) => {
    expect(priorityName(priority)).toBe(name);
  });

  it.each<[string[], number]>([
    [['priority:high'], 100],
    [['priority:critical'], 100],
    [['Priority:Urgent'], 100],
    [['p0'], 100],
    [['P1'], 100],
    [['priority:normal'], 50],
    [['priority:medium', 'P3'], 50],
    [['P2', 'p4'], 50],
    [['P1', 'P2'], 100],
    [['priority:low'], 25],
    [['P3'], 25],
    [['p4'], 25],
    [['python'], 50],
    [[], 50],
  ])('of the labels %j is %i', (labels, priority) => {
    expect(priorityOf(labels, DEFAULT_POLICY.priorityLabels)).toBe(priority);
  });

  it('decides before age, and age decides within it', () => {
    const at = Date.UTC(2026, 10, 15);
    const inOrder = [score(100, at + 9e9), score(50, at), score(50, at + 1), score(25, at)];
    expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
    expect(score(0, at + 1) - score(0, at)).toBe(1);
    expect([nextEnqueueAt(5, 4), nextEnqueueAt(5, 5), nextEnqueueAt(5, 9)]).toEqual([5, 6, 10]);
  });

  it.each([100, 99, 75, 51, 50, 49, 25, 0])('%i and the instant can be read from a score', (n) => {
    for (const at of [0, 1, Date.UTC(2026, 10, 15), 9_999_999_999_999]) {
      const value = score(n, at);
      expect([priorityOfScore(value), enqueuedAtOfScore(value)]).toEqual([n, at]);
      expect(Math.floor(value / SCORES.step)).toBe(100 - n);
      const queue = value < SCORES.high ? 'high' : value < SCORES.normal ? 'normal' : 'low';
      expect(queue).toBe(priorityName(n));
    }
  });
});
