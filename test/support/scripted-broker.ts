// A broker that answers what a test tells it to and remembers what it was asked: for tests of the
// doors, which only translate. What a broker really does is tested with the real one.

import type { Assignment, Broker } from '../../src/broker/broker.ts';
import { because } from '../../src/core/because.ts';
import type { Fact } from '../../src/core/facts.ts';
import type { Issue, StoredIssue } from '../../src/core/issue.ts';
import { createActivity } from '../../src/core/reporting/activity.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import type { Attempt, Lease, Task } from '../../src/core/task.ts';
import type { Token } from '../../src/core/token.ts';

export const AT = Date.UTC(2026, 10, 15, 20, 17);
export const TASK_ID = 'octo~shop~7~implement.1';

const lease: Lease = {
  agentId: 'agent-1',
  token: 'secret-lease-token',
  fence: 41,
  seconds: 600,
  leasedAt: AT,
  expiresAt: AT + 600_000,
  requestId: 'secret-request-id',
};

export const task: Task = {
  id: TASK_ID,
  repository: 'octo/shop',
  number: 7,
  kind: 'implement',
  round: 1,
  state: 'leased',
  reason: null,
  priority: 100,
  attempts: 1,
  fence: 41,
  enqueuedAt: AT,
  readyAt: null,
  lease,
  authors: [],
  onlyAgent: null,
  opensAt: null,
  branch: 'feature/issue-7',
  prNumber: null,
  reviewComments: [],
  result: { agentId: 'agent-0', summary: 'half', verdict: null, comments: ['why?'], at: AT },
  used: { inputTokens: 900, outputTokens: 100, cachedTokens: 0, costMicroUsd: 1_500_000, turns: 3 },
  limits: { costUsd: 5, tokens: null },
  questions: [
    {
      id: 'q1',
      agentId: 'agent-1',
      fence: 41,
      question: 'Which port?',
      askedAt: AT,
      answer: null,
      answeredAt: null,
    },
  ],
  createdAt: AT,
  updatedAt: AT,
  endedAt: null,
};

const issue: Issue = {
  subject: 'issue',
  repository: 'octo/shop',
  number: 7,
  title: 'Keep the session 🍵',
  body: '## Deliverables\n<script>alert(1)</script>',
  url: 'https://example.test/octo/shop/issues/7',
  labels: ['backend', '優先'],
  state: 'open',
  author: 'mona',
  createdAt: AT,
  updatedAt: AT,
  priority: null,
  blockedBy: [],
  pull: null,
  problem: null,
};

const stored: StoredIssue = { ...issue, wanted: [], written: [], writtenAt: null, seenAt: AT };

const token: Token = {
  id: '0123456789ab',
  scope: 'agent',
  agentId: 'agent-1',
  note: 'laptop',
  createdAt: AT,
};

const attempt: Attempt = {
  agentId: 'agent-0',
  fence: 40,
  branch: 'feature/issue-7',
  startedAt: AT,
  endedAt: AT + 1000,
  outcome: 'failed',
  note: 'did not compile',
  progress: ['read the code'],
  usage: {
    model: 'm-1',
    inputTokens: 900,
    outputTokens: 100,
    cachedTokens: null,
    costUsd: 1.5,
    turns: 3,
    sessionId: 's-1',
  },
};

export const assignment: Assignment = {
  task,
  issue,
  lease,
  handoff: [attempt],
  prompt: 'Do it.',
  ledger: 'written',
};

export function leasedFact(seq: number): Fact {
  return {
    seq,
    at: AT + seq,
    type: 'leased',
    taskId: TASK_ID,
    state: 'leased',
    agentId: 'agent-1',
    fence: 41,
    expiresAt: AT + 600_000,
    attempt: 1,
    requestId: 'secret-request-id',
    waitedMs: 5,
  };
}

export interface ScriptedBroker extends Broker {
  /** Verbs that were called, with their arguments; reads of identity are left out. */
  readonly calls: [verb: string, ...args: unknown[]][];
  /** Replaces the answer of a verb. */
  script<V extends keyof Broker>(verb: V, answer: Broker[V]): void;
  /** Appends facts as the store would, and hints at them. */
  happen(facts: readonly Fact[]): void;
  /** How many are subscribed to facts now. */
  subscribers(): number;
}

const SILENT = new Set([
  'hasBacklog',
  'answered',
  'budget',
  'budgetHistory',
  'whoIs',
  'subscribe',
  'events',
  'lastSeq',
]);

