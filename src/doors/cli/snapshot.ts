// What `banto status` reads from the server.

import type { Client } from '../../client/client.ts';
import type { Event } from '../schema/events.ts';
import type { TaskDetailAnswer } from '../schema/task.ts';
import type { Aside, Snapshot } from './status-view.ts';

/** How many leased tasks are looked at closely; a screen shows no more. */
const CLOSE_LOOKS = 40;

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

function asideOf(task: TaskDetailAnswer): Aside {
  const fence = task.lease?.fence;
  const attempt = task.earlier_attempts.find((one) => one.fence === fence);
  const history: readonly Event[] = task.history;
  const notes = history
    .filter((event) => event['fence'] === fence)
    .map((event) => event['progress'])
    .filter((note) => typeof note === 'string');
  return { title: task.title, progress: attempt?.progress.at(-1) ?? notes.at(-1) ?? '' };
}

/** Titles and progress of the leased tasks, which a listing does not carry. */
export async function lookClosely(
  client: Client,
  snapshot: Snapshot,
): Promise<ReadonlyMap<string, Aside>> {
  const shown = snapshot.leased.slice(0, CLOSE_LOOKS);
  const looks = await Promise.allSettled(shown.map((task) => client.task(task.task_id)));
  // A task that is gone by now simply has no aside.
  return new Map(
    looks.flatMap((look) =>
      look.status === 'fulfilled' ? [[look.value.task_id, asideOf(look.value)] as const] : [],
    ),
  );
}
