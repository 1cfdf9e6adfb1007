// What `banto status` reads from the server.

import type { Client } from '../../../client/client.ts';
import type { AgentAnswer } from '../../schema/agents.ts';
import type { ReadyAnswer } from '../../schema/ops.ts';
import type { QueueAnswer } from '../../schema/queue.ts';
import type { FlagsAnswer } from '../../schema/settings.ts';
import type { ListedTaskAnswer } from '../../schema/task.ts';

/** The JSON of `banto status --json`: the API's own answers side by side. */
export interface Snapshot {
  readonly address: string;
  readonly ready: ReadyAnswer;
  readonly flags: FlagsAnswer;
  readonly queue: QueueAnswer;
  readonly leased: readonly ListedTaskAnswer[];
  readonly held: readonly ListedTaskAnswer[];
  readonly dead: readonly ListedTaskAnswer[];
  /** Tasks of issues that carry the label `approved`. */
  readonly approved: readonly ListedTaskAnswer[];
  readonly agents: readonly AgentAnswer[];
}

/** More than fit on a screen; the counts say how many there are in all. */
const SHOWN = 200;

export async function takeSnapshot(client: Client, signal?: AbortSignal): Promise<Snapshot> {
  const options = signal === undefined ? {} : { signal };
  const [ready, flags, queue, leased, held, dead, approved, agents] = await Promise.all([
    client.ready(options),
    client.flags(options),
    client.queue(options),
    client.tasks({ state: 'leased', limit: SHOWN }, options),
    client.tasks({ state: 'held', limit: SHOWN }, options),
    client.tasks({ state: 'dead', limit: SHOWN }, options),
    client.tasks({ label: 'approved', limit: SHOWN }, options),
    client.agents(options),
  ]);
  return {
    address: client.address,
    ready,
    flags,
    queue,
    leased: leased.tasks,
    held: held.tasks,
    dead: dead.tasks,
    approved: approved.tasks,
    agents: agents.agents,
  };
}
