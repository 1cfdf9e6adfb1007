// Logs of attempts: the holder of a lease writes, anybody reads and may wait for more.

import { textOfPage } from '../../core/attempt/log-store.ts';
import { BantoError } from '../../core/errors.ts';
import type { Attempt } from '../../core/task.ts';
import type { Broker, LogRequest, LogText } from '../broker.ts';
import type { Context } from '../context.ts';
import { type Listing, leaseLost, named, unknownOrUnlisted, unknownTask } from '../finish.ts';
import { notTheHolder } from './holder.ts';

const LOOK_EVERY_MS = 500;

function noLog({ taskId, fence }: LogRequest): BantoError {
  const which = fence === null ? `The task ${taskId}` : `The attempt ${fence} at ${taskId}`;
  return new BantoError('not_found', `${which} has no log here.`);
}

/** An attempt that is not remembered any more has ended somehow. */
function endOf(attempts: readonly Attempt[], fence: number): LogText['ended'] {
  const attempt = attempts.find((one) => one.fence === fence);
  return attempt === undefined ? 'expired' : attempt.outcome;
}

export function createLogs(
  { store, timers }: Context,
  listing: Listing,
): Pick<Broker, 'appendLog' | 'log'> {
  async function look(request: LogRequest): Promise<LogText & { readonly more: boolean }> {
    const { taskId, offset, limit } = request;
    const detail = await store.task(taskId);
    if (detail === null) throw unknownTask(taskId);
    const running = detail.task.lease?.fence ?? null;
    // Somebody who follows a task that has just been taken waits for its first line.
    const waits = request.followSeconds > 0 ? running : null;
    const newest = async () =>
      (await store.logs.fences(taskId)).at(-1) ?? detail.attempts.at(-1)?.fence;
    const fence = request.fence ?? waits ?? (await newest());
    if (fence === undefined) return { fence: 0, text: '', nextOffset: 0, ended: null, more: false };
    const ended = endOf(detail.attempts, fence);
    const page = await store.logs.read(taskId, fence, offset, limit);
    if (page === null) {
      // An attempt that has not said anything has an empty log.
      if (!detail.attempts.some((attempt) => attempt.fence === fence)) throw noLog(request);
      return { fence, text: '', nextOffset: offset, ended, more: false };
    }
    const whole = ended !== null && page.offset + page.bytes.length >= page.size;
    const { text, used } = textOfPage(page.bytes, whole);
    return { fence, text, nextOffset: page.offset + used, ended, more: used > 0 };
  }

  function pause(ms: number, signal?: AbortSignal): Promise<void> {
    const over = Promise.withResolvers<void>();
    const cancel = timers.after(ms, over.resolve);
    signal?.addEventListener('abort', () => over.resolve(), { once: true });
    return over.promise.finally(cancel);
  }

  return {
    async appendLog(input) {
      const { taskId, offset, text } = input;
      named(taskId);
      const whose = await store.whose(input);
      if (whose.outcome === 'lease_lost') throw leaseLost(taskId);
      if (whose.outcome === 'forbidden') throw notTheHolder(input);
      if (whose.outcome === 'not_found') throw await unknownOrUnlisted(taskId, listing);
      return store.logs.append(taskId, whose.fence, offset, Buffer.from(text, 'utf8'));
    },
    async log(request, signal) {
      named(request.taskId);
      let found = await look(request);
      const until = (await store.now()) + request.followSeconds * 1000;
      while (!found.more && found.ended === null && signal?.aborted !== true) {
        const left = until - (await store.now());
        if (left <= 0) break;
        await pause(Math.min(LOOK_EVERY_MS, left), signal);
        found = await look(found.fence === 0 ? request : { ...request, fence: found.fence });
      }
      const { more: _more, ...text } = found;
      return text;
    },
  };
}
