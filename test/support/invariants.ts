// The invariants I1 to I5 (ARCHITECTURE.md), checked from the appended facts alone, as they come: nothing here knows how
// Banto decides. Used by the contract suite, the model test, crash tests and simulations.

import type { Fact } from '../../src/core/facts.ts';
import type { TaskState } from '../../src/core/task.ts';

export interface Violation {
  readonly invariant: 'I1' | 'I2' | 'I3' | 'I4' | 'I5';
  readonly seq: number;
  readonly taskId: string;
  readonly message: string;
}

interface Holding {
  readonly agentId: string;
  readonly fence: number;
  expiresAt: number;
  /** Renewals without news are recorded once in a quarter of the lease time: so much later it may end. */
  readonly slackMs: number;
}

interface Known {
  state: TaskState;
  highestFence: number;
  holding: Holding | null;
  changedAt: number;
}

type TaskFact = Extract<Fact, { taskId: string }>;

/** Written down once more, so that a mistake in Banto's own table is seen. */
const MAY_FOLLOW: Readonly<Record<TaskState, readonly TaskState[]>> = {
  held: ['ready', 'delayed', 'cancelled'],
  delayed: ['ready', 'held', 'cancelled'],
  ready: ['leased', 'held', 'delayed', 'cancelled'],
  leased: ['done', 'ready', 'delayed', 'held', 'dead', 'cancelled'],
  done: [],
  dead: ['ready', 'held', 'delayed', 'cancelled'],
  cancelled: ['ready', 'held', 'delayed'],
};

const ENDINGS = new Set(['completed', 'failed', 'released', 'expired', 'refused', 'unlocked']);
// What the holder itself does, and so only before its deadline.
const HOLDERS_OWN = new Set(['renewed', 'asked', 'completed', 'failed', 'released', 'refused']);
// These say what else happened to a task in the state it has, or just got.
const MAY_STAY = new Set([
  'renewed',
  'prioritized',
  'dead',
  'requeued',
  'held',
  'delayed',
  'ready',
  'asked',
  'answered',
  'budgeted',
  'pull_linked',
  'issue_added',
  'issue_edited',
  'issue_closed',
  'issue_reopened',
]);

interface Memory {
  readonly known: Map<string, Known>;
  lastSeq: number;
  lastAt: number;
}

export interface InvariantCheck {
  /** In order, each once. */
  take(facts: readonly Fact[]): void;
  /** `tasks` is what the store shows (I5: what was accepted is still there, in the state the facts lead to). */
  compare(tasks: ReadonlyMap<string, TaskState>): void;
  /** Done and called-off tasks of these that nothing happened to since then are not followed any longer. */
  forget(before: number, which: (taskId: string) => boolean): void;
  stateOf(taskId: string): TaskState | undefined;
  lastSeq(): number;
  /** What it knows now, to go back to when the store does. Fences stay: they rise across any loss of data. */
  keep(): () => void;
}

export function createInvariantCheck(found: (violation: Violation) => void): InvariantCheck {
  let memory: Memory = { known: new Map(), lastSeq: 0, lastAt: 0 };

  function take(fact: Fact): void {
    const taskId = 'taskId' in fact ? fact.taskId : '';
    const say: Say = (invariant, message) => found({ invariant, seq: fact.seq, taskId, message });
    const { lastSeq, lastAt, known } = memory;
    if (fact.seq <= lastSeq) say('I5', `fact ${fact.seq} came after ${lastSeq}`);
    if (fact.at < lastAt) say('I5', `time went back from ${lastAt} to ${fact.at}`);
    memory.lastSeq = fact.seq;
    memory.lastAt = fact.at;
    if ('taskId' in fact) checkTaskFact(fact, known, say);
  }

  return {
    take(facts) {
      for (const fact of facts) take(fact);
    },
    compare(tasks) {
      for (const [taskId, { state }] of memory.known) {
        const shown = tasks.get(taskId);
        if (shown === state) continue;
        const message = `the facts say ${state}, the store ${shown ?? 'nothing'}`;
        found({ invariant: 'I5', seq: memory.lastSeq, taskId, message });
      }
    },
    forget(before, which) {
      for (const [taskId, { state, changedAt }] of memory.known) {
        const over = state === 'done' || state === 'cancelled';
        if (over && changedAt < before && which(taskId)) memory.known.delete(taskId);
      }
    },
    stateOf: (taskId) => memory.known.get(taskId)?.state,
    lastSeq: () => memory.lastSeq,
    keep() {
      const copy = [...memory.known].map(([id, task]): [string, Known] => [id, copyOf(task)]);
      const { lastSeq, lastAt } = memory;
      return () => {
        const { known: lost } = memory;
        const known = new Map(copy.map(([id, task]) => [id, copyOf(task)]));
        for (const [id, task] of known) {
          task.highestFence = Math.max(task.highestFence, lost.get(id)?.highestFence ?? 0);
        }
        memory = { known, lastSeq, lastAt };
      };
    },
  };
}

