// Whether an agent works, rests or has died, as far as anybody can tell from outside.

import type { AgentRecord } from '../store.ts';

export type AgentStatus = 'active' | 'idle' | 'zombie';

/** Where a status is shown, this says what it means. */
export const STATUS_MEANS: Readonly<Record<AgentStatus, string>> = {
  active: 'renews its lease, waits for a task, or was heard of within two minutes',
  idle: 'holds nothing and has been silent for longer',
  zombie: 'stopped renewing the lease that it holds, or lost it that way',
};

/** An agent that asks now and then is heard of at least this often. */
const HEARD_MS = 120_000;
/** A holder renews at a third of its lease; one that is silent for twice that has stopped. */
const SILENT_SHARE = 2 / 3;

export function agentStatus(agent: AgentRecord, now: number, waiting: boolean): AgentStatus {
  const silentMs = now - agent.lastSeenAt;
  const holds = agent.holds.length > 0;
  if (agent.lapsed) return 'zombie';
  // It waits for an answer: nobody expects to hear of it.
  if (holds && agent.leaseSeconds === null) return 'active';
  if (holds)
    return silentMs > (agent.leaseSeconds ?? 0) * 1000 * SILENT_SHARE ? 'zombie' : 'active';
  return waiting || silentMs <= HEARD_MS ? 'active' : 'idle';
}
