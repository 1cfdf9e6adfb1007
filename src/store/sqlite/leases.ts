// Leases: begun, checked and ended the same way by every verb.

import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ATTEMPTS_KEPT } from '../../core/history.ts';
import { isSameReport } from '../../core/report.ts';
import type { CalledBy, Ended } from '../../core/store.ts';
import type { AttemptOutcome } from '../../core/task.ts';
import type { Step } from './commit.ts';
import type { Ledger } from './ledger.ts';
import { isLive, type LeasedRow, type TaskRow, toTask } from './rows.ts';
import type { Shelf } from './shelf.ts';
import { first, loadStatements } from './statements.ts';

interface Ending {
  agent_id: string;
  fence: number;
  outcome: AttemptOutcome | null;
  fingerprint: string | null;
}

/** What the caller of a verb says; `fingerprint` of its report, where it has one. */
export interface Said {
  readonly taskId: string;
  readonly token: string;
  readonly fingerprint?: string;
}

type Checked = { readonly live: LeasedRow } | { readonly live: null; readonly answer: Ended };

export interface Leases {
  /**
   * The live lease with this token, if it is the caller's. Without one the verb has its answer: the same as
   * before when this token ended in this outcome (the caller never heard), a conflict when it said something
   * else, lost otherwise.
   */
  check(said: Said & CalledBy, outcome: AttemptOutcome, now: number): Checked;
  checkFence(taskId: string, fence: number, outcome: AttemptOutcome, now: number): Checked;
  lastOutcome(taskId: string): AttemptOutcome | null;
  begin(row: LeasedRow, now: number): void;
  end(
    row: LeasedRow,
    outcome: AttemptOutcome,
    note: string | null,
    now: number,
    fingerprint?: string,
  ): void;
  /** The fact, the comment and the labels of a task that is dead from here on. */
  bury(task: TaskRow, reason: string, labels: readonly string[], step: Step): void;
  introduce(agentId: string, capabilities: readonly string[], now: number): void;
  /** The agent was heard of. */
  touch(agentId: string, now: number): void;
  lapse(agentId: string): void;
}

const CONFLICT = { outcome: 'conflict' } as const;

export function createLeases(
  db: DatabaseSync,
  attempts: Record<'byToken' | 'byFence' | 'last' | 'begin' | 'forget' | 'end', StatementSync>,
  shelf: Shelf,
  ledger: Ledger,
): Leases {
  const agents = loadStatements(db, 'agent', ['introduce', 'touch', 'lapse']);

  function answer(
    task: TaskRow,
    ended: Ending | undefined,
    outcome: AttemptOutcome,
    fingerprint?: string,
  ): Checked {
    if (ended?.outcome !== outcome) return { live: null, answer: { outcome: 'lease_lost' } };
    const same = fingerprint === undefined || isSameReport(ended.fingerprint, fingerprint);
    return { live: null, answer: same ? { outcome: 'ok', task: toTask(task) } : CONFLICT };
  }

  return {
    check({ taskId, token, fingerprint, agentId = null }, outcome, now) {
      const task = shelf.find(taskId);
      if (task === undefined) return { live: null, answer: { outcome: 'not_found' } };
      if (isLive(task, now) && task.lease_token === token) {
        const foreign = agentId !== null && task.lease_agent !== agentId;
        return foreign ? { live: null, answer: { outcome: 'forbidden' } } : { live: task };
      }
      const ended = first<Ending>(attempts.byToken, { task_id: taskId, token });
      return answer(task, ended, outcome, fingerprint);
    },
    checkFence(taskId, fence, outcome, now) {
      const task = shelf.find(taskId);
      if (task === undefined) return { live: null, answer: { outcome: 'not_found' } };
      if (isLive(task, now) && task.fence === fence) return { live: task };
      return answer(task, first<Ending>(attempts.byFence, { task_id: taskId, fence }), outcome);
    },
    lastOutcome: (taskId) => first<Ending>(attempts.last, { task_id: taskId })?.outcome ?? null,
    begin(row, now) {
      attempts.begin.run({
        task_id: row.id,
        fence: row.fence,
        token: row.lease_token,
        agent_id: row.lease_agent,
        branch: row.branch,
        now,
      });
      attempts.forget.run({ task_id: row.id, kept: ATTEMPTS_KEPT });
    },
    end(row, outcome, note, now, fingerprint) {
      const attempt = { task_id: row.id, fence: row.fence };
      attempts.end.run({ ...attempt, outcome, note, fingerprint: fingerprint ?? null, now });
    },
    bury(task, reason, labels, step) {
      step.append({ type: 'dead', taskId: task.id, state: 'dead', reason });
      ledger.writeComment(task, 'dead', step.now);
      ledger.want(task.issue_id, labels, step.now);
    },
    introduce(agentId, capabilities, now) {
      agents.introduce.run({
        agent_id: agentId,
        capabilities: JSON.stringify(capabilities),
        now,
      });
    },
    touch: (agentId, now) => void agents.touch.run({ agent_id: agentId, now }),
    lapse: (agentId) => void agents.lapse.run({ agent_id: agentId }),
  };
}
