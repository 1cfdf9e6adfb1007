// Claim: chooses the oldest task of the first group that has one; the lease itself is core's decision.

import type { BaseStore } from '../../core/base-store.ts';
import {
  type Claimed,
  claimTask,
  handOutOf,
  heldAlready,
  heldOutcome,
  takeAgain,
} from '../../core/decide/claim.ts';
import { recall, recalled } from '../../core/decide/recall.ts';
import type { Moment } from '../../core/decide/verb.ts';
import { MAINTENANCE_FLAG } from '../../core/pairing/paused.ts';
import type { ClaimInput, ClaimResult, HandOut } from '../../core/store.ts';
import { decide } from './decide.ts';
import type { IssueEntry } from './entries.ts';
import type { Steps } from './group-commit.ts';
import type { Memory } from './memory.ts';
import type { Turn } from './turn.ts';

export function createRecall({ write }: Pick<Steps, 'write'>): BaseStore['recall'] {
  return (input) =>
    write((turn, memory, at) => {
      const held = memory.heldBy(input.agentId);
      const rows = held.map(({ row }) => row);
      const meant = recalled(rows, input, at.now);
      const task = held.find(({ row }) => row === meant);
      if (task === undefined) return null;
      const claimed = decide(recall, { ...input, taskId: task.id }, turn, at);
      return claimed === null ? null : show(claimed, task.issue, turn, true);
    });
}

function show(claimed: Claimed, issue: IssueEntry, turn: Turn, replay: boolean): HandOut {
  return handOutOf(claimed, issue.row, turn.picture(issue), replay);
}

export function createClaim({ write }: Pick<Steps, 'write'>): BaseStore['claim'] {
  function holds(input: ClaimInput, turn: Turn, memory: Memory, at: Moment): ClaimResult | null {
    const tasks = memory.heldBy(input.agentId);
    if (tasks.length === 0) return null;
    const rows = tasks.map(({ row }) => row);
    const held = heldAlready(rows, input.requestId, at.now);
    const task = tasks.find(({ row }) => row === held?.row);
    if (held === null || task === undefined) return null;
    const { writeLockMs } = input;
    const claimed = decide(takeAgain, { ...held, writeLockMs }, turn, at);
    return { outcome: heldOutcome(held), handOut: show(claimed, task.issue, turn, held.replay) };
  }

  function claim(input: ClaimInput, turn: Turn, memory: Memory, at: Moment): ClaimResult {
    const { now } = at;
    const { agentId, capabilities } = input;
    turn.note({ note: 'asked', agentId, capabilities }, now);
    const held = holds(input, turn, memory, at);
    if (held !== null) return held;
    if (memory.settings.get(MAINTENANCE_FLAG) === true) return { outcome: 'maintenance' };
    if (memory.buckets.version() !== input.registryVersion) return { outcome: 'stale' };
    const task = memory.buckets.best(input.groups);
    if (task === null) return { outcome: 'none' };
    const { issue } = task;
    const decision = claimTask(task.row, issue.ledger, input, at);
    turn.apply(decision, issue.row, now);
    return { outcome: 'leased', handOut: show(decision.answer, issue, turn, false) };
  }

  return (input) => write((turn, memory, at) => claim(input, turn, memory, at));
}
