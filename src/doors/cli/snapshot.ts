// What `banto status` reads from the server.

import type { Client } from '../../client/client.ts';
import type { Snapshot } from './status-view.ts';

export async function takeSnapshot(client: Client, signal?: AbortSignal): Promise<Snapshot> {
  const options = signal === undefined ? {} : { signal };
  const [ready, flags, queue, leased, agents] = await Promise.all([
    client.ready(options),
    client.flags(options),
    client.queue(options),
    client.tasks({ state: 'leased', limit: 200 }, options),
    client.agents(options),
  ]);
  return {
    address: client.address,
    ready,
    flags,
    queue,
    leased: leased.tasks,
    agents: agents.agents,
  };
}
