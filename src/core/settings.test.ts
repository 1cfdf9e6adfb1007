import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY, type Policy, policyProblem } from './settings.ts';

describe('a setting', () => {
  const long = (length: number) => '😀'.repeat(length);
  const many = (length: number) => Array.from({ length }, (_, n) => `l${n}`);
  const lists = { high: ['a'], normal: [], low: [] };
  it.each<[keyof Policy, unknown, boolean]>([
    ['leaseSeconds', 600, true],
    ['leaseSeconds', 600.5, false],
    ['leaseSeconds', '600', false],
    ['maxAttempts', 0, false],
    ['maxAttempts', 1, true],
    ['maxAttempts', 100, true],
    ['maxAttempts', 101, false],
    ['maxReviewRounds', 99, true],
    ['maxReviewRounds', 100, false],
    ['maxReviewRounds', 0, false],
    ['reviewDelaySeconds', 0, true],
    ['reviewDelaySeconds', -1, false],
    ['reviewDelaySeconds', 2_592_000, true],
    ['reviewDelaySeconds', 2_592_001, false],
    ['ticketTtlSeconds', 0, false],
    ['ticketTtlSeconds', 86_400, true],
    ['ticketTtlSeconds', 86_401, false],
    ['authorFirstSeconds', 604_800, true],
    ['authorFirstSeconds', 604_801, false],
    ['adoptSeconds', 0, true],
    ['adoptSeconds', 2_592_001, false],
    ['maxWaiting', 0, false],
    ['maxWaiting', 1_000_001, false],
    ['maxWaitingPerAgent', 1000, true],
    ['maxWaitingPerAgent', 1001, false],
    ['historyDays', 3650, true],
    ['historyDays', 3651, false],
    ['historyDays', 0, false],
    ['askSeconds', 59, false],
    ['askSeconds', 60, true],
    ['askSeconds', 2_592_001, false],
    ['requireDeliverables', false, true],
    ['requireDeliverables', 'false', false],
    ['requireDeliverables', null, false],
    ['excludedLabels', [], true],
    ['excludedLabels', ['a', 'b'], true],
    ['excludedLabels', ['a', 'a'], false],
    ['excludedLabels', ['a\nb'], false],
    ['excludedLabels', [''], false],
    ['excludedLabels', [1], false],
    ['excludedLabels', 'a', false],
    ['excludedLabels', { length: 1 }, false],
    ['excludedLabels', [long(50)], true],
    ['excludedLabels', [long(51)], false],
    ['excludedLabels', many(100), true],
    ['excludedLabels', many(101), false],
    ['deliverablesHeadings', [], false],
    ['deliverablesHeadings', [long(100)], true],
    ['deliverablesHeadings', [long(101)], false],
    ['deliverablesHeadings', many(101), false],
    ['priorityLabels', lists, true],
    ['priorityLabels', { ...lists, urgent: [] }, false],
    ['priorityLabels', { high: [], low: [] }, false],
    ['priorityLabels', { ...lists, low: [''] }, false],
    ['priorityLabels', null, false],
    ['priorityLabels', 'high', false],
    ['maxCostPerTaskUsd', null, true],
    ['maxCostPerTaskUsd', 0.01, true],
    ['maxCostPerTaskUsd', 0.009, false],
    ['maxCostPerTaskUsd', 1_000_000, true],
    ['maxCostPerTaskUsd', 1_000_000.5, false],
    ['maxCostPerTaskUsd', '1', false],
    ['maxTokensPerTask', 1, true],
    ['maxTokensPerTask', 1.5, false],
    ['maxTokensPerTask', 0, false],
    ['maxTokensPerTask', 1_000_000_000_001, false],
    ['maxCostPerDayUsd', 0, false],
    ['maxCostPerDayUsd', 1_000_001, false],
    ['maxCostPerAgentDayUsd', 0, false],
    ['maxCostPerAgentDayUsd', 1_000_001, false],
  ])('%s may be %j: %s', (key, value, may) => {
    const problem = policyProblem(key, value);
    if (may) expect(problem).toBeNull();
    else expect(problem).toMatch(/^must be /);
  });

  it('of the start is a good one', () => {
    for (const [key, value] of Object.entries(DEFAULT_POLICY)) {
      expect([key, policyProblem(key as keyof Policy, value)]).toEqual([key, null]);
    }
    expect(DEFAULT_POLICY.requireDeliverables).toBe(true);
    expect(DEFAULT_POLICY.deliverablesHeadings).toEqual([
      '成果物',
      'Deliverables',
      'Acceptance criteria',
    ]);
    expect(DEFAULT_POLICY.excludedLabels).toEqual([
      'epic',
      'story',
      'blocked',
      'wontfix',
      'needs-human',
    ]);
  });
});