const copyOf = (task: Known): Known => ({
  ...task,
  holding: task.holding === null ? null : { ...task.holding },
});

/** Pass null for `tasks` where only the facts are at hand. */
export function checkInvariants(
  facts: readonly Fact[],
  tasks: ReadonlyMap<string, TaskState> | null = null,
): Violation[] {
  const violations: Violation[] = [];
  const check = createInvariantCheck((violation) => violations.push(violation));
  check.take(facts);
  if (tasks !== null) check.compare(tasks);
  return violations;
}

type Say = (invariant: Violation['invariant'], message: string) => void;

function checkTaskFact(fact: TaskFact, known: Map<string, Known>, say: Say): void {
  const before = known.get(fact.taskId);
  if (fact.type === 'accepted') {
    if (before !== undefined) say('I4', 'accepted twice');
    const { state, at: changedAt } = fact;
    known.set(fact.taskId, { state, highestFence: 0, holding: null, changedAt });
    return;
  }
  if (before === undefined) {
    say('I5', `${fact.type} of a task that was never accepted`);
    return;
  }
  checkLease(fact, before, say);
  checkState(fact, before, say);
  before.state = fact.state;
  before.changedAt = fact.at;
}

function checkLease(fact: TaskFact, task: Known, say: Say): void {
  if (fact.type === 'leased') {
    if (task.holding !== null) say('I1', `leased while ${task.holding.agentId} holds it`);
    if (fact.fence <= task.highestFence)
      say('I2', `fence ${fact.fence} after ${task.highestFence}`);
    task.highestFence = Math.max(task.highestFence, fact.fence);
    const { agentId, fence, expiresAt } = fact;
    task.holding = { agentId, fence, expiresAt, slackMs: (expiresAt - fact.at) / 4 };
    return;
  }
  const speaks = fact.type === 'renewed' || fact.type === 'asked' || ENDINGS.has(fact.type);
  if (speaks && 'fence' in fact) {
    if (task.holding?.fence !== fact.fence)
      say('I3', `${fact.type} with stale fence ${fact.fence}`);
    else if (
      HOLDERS_OWN.has(fact.type) &&
      fact.at >= task.holding.expiresAt + task.holding.slackMs
    ) {
      say('I3', `${fact.type} after the deadline`);
    } else if (fact.type === 'expired' && fact.at < task.holding.expiresAt) {
      say('I3', 'expired before the deadline');
    }
  }
  const renews = fact.type === 'renewed' || fact.type === 'asked' || fact.type === 'answered';
  if (renews && task.holding !== null) {
    if (fact.expiresAt !== null) task.holding.expiresAt = fact.expiresAt;
  } else if (ENDINGS.has(fact.type) || fact.type === 'cancelled') task.holding = null;
}

function checkState(fact: TaskFact, task: Known, say: Say): void {
  const stays = fact.state === task.state;
  if (stays && !MAY_STAY.has(fact.type)) say('I4', `${fact.type} left it ${fact.state}`);
  if (!stays && !MAY_FOLLOW[task.state].includes(fact.state))
    say('I4', `${task.state} to ${fact.state}`);
  if ((fact.state === 'leased') !== (task.holding !== null)) {
    say('I4', `${fact.state} with ${task.holding === null ? 'no lease' : 'a lease'}`);
  }
}

export function expectFactsHold(
  facts: readonly Fact[],
  tasks: ReadonlyMap<string, TaskState> | null = null,
): void {
  const violations = checkInvariants(facts, tasks);
  if (violations.length === 0) return;
  const lines = violations.map(
    ({ invariant, seq, taskId, message }) => `${invariant} at ${seq}, ${taskId}: ${message}`,
  );
  throw new Error(`The facts break the invariants:\n${lines.join('\n')}`);
}