export function createScriptedBroker(): ScriptedBroker {
  const calls: [string, ...unknown[]][] = [];
  const facts: Fact[] = [];
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  const agent = {
    agentId: 'agent-1',
    capabilities: ['backend'],
    firstSeenAt: AT,
    lastSeenAt: AT,
    holds: [TASK_ID],
    waiting: false,
    status: 'active' as const,
  };
  const verbs: Broker = {
    requestTask: async () => assignment,
    answered: async () => {},
    heartbeat: async () => ({ expiresAt: AT + 600_000, stop: null, answers: [] }),
    ask: async () => ({ questionId: 'q1' }),
    answer: async () => task,
    appendLog: async () => 12,
    log: async () => ({ fence: 41, text: 'read the code\n', nextOffset: 14, ended: null }),
    setBudget: async () => task,
    retryLedger: async () => 2,
    complete: async () => ({ ...task, state: 'done', lease: null, endedAt: AT }),
    fail: async () => ({ ...task, state: 'delayed', lease: null, readyAt: AT }),
    release: async () => ({ ...task, state: 'ready', lease: null }),
    tasks: async () => ({ tasks: [{ task, issue }], nextCursor: 'next' }),
    board: async () => ({ tasks: [{ task, issue }], nextCursor: 'ended' }),
    tasksNamed: async () => [{ task, issue }],
    activity: async () => {
      const activity = createActivity();
      for (const fact of facts) activity.take(fact);
      return activity;
    },
    task: async () => ({
      task,
      issue: stored,
      matchLabels: ['backend'],
      attempts: [attempt],
      history: [leasedFact(1)],
      nextHistoryCursor: null,
    }),
    why: async (taskId) => ({
      taskId,
      offered: false,
      summary: 'The task is leased by agent-1.',
      decisive: ['state'],
      rules: [
        {
          rule: 'state',
          ok: false,
          ...because('state', 'The task is leased by agent-1.', { state: 'leased' }),
        },
      ],
      rivals: { ahead: 2, waitingAgents: 1 },
      earliestAt: AT,
    }),
    requeue: async () => task,
    prioritize: async () => task,
    unlock: async () => task,
    cancel: async () => task,
    hasBacklog: () => true,
    issues: async () => [{ issue, task }],
    issue: async () => ({ issue, task }),
    addIssue: async () => ({ issue, task: null }),
    editIssue: async () => ({ issue, task }),
    agents: async () => [agent],
    agent: async () => agent,
    queue: async () => ({
      counts: [
        { state: 'ready', kind: 'implement', priority: 50, count: 3 },
        { state: 'ready', kind: 'review', priority: 100, count: 1 },
        { state: 'held', kind: 'implement', priority: 50, count: 2 },
      ],
      oldestReadyAt: AT,
      delayed: [{ taskId: TASK_ID, readyAt: AT }],
      outbox: { pending: 1, failing: 0 },
      waiting: 4,
    }),
    budgetHistory: async () => [{ at: AT, limit: 5000, remaining: 4321 }],
    budget: async () => ({ limit: 5000, remaining: 4321, resetAt: AT, blockedUntil: null }),
    stats: async () => [{ start: '2026-11-15', counters: { handed_out: 3 } }],
    config: async () => DEFAULT_POLICY,
    putConfig: async () => DEFAULT_POLICY,
    flags: async () => ({ maintenance: false, debug: false, paused: [] }),
    putFlag: async () => ({ maintenance: true, debug: true, paused: ['octo/shop'] }),
    events: async (afterSeq, limit) => facts.filter(({ seq }) => seq > afterSeq).slice(0, limit),
    lastSeq: async () => facts.at(-1)?.seq ?? 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    createToken: async (input) => ({ ...token, ...input, secret: 'banto_secret' }),
    tokens: async () => [token],
    revokeToken: async () => token,
    whoIs: async (secret) => {
      if (secret === 'operator-token') return { ...token, scope: 'operator', agentId: null };
      if (secret === 'read-token') return { ...token, scope: 'read', agentId: null };
      return secret === 'agent-1-token' ? token : null;
    },
    readiness: async () => ({
      store: { ok: true, error: null },
      forge: { ok: true, error: null },
      mirrored: true,
    }),
    start: async () => {},
    stop: async () => {},
  };
  const recorded = Object.fromEntries(
    (Object.keys(verbs) as (keyof Broker)[]).map((verb) => [
      verb,
      (...args: never[]) => {
        if (!SILENT.has(verb)) calls.push([verb, ...args]);
        return (verbs[verb] as (...args: never[]) => unknown)(...args);
      },
    ]),
  ) as unknown as Broker;
  return {
    ...recorded,
    calls,
    script(verb, answer) {
      verbs[verb] = answer;
    },
    subscribers: () => listeners.size,
    happen(more) {
      facts.push(...more);
      for (const listener of listeners) listener(more);
    },
  };
}
