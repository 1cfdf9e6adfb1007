// Complete: the work is done, and the task that follows it is made in the same step.

import type { CompleteInput, FollowUp, TaskVerbs } from '../../core/store.ts';
import { parseTaskId, type TaskResult } from '../../core/task.ts';
import type { Step } from './commit.ts';
import type { Kit } from './kit.ts';
import { type LeasedRow, strings, toTask } from './rows.ts';
import { loadStatements, set } from './statements.ts';

export function createComplete(kit: Kit): TaskVerbs['complete'] {
  const { leases, ledger, shelf } = kit;
  const sql = loadStatements(kit.db, 'complete', ['finish']);

  /** Returns what to record of it once the fact of the completion stands before it. */
  function makeFollowUp(
    followUp: FollowUp,
    ended: LeasedRow,
    prNumber: number | null,
    now: number,
  ): (step: Step) => void {
    const name = parseTaskId(followUp.id);
    if (name === null || shelf.find(followUp.id) !== undefined) return () => {};
    const authors = followUpAuthors(ended);
    const readyAt = followUp.delayMs > 0 ? now + followUp.delayMs : null;
    const state = followUp.state === 'delayed' && readyAt === null ? 'ready' : followUp.state;
    const reason = state === 'ready' ? null : followUp.reason;
    const reserved = followUp.authorFirstMs > 0 ? (authors.at(-1) ?? null) : null;
    const task = {
      id: followUp.id,
      issue_id: ended.issue_id,
      repository: ended.repository,
      number: ended.number,
      kind: name.kind,
      round: name.round,
      state,
      reason,
      priority: followUp.priority,
      readyAt: state === 'ready' || state === 'dead' ? null : readyAt,
      authors,
      onlyAgent: reserved,
      opensAt: reserved === null ? null : (readyAt ?? now) + followUp.authorFirstMs,
      branch: ended.branch,
      pr_number: prNumber,
      reviewComments: followUp.reviewComments,
    };
    shelf.make(task, now);
    return (step) => {
      const { id, kind, priority } = task;
      step.append({ type: 'accepted', taskId: id, state, kind, priority, reason });
      if (state !== 'dead') return;
      step.append({ type: 'dead', taskId: id, state: 'dead', reason: reason ?? 'dead' });
      ledger.writeComment(shelf.get(id), 'dead', now);
    };
  }

  function finish(row: LeasedRow, input: CompleteInput, step: Step): void {
    const { now } = step;
    const agentId = row.lease_agent;
    const prNumber = input.prNumber ?? row.pr_number;
    const { summary, verdict, comments } = input;
    const result: TaskResult = { agentId, summary, verdict, comments, at: now };
    // Before the task ends, so that its issue is never without unfinished work in between.
    const recordFollowUp =
      input.followUp === null ? null : makeFollowUp(input.followUp, row, prNumber, now);
    set(sql.finish, {
      id: row.id,
      token: input.token,
      result: JSON.stringify(result),
      pr_number: prNumber,
      now,
    });
    leases.end(row, 'completed', summary, now, input.fingerprint);
    leases.touch(agentId, now);
    step.append({
      type: 'completed',
      taskId: row.id,
      state: 'done',
      agentId,
      fence: row.fence,
      summary,
      verdict,
      prNumber,
      workedMs: now - row.leased_at,
    });
    recordFollowUp?.(step);
    ledger.want(row.issue_id, input.ledger, now);
  }

  return (input) =>
    kit.write((step) => {
      const checked = leases.check(input, 'completed', step.now);
      if (checked.live === null) return checked.answer;
      finish(checked.live, input, step);
      return { outcome: 'ok', task: toTask(shelf.get(input.taskId)) };
    });
}

function followUpAuthors(ended: LeasedRow): string[] {
  const authors = strings(ended.authors);
  if (ended.kind === 'review') return authors;
  return [...authors.filter((author) => author !== ended.lease_agent), ended.lease_agent];
}
