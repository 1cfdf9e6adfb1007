// What happened to a task as a log line. Every line names the task, its repository and issue, and where there
// is one the agent and its attempt, so that one search shows the whole way.

import type { Logger } from 'pino';
import type { Fact } from '../core/facts.ts';
import { parseTaskId } from '../core/task.ts';

/** What somebody may want to know later; the rest is shown at debug level. */
const TOLD: Partial<Record<Fact['type'], string>> = {
  leased: 'task handed out',
  completed: 'task completed',
  failed: 'task failed',
  released: 'task given back',
  expired: 'lease ran out',
  refused: 'lease undone: the forge refused it',
  unlocked: 'lease taken away by an operator',
  dead: 'task is dead and needs a person',
  cancelled: 'task cancelled',
  requeued: 'task requeued by an operator',
};
const QUIET: Partial<Record<Fact['type'], string>> = {
  accepted: 'task accepted',
  held: 'task held',
  delayed: 'task delayed',
  ready: 'task ready',
  renewed: 'lease renewed',
  prioritized: 'priority changed',
  issue_added: 'issue added by an operator',
  issue_edited: 'issue edited by an operator',
  issue_closed: 'issue closed by an operator',
  issue_reopened: 'issue reopened by an operator',
};

export function createFactLog(log: Logger): (fact: Fact, leads: boolean) => void {
  // Not every fact says which attempt it belongs to.
  const attempts = new Map<string, number>();

  return (fact, leads) => {
    if (!('taskId' in fact)) return;
    const { taskId, type } = fact;
    if ('attempt' in fact) attempts.set(taskId, fact.attempt);
    const attempt = 'fence' in fact ? attempts.get(taskId) : undefined;
    if (fact.state !== 'leased') attempts.delete(taskId);
    // Once in a fleet of instances, not once in each.
    if (!leads) return;
    const told = TOLD[type];
    const message = told ?? QUIET[type];
    if (message === undefined) return;
    const name = parseTaskId(taskId);
    const fields = {
      event: type,
      task_id: taskId,
      ...('agentId' in fact && fact.agentId !== null ? { agent_id: fact.agentId } : {}),
      ...(name === null ? {} : { repository: name.repository, issue: name.number }),
      ...(attempt === undefined ? {} : { attempt }),
      ...('reason' in fact && fact.reason !== null ? { reason: fact.reason } : {}),
    };
    log[told === undefined ? 'debug' : 'info'](fields, message);
  };
}
