// Trying again when the connection is lost. Only calls that may be repeated come here with a patience
// other than `none`; the back-off is bounded, so that a command ends.

import { setTimeout as sleep } from 'node:timers/promises';
import { BantoError, isRefusedForNow } from '../core/errors.ts';
import { Silence } from './transport.ts';

/**
 * `none`: the call may not be repeated. `lost`: repeat when an answer was lost on the way; a server that
 * is not there at all is told at once. `work`: an agent's finished work is at stake, so that a server
 * that restarts or is busy is waited for as well.
 */
export type Patience = 'none' | 'lost' | 'work';

export interface RetryOptions {
  /** The pauses between attempts; their number bounds the attempts. */
  readonly delaysMs: readonly number[];
  readonly random: () => number;
}

export const DEFAULT_RETRY: RetryOptions = {
  delaysMs: [200, 400, 800, 1600, 3200],
  random: Math.random,
};

const MAX_BUSY_MS = 5000;

function wasRefused(error: BantoError): boolean {
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  const [first] = cause instanceof AggregateError ? (cause.errors as NodeJS.ErrnoException[]) : [];
  const code = cause?.code ?? first?.code;
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'].includes(
    code ?? '',
  );
}

function mayRepeat(error: unknown, patience: Patience, lostBefore: boolean): error is BantoError {
  if (!(error instanceof BantoError) || patience === 'none') return false;
  if (error.code !== 'unreachable' && isRefusedForNow(error.code)) return patience === 'work';
  if (error.code !== 'unreachable' || error.cause === undefined) return false;
  if (error.cause instanceof Silence) return false;
  // A server that went away in mid-call is restarting: being refused then is part of the loss.
  return patience === 'work' || lostBefore || !wasRefused(error);
}

export async function withRetry<T>(
  attempt: () => Promise<T>,
  patience: Patience,
  options: RetryOptions,
  signal?: AbortSignal,
): Promise<T> {
  let lost = false;
  for (let turn = 0; ; turn += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = options.delaysMs[turn];
      if (delayMs === undefined || !mayRepeat(error, patience, lost)) throw error;
      lost ||= error.code === 'unreachable' && !wasRefused(error);
      const asked = Math.min((error.retryAfterSeconds ?? 0) * 1000, MAX_BUSY_MS);
      const jittered = delayMs * (0.5 + options.random() / 2);
      await sleep(Math.max(asked, jittered), undefined, signal === undefined ? {} : { signal });
    }
  }
}
