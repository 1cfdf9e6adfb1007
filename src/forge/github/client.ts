// One way to GitHub: Octokit with our pacing put under its throttling, so that one process (and later all
// instances together) keeps to GitHub's limits. Everything that leaves Banto for GitHub passes here.

import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { RequestError } from '@octokit/request-error';
import { type ForgeBudget, ForgeBusy } from '../../core/forge.ts';
import { readBudget, waitUntil } from './limits.ts';
import { type Bucket, createBucket, createWindow, type Rate } from './pacer.ts';
import { createTurnstile } from './turnstile.ts';

interface Pacing {
  readonly writes: Rate;
  readonly reads: Rate;
  /** What creates content and notifies people: GitHub's own limits on it. */
  readonly content: { readonly perMinute: number; readonly perHour: number };
  /** Writes of any kind as they leave, in case GitHub counts them all as content. */
  readonly sent: { readonly perMinute: number; readonly perHour: number };
  /** How long a write waits for its place before it is put off. */
  readonly mostWaitMs: number;
  /** GitHub asks for writes one after the other. */
  readonly writesAtOnce: number;
  readonly readsAtOnce: number;
  readonly timeoutMs: number;
  readonly retryBaseMs: number;
}

const DEFAULT_PACING: Pacing = {
  writes: { burst: 20, perMinute: 60 },
  reads: { burst: 60, perMinute: 420 },
  content: { perMinute: 78, perHour: 490 },
  sent: { perMinute: 78, perHour: Number.POSITIVE_INFINITY },
  mostWaitMs: 4000,
  writesAtOnce: 1,
  readsAtOnce: 4,
  // Longer than GitHub at its slowest (it gives up after 10 s), shorter than the outbox' lock.
  timeoutMs: 20_000,
  retryBaseMs: 1000,
};

export type GithubAuth =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'app';
      readonly appId: number;
      readonly privateKey: string;
      readonly installationId: number;
    };

export interface ClientOptions {
  readonly apiUrl: string;
  readonly auth: GithubAuth;
  readonly now: () => number;
  readonly after: (ms: number, fn: () => void) => () => void;
  readonly fetch?: typeof fetch;
  readonly pacing?: Partial<Pacing>;
  /** Shared by all instances where there are several. */
  readonly bucket?: Bucket;
}

export interface Answer<T> {
  readonly status: number;
  readonly data: T;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
}

/** The path leads elsewhere: the repository was renamed, or the issue transferred. */
export class Moved extends Error {
  readonly location: string;
  constructor(location: string) {
    super(`GitHub says that this has moved to ${location}.`);
    this.name = 'Moved';
    this.location = location;
  }
}

type Parameters = Readonly<Record<string, unknown>>;

export interface Client {
  /** `route` as in GitHub's documentation: `GET /repos/{owner}/{repo}`. */
  request<T>(route: string, parameters?: Parameters): Promise<Answer<T>>;
  /** Null: nothing has changed since the answer with this ETag. */
  ifChanged<T>(
    route: string,
    etag: string | null,
    parameters: Parameters,
  ): Promise<Answer<T> | null>;
  budget(): ForgeBudget | null;
}

/** Part of the hourly budget is kept for writes: reads stop before it. */
const READ_RESERVE = 0.1;
const BantoOctokit = Octokit.plugin(retry, throttling);
const quiet = () => undefined;

