// What the facts say about every lease: whose it was, until when, and how it ended. Also what no fact may show: a hand-out
// that an operator had paused, a review by an author of the change.

import type { Fact } from '../../../src/core/facts.ts';
import type { TaskKind } from '../../../src/core/task.ts';

export interface LeaseView {
  /** The number of the fact that began it. */
  readonly seq: number;
  readonly taskId: string;
  readonly fence: number;
  readonly agentId: string;
  expiresAt: number;
  /** Renewals without news are recorded once in a quarter of the lease time. */
  readonly slackMs: number;
  /** The fact that ended it; null: it lives, or lapsed and nobody has noted that yet. */
  endedBy: Fact['type'] | null;
  endedAt: number;
}

export type Find = (rule: string, message: string) => void;

const KEPT_MS = 3_600_000;
const PAUSE = 'flags:maintenance';
const BY_ASKING = 'finished: the agent asked';
const ROUNDS_PER_LIFE = 100;
const ENDINGS: ReadonlySet<string> = new Set([
  'completed',
  'failed',
  'released',
  'expired',
  'refused',
  'unlocked',
  'cancelled',
]);

interface Named {
  readonly repository: string;
  readonly issue: string;
  readonly kind: TaskKind;
}

/** Task ids say it all: `owner~repo~7~review.2`. Rounds from 101 on are another life of the issue. */
function named(taskId: string): Named {
  const parts = taskId.split('~');
  const [kind, round] = (parts.pop() ?? '').split('.');
  const life = Math.floor((Number(round) - 1) / ROUNDS_PER_LIFE);
  const number = parts.pop();
  const repository = parts.join('/');
  return { repository, issue: `${repository}#${number}.${life}`, kind: kind as TaskKind };
}

export const leaseKey = (taskId: string, fence: number): string => `${taskId} ${fence}`;

interface Memory {
  readonly leases: Map<string, LeaseView>;
  /** Issue → who completed a change of it. */
  readonly authors: Map<string, Set<string>>;
  readonly paused: Set<string>;
  at: number;
}

const copyOf = ({ leases, authors, paused, at }: Memory): Memory => ({
  leases: new Map([...leases].map(([key, lease]) => [key, { ...lease }])),
  authors: new Map([...authors].map(([key, names]) => [key, new Set(names)])),
  paused: new Set(paused),
  at,
});

export interface Leases {
  take(facts: readonly Fact[]): void;
  get(taskId: string, fence: number): LeaseView | undefined;
  /** The store's clock is at least this. */
  at(): number;
  /** The answer with this lease was handed to somebody's connection. */
  handed(taskId: string, fence: number): void;
  keep(): () => void;
  forgetOld(): void;
}

export function createLeases(find: Find): Leases {
  let memory: Memory = { leases: new Map(), authors: new Map(), paused: new Set(), at: 0 };
  const handed = new Set<string>();

  function leased(fact: Extract<Fact, { type: 'leased' }>): void {
    const { seq, taskId, fence, agentId, expiresAt, at } = fact;
    const { repository, issue, kind } = named(taskId);
    const { paused, authors, leases } = memory;
    for (const name of [PAUSE, `${PAUSE}:${agentId}`, `${PAUSE}:${repository}`]) {
      if (paused.has(name))
        find('paused', `${taskId} was handed to ${agentId} while ${name} was set`);
    }
    if (kind === 'review' && authors.get(issue)?.has(agentId) === true) {
      find('author', `${agentId} reviews ${taskId}, which it has a part in`);
    }
    const slackMs = (expiresAt - at) / 4;
    const view = { seq, taskId, fence, agentId, expiresAt, slackMs, endedBy: null, endedAt: 0 };
    leases.set(leaseKey(taskId, fence), view);
  }

  function completed(fact: Extract<Fact, { type: 'completed' }>): void {
    const { issue, kind } = named(fact.taskId);
    const byAsking = fact.summary?.startsWith(BY_ASKING) === true;
    if (byAsking && !handed.has(leaseKey(fact.taskId, fact.fence))) {
      find('unheard', `${fact.taskId} was completed by asking, but nobody was ever told of it`);
    }
    if (kind === 'review') return;
    memory.authors.set(issue, (memory.authors.get(issue) ?? new Set()).add(fact.agentId));
  }

  function ends(fact: Fact): void {
    if (!('fence' in fact) || fact.fence === null) return;
    const lease = memory.leases.get(leaseKey(fact.taskId, fact.fence));
    if (lease === undefined || lease.endedBy !== null) return;
    lease.endedBy = fact.type;
    lease.endedAt = fact.at;
  }

  function take(fact: Fact): void {
    memory.at = Math.max(memory.at, fact.at);
    if (fact.type === 'leased') return leased(fact);
    if (fact.type === 'completed') completed(fact);
    if (ENDINGS.has(fact.type)) return ends(fact);
    if (fact.type === 'renewed' || fact.type === 'asked') {
      const lease = memory.leases.get(leaseKey(fact.taskId, fact.fence));
      if (lease !== undefined) lease.expiresAt = fact.expiresAt;
    } else if (fact.type === 'setting_changed') {
      if (fact.value === true) memory.paused.add(fact.name);
      else memory.paused.delete(fact.name);
    }
  }

  return {
    take(facts) {
      for (const fact of facts) take(fact);
    },
    get: (taskId, fence) => memory.leases.get(leaseKey(taskId, fence)),
    at: () => memory.at,
    handed: (taskId, fence) => void handed.add(leaseKey(taskId, fence)),
    keep() {
      const kept = copyOf(memory);
      return () => {
        // The clock is the server's and not the data's: what had lapsed by it does not live again.
        memory = { ...copyOf(kept), at: Math.max(kept.at, memory.at) };
      };
    },
    forgetOld() {
      const before = memory.at - KEPT_MS;
      for (const [key, lease] of memory.leases) {
        if (lease.endedBy === null || lease.endedAt > before) continue;
        memory.leases.delete(key);
        handed.delete(key);
        const { issue, kind } = named(lease.taskId);
        if (kind === 'review' || lease.endedBy === 'cancelled') memory.authors.delete(issue);
      }
    },
  };
}
