// What `banto status` reads from the server.

import type { Client } from '../../client/client.ts';
import type { Snapshot } from './status-view.ts';

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