export function createClient(options: ClientOptions): Client {
  const { now, after, auth } = options;
  const pacing: Pacing = { ...DEFAULT_PACING, ...options.pacing };
  const writes = options.bucket ?? createBucket(pacing.writes, now);
  const reads = createBucket(pacing.reads, now);
  const content = createWindow(pacing.content, now);
  // Those that stood in line go out later than the bucket thought: counted again as they leave.
  const sent = createWindow(pacing.sent, now);
  const writers = createTurnstile(pacing.writesAtOnce, after);
  const readers = createTurnstile(pacing.readsAtOnce, after);
  let budget: ForgeBudget | null = null;
  let blockedUntil = 0;
  let inFlight = 0;

  const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));

  async function refuseWhileBlocked(write: boolean): Promise<void> {
    const blockedMs = await writes.blockedMs();
    if (blockedMs > 0) throw new ForgeBusy(blockedMs, 'GitHub asked for patience.');
    if (budget === null || now() >= budget.resetAt) return;
    const reserve = write ? 0 : Math.floor(budget.limit * READ_RESERVE);
    if (budget.remaining - inFlight <= reserve) {
      throw new ForgeBusy(budget.resetAt - now(), "GitHub's hourly budget is used up.");
    }
  }

  async function pace(bucket: Pick<Bucket, 'take'>, mostWaitMs: number): Promise<void> {
    const { taken, waitMs } = await bucket.take(mostWaitMs);
    if (!taken) throw new ForgeBusy(waitMs, "Paced, to stay under GitHub's limits.");
    if (waitMs > 0) await pause(waitMs);
  }

  /** What the throttling plugin schedules its requests with; it says which of them are writes and which notify. */
  const group = (enter: (options: { method?: string } | undefined) => Promise<() => void>) => ({
    key: () => ({
      async schedule<T>(
        _weight: unknown,
        job: (request?: { method?: string }) => Promise<T>,
        request?: { method?: string },
      ): Promise<T> {
        const leave = await enter(request);
        try {
          return await job(request);
        } finally {
          leave();
        }
      },
    }),
  });

  const throttle = {
    write: group(async () => {
      await refuseWhileBlocked(true);
      await pace(writes, pacing.mostWaitMs);
      return quiet;
    }),
    notifications: group(async () => {
      await pace(content, pacing.mostWaitMs);
      return quiet;
    }),
    global: group(async (request) => {
      const write = request?.method !== 'GET';
      await refuseWhileBlocked(write);
      if (!write) await pace(reads, Number.POSITIVE_INFINITY);
      const leave = await (write ? writers : readers).enter(pacing.timeoutMs);
      try {
        if (write) await pace(sent, pacing.mostWaitMs);
        // It may have been said while this one stood in line.
        await refuseWhileBlocked(write);
      } catch (error) {
        leave();
        throw error;
      }
      inFlight += 1;
      return () => {
        inFlight -= 1;
        leave();
      };
    }),
    // The block itself is set below, from the headers and in our own clock; nothing waits inside a request.
    onRateLimit: quiet,
    onSecondaryRateLimit: quiet,
  };

  const baseUrl = options.apiUrl.replace(/\/+$/, '');
  const send = options.fetch ?? fetch;
  const octokit = new BantoOctokit({
    baseUrl,
    userAgent: 'banto',
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    request: {
      redirect: 'manual',
      // One time limit for each attempt, the body included.
      fetch: (url: string, init: RequestInit) =>
        send(url, { ...init, signal: AbortSignal.timeout(pacing.timeoutMs) }),
    },
    retry: { retries: 2, retryAfterBaseValue: pacing.retryBaseMs },
    throttle: throttle as never,
    ...(auth.kind === 'token'
      ? { auth: auth.token }
      : {
          authStrategy: createAppAuth,
          auth: {
            appId: auth.appId,
            privateKey: auth.privateKey,
            installationId: auth.installationId,
          },
        }),
  });

  /** Every answer, good or bad, says how much is left. */
  async function note(status: number, headers: Answer<unknown>['headers'], message: string) {
    budget = readBudget(headers, now()) ?? budget;
    const until = waitUntil(status, headers, message, now());
    if (until === null) return;
    blockedUntil = Math.max(blockedUntil, until);
    await writes.block(until);
    throw new ForgeBusy(until - now(), `GitHub asked for patience: ${message.slice(0, 200)}`);
  }

  async function once<T>(route: string, parameters: Parameters): Promise<Answer<T>> {
    // Reads are repeated here; a write is repeated by the outbox, which outlives a crash.
    // Named for a read, the plugin would repeat it after any answer, a 304 too.
    const repeated = route.startsWith('GET ') ? {} : { retries: 0 };
    // GitHub Enterprise has it beside the REST address, not under it.
    const to = route === 'POST /graphql' ? `POST ${baseUrl.replace(/\/v3$/, '')}/graphql` : route;
    try {
      const answer = await octokit.request(to, { ...parameters, request: repeated });
      await note(answer.status, answer.headers, '');
      return answer as Answer<T>;
    } catch (error) {
      if (error instanceof RequestError && error.response !== undefined) {
        await note(error.status, error.response.headers, error.message);
      }
      throw error;
    }
  }

  async function request<T>(route: string, parameters: Parameters = {}): Promise<Answer<T>> {
    const answer = await once<T>(route, parameters).catch(async (error: unknown) => {
      const expired = error instanceof RequestError && error.status === 401;
      if (!expired || auth.kind !== 'app') throw error;
      // An installation token may end early (a revoked one, a clock that jumped): a new one, once.
      await octokit.auth({ type: 'installation', refresh: true });
      return once<T>(route, parameters);
    });
    if (answer.status >= 300 && answer.status < 400) {
      throw new Moved(String(answer.headers['location'] ?? ''));
    }
    if (route.startsWith('GET ') && (typeof answer.data !== 'object' || answer.data === null)) {
      throw new Error(`GitHub's answer to ${route} is not whole.`);
    }
    return answer;
  }

  return {
    request,
    async ifChanged<T>(route: string, etag: string | null, parameters: Parameters) {
      if (etag === null) return request<T>(route, parameters);
      try {
        return await request<T>(route, { ...parameters, headers: { 'if-none-match': etag } });
      } catch (error) {
        if (error instanceof RequestError && error.status === 304) return null;
        throw error;
      }
    },
    budget() {
      if (budget === null) return null;
      const remaining = now() >= budget.resetAt ? budget.limit : budget.remaining;
      return { ...budget, remaining, blockedUntil: blockedUntil > now() ? blockedUntil : null };
    },
  };
}
