// Issues, tasks and contexts for tests of the plan, and its outcome in short.

import type { Issue, StoredIssue } from '../../src/core/issue.ts';
import { planIssue } from '../../src/core/plan/plan.ts';
import type { PlanContext } from '../../src/core/plan/plan-gate.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import type { MirroredIssue } from '../../src/core/store.ts';
import { parseTaskId, type Task, type TaskState } from '../../src/core/task.ts';

export const NOW = 1_800_000_000_000;
export const DELIVERABLES = '## Deliverables\n\n- a thing\n';

export const issue = (over: Partial<Issue> = {}): Issue => ({
  subject: 'issue',
  repository: 'o/r',
  number: 7,
  title: 'A title',
  body: DELIVERABLES,
  url: 'https://example.invalid/7',
  labels: ['python'],
  state: 'open',
  author: null,
  createdAt: NOW - 1000,
  updatedAt: NOW,
  priority: null,
  blockedBy: [],
  pull: null,
  problem: null,
  ...over,
});

export const context = (over: Partial<PlanContext> = {}): PlanContext => ({
  policy: DEFAULT_POLICY,
  hasPullRequests: false,
  defaultBranch: 'main',
  isOpen: () => false,
  listed: true,
  agents: new Set<string>(),
  now: NOW,
  ...over,
});

export function task(id: string, state: TaskState, over: Partial<Task> = {}): Task {
  const name = parseTaskId(id);
  if (name === null) throw new Error(id);
  return {
    ...name,
    id,
    state,
    reason: null,
    priority: 50,
    attempts: 0,
    fence: 0,
    enqueuedAt: NOW,
    readyAt: null,
    lease: null,
    authors: [],
    onlyAgent: null,
    opensAt: null,
    branch: 'feature/issue-7',
    prNumber: null,
    reviewComments: [],
    result: null,
    used: null,
    limits: null,
    questions: [],
    createdAt: NOW,
    updatedAt: NOW,
    endedAt: null,
    ...over,
  };
}

export function known(
  stored: Partial<StoredIssue>,
  tasks: Task[],
  matchLabels: readonly string[] = [],
): MirroredIssue {
  const base = { wanted: [], written: [], writtenAt: null, seenAt: NOW };
  return { issue: { ...issue(), ...base, ...stored }, matchLabels, tasks };
}

/** Task id (without the issue) → what is wanted, in short. */
export function wants(
  given: Issue,
  before: MirroredIssue | null = null,
  over: Partial<PlanContext> = {},
): Record<string, string> {
  const { plans } = planIssue(given, before, context(over));
  return Object.fromEntries(
    plans.map(({ id, want }) => [
      id.replace('o~r~7~', ''),
      'reason' in want ? `${want.state}: ${want.reason}` : want.state,
    ]),
  );
}
