// What a request means for the task that its agent still holds: answered, resumed, or ended first.

import { meetUnfinished, type OnUnfinished } from '../../core/attempt/unfinished.ts';
import { BantoError } from '../../core/errors.ts';
import type { HandOut } from '../../core/store.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { Broker } from '../broker.ts';
import type { Context } from '../context.ts';
import { WRITE_LOCK_MS } from '../outbox.ts';

/** Null: it is ended, or was at this very instant; ask again. */
export type ResolveUnfinished = (
  unfinished: HandOut,
  ticket: Ticket,
  onUnfinished: OnUnfinished,
  completed: (taskId: string) => void,
) => Promise<HandOut | null>;

/** Expired or finished meanwhile: then there is nothing left to resolve. */
const isOver = (error: unknown) =>
  error instanceof BantoError && (error.code === 'lease_lost' || error.code === 'conflict');

export function createResolveUnfinished(
  { store }: Pick<Context, 'store'>,
  finish: Pick<Broker, 'complete' | 'fail' | 'release'>,
): ResolveUnfinished {
  const asAnswer = ({ agentId, requestId }: Ticket) =>
    store.recall({ agentId, requestId, takeOver: true, writeLockMs: WRITE_LOCK_MS });

  async function resolve(
    ...[unfinished, ticket, onUnfinished, completed]: Parameters<ResolveUnfinished>
  ): Promise<HandOut | null> {
    const { task, lease, answered } = unfinished;
    const held = { taskId: task.id, token: lease.token };
    switch (meetUnfinished({ answered, kind: task.kind }, onUnfinished)) {
      case 'answer':
        return asAnswer(ticket);
      case 'resume':
        return unfinished;
      case 'release':
        await finish.release({ ...held, reason: 'the agent asked for another task' });
        return null;
      case 'fail': {
        const reason = 'the agent asked for another task without a verdict';
        await finish.fail({ ...held, reason, retryable: true, delaySeconds: null });
        return null;
      }
      case 'complete': {
        const summary = 'finished: the agent asked for another task';
        await finish.complete({ ...held, summary, prNumber: null, verdict: null, comments: [] });
        completed(task.id);
        return null;
      }
    }
  }

  return (...found) =>
    resolve(...found).catch((error: unknown) => {
      if (isOver(error)) return null;
      throw error;
    });
}
