// The mark that an agent was told of its lease. It is made after the answer, never before: a crash between the
// two leaves a lease that looks unheard of and is answered once more. The other order would let a request complete
// work that nobody ever heard of.

import type { Broker } from '../broker.ts';
import type { Context } from '../context.ts';

export function createAnswered({ store, log }: Context): Broker['answered'] {
  return async ({ task, lease }) => {
    try {
      await store.markAnswered({ taskId: task.id, token: lease.token });
    } catch (error) {
      // The agent's first heartbeat or report proves it too.
      log.debug({ err: error, task_id: task.id }, 'could not record that a hand-out was answered');
    }
  };
}
