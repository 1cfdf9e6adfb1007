// A backlog of any size for the benchmarks: realistic label sets, three priorities, no forge behind it.

import type { Forge } from '../src/core/forge.ts';
import type { Issue } from '../src/core/issue.ts';
import { planIssue } from '../src/core/plan/plan.ts';
import { DEFAULT_POLICY } from '../src/core/settings.ts';
import type { MirrorEntry } from '../src/core/store.ts';

export const REPOSITORY = 'bench/shop';
/** An agent of the benchmarks can do everything by name: every bucket suits it, in some order. */
export const CAPABILITIES = [
  'python',
  'docs',
  'web',
  'css',
  'rust',
  'go',
  'java',
  'sql',
  'ops',
  'bug',
  'ux',
  'api',
];
const PRIORITY_LABELS = ['priority:high', 'priority:low'];
const BODY = '## Deliverables\n\n- something that works\n';

/** Twelve labels, one to three on an issue, a third of the issues with a priority: some 190 buckets. */
function labelsOf(number: number): string[] {
  const labels = [
    CAPABILITIES[number % 12],
    CAPABILITIES[(number >> 3) % 12],
    CAPABILITIES[(number >> 6) % 12],
  ];
  const priority = PRIORITY_LABELS[number % 6];
  const chosen = labels.slice(0, 1 + (number % 3)).filter((label) => label !== undefined);
  return [...new Set(priority === undefined ? chosen : [...chosen, priority])];
}

export function benchIssue(number: number): Issue {
  return {
    subject: 'issue',
    repository: REPOSITORY,
    number,
    title: `Issue ${number}`,
    body: BODY,
    url: `https://example.invalid/${number}`,
    labels: labelsOf(number),
    state: 'open',
    author: null,
    createdAt: 0,
    updatedAt: Date.now(),
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
  };
}

export function benchEntry(number: number): MirrorEntry {
  return planIssue(benchIssue(number), null, {
    policy: DEFAULT_POLICY,
    hasPullRequests: false,
    defaultBranch: 'main',
    isOpen: () => false,
    listed: true,
    agents: new Set<string>(),
    now: Date.now(),
  });
}

/** Takes every write at once: what is measured is Banto, not git. */
export function createIdleForge(): Forge {
  return {
    kind: 'local',
    repositories: [REPOSITORY],
    hasPullRequests: false,
    list: async function* () {},
    changes: async (repository) => ({ change: { repository, issues: [], gone: [] }, cursor: null }),
    watch: () => async () => undefined,
    read: async (_repository, number) => benchIssue(number),
    hasBranch: async () => false,
    createBranch: async () => 'created',
    setLabels: async () => undefined,
    comment: async () => undefined,
    check: async () => undefined,
    defaultBranch: async () => 'main',
    close: async () => undefined,
  };
}
