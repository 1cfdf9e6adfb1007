// Claim: chooses the oldest task of the first group that has one; the lease itself is core's decision.

import type { BaseStore } from '../../core/base-store.ts';
import { claimTask, handOutOf, heldAlready, takeWritesOf } from '../../core/decide/claim.ts';
import { recalled, recallTask } from '../../core/decide/recall.ts';
import { changesNothing, type Moment } from '../../core/decide/verb.ts';
import { MAINTENANCE_FLAG } from '../../core/pairing/paused.ts';
import type { ClaimInput, ClaimResult } from '../../core/store.ts';
import type { Steps } from './group-commit.ts';
import type { Memory } from './memory.ts';
import type { Turn } from './turn.ts';

export function createRecall({ write }: Pick<Steps, 'write'>): BaseStore['recall'] {
  return (input) =>
    write((turn, memory, { now }) => {
      const entries = memory.heldBy(input.agentId);
      const row = recalled(
        entries.map((entry) => entry.row),
        input,
        now,
      );
      const entry = entries.find((one) => one.row === row);
      if (row === null || entry === undefined) return null;
      const { issue } = entry;
      const decision = recallTask(row, issue.ledger, input, now);
      if (!changesNothing(decision)) turn.apply(decision, issue.row, now);
      return handOutOf(decision.answer, issue.row, turn.picture(issue), true);
    });
}

export function createClaim({
  write,
}: Pick<Steps, 'write'>): (input: ClaimInput) => Promise<ClaimResult> {
  function holds(input: ClaimInput, turn: Turn, memory: Memory, now: number): ClaimResult | null {
    const entries = memory.heldBy(input.agentId);
    if (entries.length === 0) return null;
    const rows = entries.map(({ row }) => row);
    const held = heldAlready(rows, input.requestId, now);
    const entry = entries.find(({ row }) => row === held?.row);
    if (held === null || entry === undefined) return null;
    const { issue } = entry;
    const lockMs = held.replay ? input.writeLockMs : null;
    const taken = takeWritesOf(held.row, issue.ledger, lockMs, now);
    if (taken.ledger !== issue.ledger) {
      turn.apply({ ledger: taken.ledger, answer: null }, issue.row, now);
    }
    const claimed = { row: held.row, ...taken };
    const handOut = handOutOf(claimed, issue.row, turn.picture(issue), held.replay);
    return { outcome: held.replay ? 'leased' : 'unfinished', handOut };
  }

  function claim(input: ClaimInput, turn: Turn, memory: Memory, at: Moment): ClaimResult {
    const { now } = at;
    const { agentId, capabilities } = input;
    turn.note({ note: 'asked', agentId, capabilities }, now);
    const held = holds(input, turn, memory, now);
    if (held !== null) return held;
    if (memory.settings.get(MAINTENANCE_FLAG) === true) return { outcome: 'maintenance' };
    if (memory.buckets.version() !== input.registryVersion) return { outcome: 'stale' };
    const task = memory.buckets.best(input.groups);
    if (task === null) return { outcome: 'none' };
    const { issue } = task;
    const decision = claimTask(task.row, issue.ledger, input, at);
    turn.apply(decision, issue.row, now);
    const picture = turn.picture(issue);
    return { outcome: 'leased', handOut: handOutOf(decision.answer, issue.row, picture, false) };
  }

  return (input) => write((turn, memory, at) => claim(input, turn, memory, at));
}
