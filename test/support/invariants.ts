// I1 to I5 of the specification, checked from the appended facts alone. Used by the contract suite,
// the model test, crash tests and simulations.

import type { Fact } from '../../src/core/facts.ts';
import { mayFollow, type TaskState } from '../../src/core/task.ts';

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
}

type TaskFact = Extract<Fact, { taskId: string }>;

const ENDINGS = new Set(['completed', 'failed', 'released', 'expired', 'refused', 'unlocked']);
// What the holder itself does, and so only before its deadline.
const HOLDERS_OWN = new Set(['renewed', 'asked', 'completed', 'failed', 'released', 'refused']);

/**
 * `tasks` is what the store shows at the end (I5: what was accepted is still there, in the state the
 * facts lead to). Pass null where only the facts are at hand.
 */
export function checkInvariants(
  facts: readonly Fact[],
  tasks: ReadonlyMap<string, TaskState> | null = null,
): Violation[] {
  const violations: Violation[] = [];
  const known = new Map<string, Known>();
  let lastSeq = 0;
  let lastAt = 0;

  for (const fact of facts) {
    const taskId = 'taskId' in fact ? fact.taskId : '';
    const say = (invariant: Violation['invariant'], message: string) =>
      violations.push({ invariant, seq: fact.seq, taskId, message });
    if (fact.seq <= lastSeq) say('I5', `fact ${fact.seq} came after ${lastSeq}`);
    if (fact.at < lastAt) say('I5', `time went back from ${lastAt} to ${fact.at}`);
    lastSeq = fact.seq;
    lastAt = fact.at;
    if ('taskId' in fact) checkTaskFact(fact, known, say);
  }

  for (const [taskId, { state }] of tasks === null ? [] : known) {
    const shown = tasks?.get(taskId);
    if (shown !== state) {
      const message = `the facts say ${state}, the store ${shown ?? 'nothing'}`;
      violations.push({ invariant: 'I5', seq: lastSeq, taskId, message });
    }
  }
  return violations;
}

type Say = (invariant: Violation['invariant'], message: string) => void;

function checkTaskFact(fact: TaskFact, known: Map<string, Known>, say: Say): void {
  const before = known.get(fact.taskId);
  if (fact.type === 'accepted') {
    if (before !== undefined) say('I4', 'accepted twice');
    known.set(fact.taskId, { state: fact.state, highestFence: 0, holding: null });
    return;
  }
  if (before === undefined) {
    say('I5', `${fact.type} of a task that was never accepted`);
    return;
  }
  checkLease(fact, before, say);
  checkState(fact, before, say);
  before.state = fact.state;
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
  // These say what else happened to a task in the state it has, or just got.
  const stays = fact.state === task.state;
  const mayStay = [
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
  ];
  if (stays && !mayStay.includes(fact.type)) say('I4', `${fact.type} left it ${fact.state}`);
  if (!stays && !mayFollow(task.state, fact.state)) say('I4', `${task.state} to ${fact.state}`);
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
