// The scripted fleet. Every agent is an ordinary client of the HTTP API; what happens to which issue is
// fixed, so that a short run shows the whole life: success, failure, a death, a review that asks for more.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import type { Stage } from './stage.ts';

export interface DemoAgent {
  readonly id: string;
  readonly capabilities: readonly string[];
  /** Dies silently with its first task. */
  readonly dies?: true;
}

export const FLEET: readonly DemoAgent[] = [
  { id: 'taro', capabilities: ['frontend', 'css'], dies: true },
  { id: 'hana', capabilities: ['python', 'docs'] },
  { id: 'kenji', capabilities: ['python', 'bug', 'review'] },
  { id: 'yuki', capabilities: ['frontend', 'docs', 'review'] },
];

const FAILS_FIRST = 2;
const NEEDS_CHANGES = 4;
const STEP_MS = 500;

interface Working {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  readonly openPull: Stage['openPull'];
}

async function progress(work: Working, task: AssignmentAnswer, notes: string[]): Promise<void> {
  for (const note of notes) {
    await sleep(STEP_MS, undefined, { signal: work.signal });
    await work.client.heartbeat(task.task_id, { lease_token: task.lease.token, progress: note });
  }
  await sleep(STEP_MS, undefined, { signal: work.signal });
}

async function review(work: Working, task: AssignmentAnswer): Promise<void> {
  await progress(work, task, ['reading the change']);
  const again = task.issue_id === NEEDS_CHANGES && task.task_id.endsWith('.1');
  await work.client.complete(task.task_id, {
    lease_token: task.lease.token,
    ...(again
      ? { verdict: 'request_changes', comments: ['Please add a test for negative prices.'] }
      : { verdict: 'approve', summary: 'Looks good.' }),
  });
}

async function build(work: Working, task: AssignmentAnswer, agentId: string): Promise<void> {
  await progress(work, task, ['reading the code', 'writing a test']);
  const lease_token = task.lease.token;
  if (task.issue_id === FAILS_FIRST && task.attempt === 1) {
    const reason = 'the test database is locked';
    await work.client.fail(task.task_id, { lease_token, reason, delay_seconds: 1 });
    return;
  }
  const pr_number = await work.openPull(agentId, task.issue_id, task.branch_name);
  await work.client.complete(task.task_id, {
    lease_token,
    summary: `Done on ${task.branch_name}.`,
    ...(pr_number === null ? {} : { pr_number }),
  });
}

/** Works until the signal ends it, or it dies. */
export async function runAgent(agent: DemoAgent, work: Working): Promise<void> {
  while (!work.signal.aborted) {
    const task = await work.client.requestTask(
      { agent_id: agent.id, capabilities: [...agent.capabilities], wait_seconds: 30 },
      { signal: work.signal },
    );
    if (task === null) continue;
    if (agent.dies === true) {
      await progress(work, task, ['reading the code']);
      work.say(`${agent.id} dies without a word (its process is gone)`);
      return;
    }
    await (task.kind === 'review' ? review(work, task) : build(work, task, agent.id));
  }
}
