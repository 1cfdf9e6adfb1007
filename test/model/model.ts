// The store as simple as it can be said: maps, loops and no cleverness. The real stores are compared with it.

import { leasedLedger } from '../../src/core/ledger.ts';
import { matchCount } from '../../src/core/pairing/match.ts';
import type { TaskPlan } from '../../src/core/store.ts';
import { parseTaskId, type TaskKind, type TaskState } from '../../src/core/task.ts';

interface ModelLease {
  readonly agentId: string;
  readonly token: string;
  readonly request: string | null;
  expiresAt: number;
}

export interface ModelTask {
  readonly id: string;
  readonly number: number;
  readonly kind: TaskKind;
  state: TaskState;
  reason: string | null;
  priority: number;
  pinned: boolean;
  attempts: number;
  /** Its place in line; null: it joins at the end when it becomes ready. */
  place: number | null;
  readyAt: number | null;
  timed: boolean;
  lease: ModelLease | null;
  authors: string[];
  onlyAgent: string | null;
  opensAt: number | null;
  createdAt: number;
  /** What was said against it while it was leased; it counts when the lease ends. */
  spokenAgainst: string | null;
  /** How each token ended. */
  endings: Map<string, string>;
  lastEnding: string | null;
}

export interface ModelIssue {
  open: boolean;
  labels: readonly string[];
  wanted: readonly string[];
}

export const RETRY_DELAYS_MS = [30_000, 60_000];
export const MAX_ATTEMPTS = 3;
const LEASE_MS = 600_000;

export type ModelAnswer = { outcome: string; id?: string };

