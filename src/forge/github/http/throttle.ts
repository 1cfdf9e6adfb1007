// What stands between Octokit and GitHub: every request takes its place, waits for its turn, asks once more as it
// leaves, and tells what its answer said about the limits.

import { randomUUID } from 'node:crypto';
import { BantoError } from '../../../core/errors.ts';
import { ForgeBusy } from '../../../core/forge.ts';
import type {
  Departure,
  LimitReport,
  Line,
  Pace,
  PaceLimits,
  Wait,
} from '../../../core/pace/pace.ts';
import { readAllowance, waitMsOf } from './rate-limit-headers.ts';
import { createSemaphore } from './semaphore.ts';

export interface Pacing extends PaceLimits {
  /** How long a write waits for its place before it is put off. */
  readonly mostWaitMs: number;
  /** Of this process; `atOnce` is for all. */
  readonly readsAtOnce: number;
  readonly timeoutMs: number;
  readonly retryBaseMs: number;
}

export const DEFAULT_PACING: Pacing = {
  writes: { burst: 20, perMinute: 60 },
  reads: { burst: 60, perMinute: 420 },
  content: { perMinute: 78, perHour: 490 },
  // In case GitHub counts every write as content.
  sent: { perMinute: 78, perHour: null },
  mostWaitMs: 4000,
  // GitHub asks for writes one after the other, and for at most 100 requests at once.
  writesAtOnce: 1,
  readsAtOnce: 4,
  atOnce: 80,
  readReserve: 0.1,
  // Longer than GitHub at its slowest (it gives up after 10 s), shorter than the outbox' lock.
  timeoutMs: 20_000,
  retryBaseMs: 1000,
};

/** GitHub counts GraphQL in a budget of its own, and that one is used up. */
export class GraphqlUsedUp extends ForgeBusy {}

const SENTENCES: Record<Wait['reason'], string> = {
  blocked: 'GitHub asked for patience.',
  core: "GitHub's hourly budget is used up.",
  graphql: "GitHub's hourly budget for GraphQL is used up.",
  pace: "Paced, to stay under GitHub's limits.",
  turn: 'Too many requests to GitHub are under way.',
};

const PUT_OFF_MS = 1000;

function busyFor({ waitMs, reason }: Wait): ForgeBusy {
  const Busy = reason === 'graphql' ? GraphqlUsedUp : ForgeBusy;
  return new Busy(reason === 'turn' ? PUT_OFF_MS : waitMs, SENTENCES[reason]);
}

/** Nothing is sent unpaced: while the shared pace cannot be asked, everything waits. */
function refuseUnpaced(error: unknown): never {
  if (!(error instanceof BantoError && error.code === 'busy')) throw error;
  throw new ForgeBusy(PUT_OFF_MS, 'The pace that is shared by all instances cannot be asked.', {
    cause: error,
  });
}

const NO_REPORT: LimitReport = { blockedMs: 0, budget: null };
const quiet = () => undefined;

interface ThrottleOptions {
  readonly pace: Pace;
  readonly pacing: Pacing;
  readonly now: () => number;
  readonly after: (ms: number, fn: () => void) => () => void;
}

export function createThrottle({ pace, pacing, now, after }: ThrottleOptions) {
  const writers = createSemaphore(pacing.writesAtOnce, after);
  const readers = createSemaphore(pacing.readsAtOnce, after);

  const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));

  async function take(line: Line, mostWaitMs: number): Promise<void> {
    const place = await pace.take(line, mostWaitMs).catch(refuseUnpaced);
    if ('reason' in place) throw busyFor(place);
    if (place.waitMs > 0) await pause(place.waitMs);
  }

  /** Nothing that was said before this instant, to whichever instance, is overlooked. */
  async function leave(id: string, as: Departure): Promise<void> {
    const lastAt = now() + pacing.mostWaitMs;
    for (;;) {
      const wait = await pace.leave(id, as).catch(refuseUnpaced);
      if (wait === null) return;
      const mayPass = wait.reason === 'pace' || wait.reason === 'turn';
      if (!mayPass || now() + wait.waitMs > lastAt) throw busyFor(wait);
      await pause(wait.waitMs);
    }
  }

  type Sent = { readonly method?: string; readonly url?: string };
  type Job<T> = (request?: Sent) => Promise<T>;

  /** What the throttling plugin schedules its requests with; it says which of them are writes and which notify. */
  const group = (run: <T>(job: Job<T>, request: Sent | undefined) => Promise<T>) => ({
    key: () => ({
      schedule: <T>(_weight: unknown, job: Job<T>, request?: Sent) => run(job, request),
    }),
  });
  const afterPlace = (line: Line) =>
    group(async (job, request) => {
      await take(line, pacing.mostWaitMs);
      return job(request);
    });

  return {
    write: afterPlace('writes'),
    notifications: afterPlace('content'),
    global: group(async (job, request) => {
      const as = departureOf(request ?? {});
      if (as === 'read') await take('reads', Number.POSITIVE_INFINITY);
      const release = await (as === 'read' ? readers : writers).acquire(pacing.timeoutMs);
      const id = randomUUID();
      let report = NO_REPORT;
      try {
        await leave(id, as);
        try {
          const answer = await job(request);
          report = readReport(answer, now());
          return answer;
        } catch (error) {
          report = readReport(error, now());
          throw error;
        } finally {
          // Told before anybody else may leave.
          await pace.arrive(id, report);
        }
      } finally {
        release();
      }
    }),
    // The block itself is set by `arrive`, from the headers and in our own clock; nothing waits inside a request.
    onRateLimit: quiet,
    onSecondaryRateLimit: quiet,
  };
}

interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

/** Every answer, good or bad, says how much is left. */
export function readReport(outcome: unknown, now: number): LimitReport {
  const said = headersOf(outcome);
  if (said === null) return NO_REPORT;
  const { status, headers, message } = said;
  const blockedMs = waitMsOf(status, headers, message, now) ?? 0;
  return { blockedMs, budget: readAllowance(headers, now) };
}

function departureOf({ method, url = '' }: { method?: string; url?: string }): Departure {
  if (method === 'GET') return 'read';
  return url.endsWith('/graphql') ? 'graphql' : 'write';
}

/** From an answer, or from an error that carries one; null: there was none. */
function headersOf(outcome: unknown): (Said & { message: string }) | null {
  const failed = outcome instanceof Error;
  const answer = (failed ? (outcome as { response?: unknown }).response : outcome) as
    | Said
    | undefined;
  if (answer?.headers === undefined) return null;
  return { ...answer, message: failed ? outcome.message : '' };
}
