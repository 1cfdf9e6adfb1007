// An agent with the typed client: ask, renew the lease, report.
//
//   npm install banto
//   AGENT_ID=ts-1 CAPABILITIES=docs,python node agent.ts

import { setTimeout } from 'node:timers/promises';
import { type Assignment, BantoError, createClient } from 'banto/client';

const env = process.env;
const agentId = env.AGENT_ID ?? 'ts-1';
const leaseSeconds = Number(env.LEASE_SECONDS ?? 60);
const client = createClient({
  url: env.BANTO_URL ?? 'http://127.0.0.1:8080',
  token: env.BANTO_TOKEN ?? null,
});

const isCode = (error: unknown, ...codes: string[]) =>
  error instanceof BantoError && codes.includes(error.code);

/** A server that restarts is waited for: the same call twice changes nothing twice. */
async function untilAnswered<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isCode(error, 'busy', 'maintenance', 'stopping', 'unreachable')) throw error;
      await setTimeout(1000);
    }
  }
}

/** Your work. Stop when `lost` fires; throw to fail the task. */
async function doWork(task: Assignment, lost: AbortSignal): Promise<string> {
  console.log(`${agentId}: works on #${task.issue_id} ${task.title} on ${task.branch_name}`);
  await setTimeout(Number(env.WORK_SECONDS ?? 0) * 1000, null, { signal: lost });
  return `finished by ${agentId}`;
}

async function workOn(task: Assignment): Promise<void> {
  const lease = { lease_token: task.lease.token };
  const lost = new AbortController();
  const renew = () =>
    client.heartbeat(task.task_id, lease).catch((error: unknown) => {
      if (isCode(error, 'lease_lost')) lost.abort();
    });
  const renewing = setInterval(() => void renew(), (leaseSeconds * 1000) / 3);
  try {
    const result = await doWork(task, lost.signal).then(
      (summary) => ({ summary }),
      (error: unknown) => ({ reason: String(error) }),
    );
    if (lost.signal.aborted) throw new BantoError('lease_lost', 'The lease was lost.');
    if ('summary' in result) {
      await untilAnswered(() => client.complete(task.task_id, { ...lease, ...result }));
    } else {
      await untilAnswered(() => client.fail(task.task_id, { ...lease, ...result }));
    }
    console.log(`${agentId}: ${'summary' in result ? 'finished' : 'failed'} ${task.task_id}`);
  } catch (error) {
    if (!isCode(error, 'lease_lost')) throw error;
    console.log(`${agentId}: the lease on ${task.task_id} was lost`);
  } finally {
    clearInterval(renewing);
  }
}

for (;;) {
  const ask = {
    agent_id: agentId,
    capabilities: (env.CAPABILITIES ?? '*').split(','),
    wait_seconds: 30,
    lease_seconds: leaseSeconds,
    request_id: crypto.randomUUID(),
    on_unfinished: 'resume' as const,
  };
  const task = await untilAnswered(() => client.requestTask(ask));
  if (task === null) continue;
  console.log(`${agentId}: takes ${task.task_id}`);
  await workOn(task);
  if (env.ONCE === '1') break;
}