export function createModel(start: number) {
  const tasks = new Map<string, ModelTask>();
  const issues = new Map<number, ModelIssue>();
  let now = start;
  let places = 0;

  const want = (task: ModelTask, labels: readonly string[]) => {
    const issue = issues.get(task.number);
    if (issue !== undefined) issue.wanted = labels;
  };

  function enter(task: ModelTask, state: TaskState, reason: string | null = null): void {
    task.state = state;
    task.reason = reason;
    if (task.opensAt !== null && task.opensAt <= now) {
      task.onlyAgent = null;
      task.opensAt = null;
    }
    if (state === 'ready' && task.place === null) {
      places += 1;
      task.place = places;
    }
  }

  function make(id: string, over: Partial<ModelTask>): ModelTask {
    const name = parseTaskId(id);
    if (name === null) throw new Error(id);
    const task: ModelTask = {
      id,
      number: name.number,
      kind: name.kind,
      state: 'held',
      reason: null,
      priority: 50,
      pinned: false,
      attempts: 0,
      place: null,
      readyAt: null,
      timed: false,
      lease: null,
      authors: [],
      onlyAgent: null,
      opensAt: null,
      createdAt: now,
      spokenAgainst: null,
      endings: new Map(),
      lastEnding: null,
      ...over,
    };
    tasks.set(id, task);
    return task;
  }

  /** Answers with what was said against the task meanwhile. */
  function end(task: ModelTask, how: string): string | null {
    if (task.lease !== null) {
      task.endings.set(task.lease.token, how);
      task.lastEnding = how;
    }
    task.lease = null;
    const against = task.spokenAgainst;
    task.spokenAgainst = null;
    return against;
  }

  function offerAgain(
    task: ModelTask,
    against: string | null,
    state: 'ready' | 'delayed',
    reason: string | null = null,
  ): void {
    if (against === null) enter(task, state, reason);
    else enter(task, 'held', against);
  }

  function begin(task: ModelTask, plan: TaskPlan['want']): void {
    task.readyAt = null;
    task.timed = false;
    if (plan.state === 'ready') enter(task, 'ready');
    else if (plan.state === 'delayed' && plan.delayMs > 0) {
      task.readyAt = now + plan.delayMs;
      enter(task, 'delayed', plan.reason);
    } else if (plan.state === 'delayed') enter(task, 'ready');
    else if (plan.state === 'held') {
      if (plan.graceMs !== null) task.readyAt = now + plan.graceMs;
      enter(task, 'held', plan.reason);
    }
  }

  /** The table of TaskPlan, read from the top: the first line that fits decides. */
  function meet(task: ModelTask, plan: TaskPlan['want'], reopened: boolean): void {
    const { state } = task;
    if (state === 'done') return;
    if (state === 'cancelled') {
      if (!reopened || plan.state === 'cancelled') return;
      task.attempts = 0;
      task.place = null;
      task.createdAt = now;
      begin(task, plan);
      return;
    }
    if (plan.state === 'cancelled') {
      end(task, 'cancelled');
      task.state = 'cancelled';
      task.reason = plan.reason;
      return;
    }
    if (state === 'leased') {
      task.spokenAgainst = plan.state === 'held' && plan.graceMs === null ? plan.reason : null;
    }
    if (state === 'leased' || state === 'dead') return;
    if (plan.state === 'held') {
      if (state === 'held' && task.reason === plan.reason) return;
      if (plan.graceMs !== null) task.readyAt = now + plan.graceMs;
      enter(task, 'held', plan.reason);
      return;
    }
    const planned = plan.state === 'delayed' ? task.createdAt + plan.delayMs : 0;
    if (state === 'held') {
      const kept = task.readyAt ?? 0;
      if (task.reason?.startsWith('refused:') && kept > now) return;
      const counts = task.timed ? 0 : planned;
      if (kept <= now && counts <= now) enter(task, 'ready');
      else if (plan.state === 'delayed' && counts >= kept) {
        task.readyAt = counts;
        task.timed = false;
        enter(task, 'delayed', plan.reason);
      } else {
        task.timed = true;
        enter(task, 'delayed', 'retry');
      }
      return;
    }
    if (plan.state === 'ready' || task.timed) return;
    if (planned > now) {
      task.readyAt = planned;
      enter(task, 'delayed', plan.reason);
    } else if (state === 'delayed') {
      task.readyAt = planned;
      enter(task, 'ready');
    }
  }

  const live = (task: ModelTask) => task.lease !== null && task.lease.expiresAt > now;

  function holding(id: string, token: string, how: string): ModelTask | ModelAnswer {
    const task = tasks.get(id);
    if (task === undefined) return { outcome: 'not_found' };
    if (live(task) && task.lease?.token === token) return task;
    return { outcome: task.endings.get(token) === how ? 'ok' : 'lease_lost' };
  }

  return {
    tasks,
    issues,
    now: () => now,
    advance(ms: number): void {
      now += Math.max(0, ms);
    },
    mirror(
      number: number,
      labels: readonly string[],
      open: boolean,
      plan: TaskPlan,
      ledger: readonly string[] | undefined,
    ): void {
      const known = issues.get(number);
      const reopened = known !== undefined && !known.open && open;
      issues.set(number, { open, labels, wanted: ledger ?? known?.wanted ?? [] });
      const found = tasks.get(plan.id);
      if (found === undefined) {
        if (plan.want.state !== 'cancelled')
          begin(make(plan.id, { priority: plan.priority }), plan.want);
        return;
      }
      if (!found.pinned) found.priority = plan.priority;
      meet(found, plan.want, reopened);
    },
    claim(
      agentId: string,
      capabilities: readonly string[],
      request: string,
      token: string,
    ): ModelAnswer {
      const held = [...tasks.values()].find(
        (task) => live(task) && task.lease?.agentId === agentId,
      );
      if (held !== undefined) {
        return { outcome: held.lease?.request === request ? 'leased' : 'unfinished', id: held.id };
      }
      const seeker = { agentId, capabilities, kinds: null, repositories: null };
      const ranked = [...tasks.values()]
        .filter(({ state }) => state === 'ready')
        .map((task) => {
          const labels = issues.get(task.number)?.labels ?? [];
          const { kind, priority, authors, onlyAgent: only } = task;
          const bucket = { repository: 'any', kind, priority, authors, only, labels };
          return { task, matches: matchCount(seeker, bucket) };
        })
        .filter(({ matches }) => matches !== null)
        .sort(
          (a, b) =>
            b.task.priority - a.task.priority ||
            (b.matches ?? 0) - (a.matches ?? 0) ||
            (a.task.place ?? 0) - (b.task.place ?? 0),
        );
      const best = ranked[0]?.task;
      if (best === undefined) return { outcome: 'none' };
      best.state = 'leased';
      best.reason = null;
      best.lease = { agentId, token, request, expiresAt: now + LEASE_MS };
      want(best, leasedLedger(best.kind, agentId));
      return { outcome: 'leased', id: best.id };
    },
    heartbeat(id: string, token: string): ModelAnswer {
      const task = holding(id, token, 'never');
      if ('outcome' in task) return task;
      if (task.lease !== null) task.lease.expiresAt = now + LEASE_MS;
      return { outcome: 'ok' };
    },
    complete(
      id: string,
      token: string,
      next: { id: string; delayMs: number; firstMs: number },
    ): ModelAnswer {
      const task = holding(id, token, 'completed');
      if ('outcome' in task) return task;
      const agentId = task.lease?.agentId ?? '';
      const authors =
        task.kind === 'review'
          ? task.authors
          : [...task.authors.filter((author) => author !== agentId), agentId];
      if (!tasks.has(next.id)) {
        const readyAt = next.delayMs > 0 ? now + next.delayMs : null;
        const onlyAgent = next.firstMs > 0 ? (authors.at(-1) ?? null) : null;
        const opensAt = onlyAgent === null ? null : (readyAt ?? now) + next.firstMs;
        const made = make(next.id, { authors, onlyAgent, opensAt, readyAt, priority: 100 });
        // What people said against the issue holds what follows as well; the commands name no reason of one kind.
        if (task.spokenAgainst !== null) enter(made, 'held', task.spokenAgainst);
        else if (readyAt === null) enter(made, 'ready');
        else enter(made, 'delayed', 'review_delay');
      }
      end(task, 'completed');
      task.state = 'done';
      task.reason = null;
      want(task, ['needs-review']);
      return { outcome: 'ok' };
    },
    fail(id: string, token: string, retryable: boolean): ModelAnswer {
      const task = holding(id, token, 'failed');
      if ('outcome' in task) return task;
      const against = end(task, 'failed');
      task.attempts += 1;
      task.place = null;
      task.timed = true;
      const delayMs = retryable ? RETRY_DELAYS_MS[task.attempts - 1] : undefined;
      task.readyAt = delayMs === undefined ? null : now + delayMs;
      if (delayMs === undefined) enter(task, 'dead', 'broke');
      else offerAgain(task, against, 'delayed', 'retry');
      want(task, delayMs === undefined ? ['needs-human'] : []);
      return { outcome: 'ok' };
    },
    release(id: string, token: string): ModelAnswer {
      const task = holding(id, token, 'released');
      if ('outcome' in task) return task;
      offerAgain(task, end(task, 'released'), 'ready');
      want(task, []);
      return { outcome: 'ok' };
    },
    refuse(id: string, token: string): ModelAnswer {
      const task = holding(id, token, 'refused');
      if ('outcome' in task) return task;
      end(task, 'refused');
      task.readyAt = now + 60_000;
      task.state = 'held';
      task.reason = 'refused:gone';
      want(task, []);
      return { outcome: 'ok' };
    },
    sweep(): void {
      const lapsed = [...tasks.values()]
        .filter((task) => task.lease !== null && !live(task))
        .sort((a, b) => (a.lease?.expiresAt ?? 0) - (b.lease?.expiresAt ?? 0));
      for (const task of lapsed) {
        const against = end(task, 'expired');
        task.attempts += 1;
        const dead = task.attempts >= MAX_ATTEMPTS;
        if (dead) enter(task, 'dead', 'expired');
        else offerAgain(task, against, 'ready');
        want(task, dead ? ['needs-human'] : []);
      }
      const due = [...tasks.values()]
        .filter((task) => task.state === 'delayed' && (task.readyAt ?? 0) <= now)
        .sort(
          (a, b) =>
            (a.readyAt ?? 0) - (b.readyAt ?? 0) ||
            a.createdAt - b.createdAt ||
            a.number - b.number ||
            a.id.localeCompare(b.id, 'en'),
        );
      for (const task of due) enter(task, 'ready');
      for (const task of tasks.values()) if (task.state === 'ready') enter(task, 'ready');
    },
    requeue(id: string, delayMs: number): ModelAnswer {
      const task = tasks.get(id);
      if (task === undefined) return { outcome: 'not_found' };
      const refused = task.state === 'held' && (task.reason?.startsWith('refused:') ?? false);
      const reopenable = task.state === 'cancelled' && (issues.get(task.number)?.open ?? false);
      if (!refused && !reopenable && !['dead', 'delayed', 'ready'].includes(task.state)) {
        return { outcome: 'conflict' };
      }
      if (task.state === 'ready' && task.attempts === 0 && delayMs === 0) return { outcome: 'ok' };
      task.attempts = 0;
      task.place = null;
      task.timed = true;
      task.readyAt = delayMs > 0 ? now + delayMs : null;
      enter(task, delayMs > 0 ? 'delayed' : 'ready', delayMs > 0 ? 'requeued' : null);
      want(task, []);
      return { outcome: 'ok' };
    },
    prioritize(id: string, priority: number): ModelAnswer {
      const task = tasks.get(id);
      if (task === undefined) return { outcome: 'not_found' };
      if (task.state === 'done' || task.state === 'cancelled') return { outcome: 'conflict' };
      if (!task.pinned || task.priority !== priority) enter(task, task.state, task.reason);
      task.priority = priority;
      task.pinned = true;
      return { outcome: 'ok' };
    },
    unlock(id: string): ModelAnswer {
      const task = tasks.get(id);
      if (task === undefined) return { outcome: 'not_found' };
      if (task.lease === null) {
        const again = ['ready', 'held'].includes(task.state) && task.lastEnding === 'unlocked';
        return { outcome: again ? 'ok' : 'conflict' };
      }
      offerAgain(task, end(task, 'unlocked'), 'ready');
      want(task, []);
      return { outcome: 'ok' };
    },
    cancel(id: string): ModelAnswer {
      const task = tasks.get(id);
      if (task === undefined) return { outcome: 'not_found' };
      if (task.state === 'done' || task.state === 'cancelled') {
        return { outcome: task.reason === 'operator' ? 'ok' : 'conflict' };
      }
      end(task, 'cancelled');
      task.state = 'cancelled';
      task.reason = 'operator';
      want(task, []);
      return { outcome: 'ok' };
    },
  };
}

export type Model = ReturnType<typeof createModel>;
