// One way to GitHub: Octokit with our pacing put under its throttling, so that all instances together keep to
// GitHub's limits. Everything that leaves Banto for GitHub passes here.

import { createHash, randomUUID } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { RequestError } from '@octokit/request-error';
import { BantoError } from '../../core/errors.ts';
import { type ForgeBudget, ForgeBusy } from '../../core/forge.ts';
import type { Departure, Heard, Line, OpenPace, PaceLimits, Wait } from '../../core/pace.ts';
import { readAllowance, waitMsOf } from './limits.ts';
import { createPacer } from './pacer.ts';
import { createTurnstile } from './turnstile.ts';

interface Pacing extends PaceLimits {
  /** How long a write waits for its place before it is put off. */
  readonly mostWaitMs: number;
  /** Of this process; `atOnce` is for all. */
  readonly readsAtOnce: number;
  readonly timeoutMs: number;
  readonly retryBaseMs: number;
}

const DEFAULT_PACING: Pacing = {
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
  /** Where several instances share their pace; without it this process counts for itself. */
  readonly openPace?: OpenPace;
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
  budget(): Promise<ForgeBudget | null>;
}

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
function standStill(error: unknown): never {
  if (!(error instanceof BantoError && error.code === 'busy')) throw error;
  throw new ForgeBusy(PUT_OFF_MS, 'The pace that is shared by all instances cannot be asked.', {
    cause: error,
  });
}

/** Whose limits these are. Part of a key in the store: it must not give the secret away. */
function identityOf(apiUrl: string, auth: GithubAuth): string {
  const who = auth.kind === 'token' ? auth.token : `${auth.appId} ${auth.installationId}`;
  return createHash('sha256').update(`${apiUrl} ${auth.kind} ${who}`).digest('hex').slice(0, 16);
}

const UNHEARD: Heard = { blockedMs: 0, budget: null };
const BantoOctokit = Octokit.plugin(retry, throttling);
const quiet = () => undefined;

export function createClient(options: ClientOptions): Client {
  const { now, after, auth } = options;
  const baseUrl = options.apiUrl.replace(/\/+$/, '');
  const pacing: Pacing = { ...DEFAULT_PACING, ...options.pacing };
  const { writes, reads, content, sent, writesAtOnce, atOnce, readReserve } = pacing;
  const limits = { writes, reads, content, sent, writesAtOnce, atOnce, readReserve };
  const pace = options.openPace?.(identityOf(baseUrl, auth), limits) ?? createPacer(limits, now);
  const writers = createTurnstile(pacing.writesAtOnce, after);
  const readers = createTurnstile(pacing.readsAtOnce, after);

  const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));

  async function take(line: Line, mostWaitMs: number): Promise<void> {
    const place = await pace.take(line, mostWaitMs).catch(standStill);
    if ('reason' in place) throw busyFor(place);
    if (place.waitMs > 0) await pause(place.waitMs);
  }

  /** Nothing that was said before this instant, to whichever instance, is overlooked. */
  async function leave(id: string, as: Departure): Promise<void> {
    const lastAt = now() + pacing.mostWaitMs;
    for (;;) {
      const wait = await pace.leave(id, as).catch(standStill);
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

  const throttle = {
    write: afterPlace('writes'),
    notifications: afterPlace('content'),
    global: group(async (job, request) => {
      const as = departureOf(request ?? {});
      if (as === 'read') await take('reads', Number.POSITIVE_INFINITY);
      const makeRoom = await (as === 'read' ? readers : writers).enter(pacing.timeoutMs);
      const id = randomUUID();
      let heard = UNHEARD;
      try {
        await leave(id, as);
        try {
          const answer = await job(request);
          heard = listen(answer);
          return answer;
        } catch (error) {
          heard = listen(error);
          throw error;
        } finally {
          // Told before anybody else may leave.
          await pace.arrive(id, heard);
        }
      } finally {
        makeRoom();
      }
    }),
    // The block itself is set by `arrive`, from the headers and in our own clock; nothing waits inside a request.
    onRateLimit: quiet,
    onSecondaryRateLimit: quiet,
  };

  /** Every answer, good or bad, says how much is left. */
  function listen(outcome: unknown): Heard {
    const said = headersOf(outcome);
    if (said === null) return UNHEARD;
    const { status, headers, message } = said;
    const blockedMs = waitMsOf(status, headers, message, now()) ?? 0;
    return { blockedMs, budget: readAllowance(headers, now()) };
  }

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

  async function once<T>(route: string, parameters: Parameters): Promise<Answer<T>> {
    // Reads are repeated here; a write is repeated by the outbox, which outlives a crash.
    // Named for a read, the plugin would repeat it after any answer, a 304 too.
    const repeated = route.startsWith('GET ') ? {} : { retries: 0 };
    // GitHub Enterprise has it beside the REST address, not under it.
    const to = route === 'POST /graphql' ? `POST ${baseUrl.replace(/\/v3$/, '')}/graphql` : route;
    try {
      return (await octokit.request(to, { ...parameters, request: repeated })) as Answer<T>;
    } catch (error) {
      const { blockedMs } = listen(error);
      if (blockedMs === 0) throw error;
      const words = (error as Error).message.slice(0, 200);
      throw new ForgeBusy(blockedMs, `GitHub asked for patience: ${words}`, { cause: error });
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
    async budget() {
      const { blockedMs, budget } = await pace.known();
      if (budget === null) return null;
      const { limit, remaining, resetMs } = budget;
      const blockedUntil = blockedMs > 0 ? now() + blockedMs : null;
      return { limit, remaining, resetAt: now() + resetMs, blockedUntil };
    },
  };
}

function departureOf({ method, url = '' }: { method?: string; url?: string }): Departure {
  if (method === 'GET') return 'read';
  return url.endsWith('/graphql') ? 'graphql' : 'write';
}

/** From an answer, or from an error that carries one; null: there was none. */
function headersOf(outcome: unknown): (Answer<unknown> & { message: string }) | null {
  const failed = outcome instanceof Error;
  const answer = (failed ? (outcome as { response?: unknown }).response : outcome) as
    | Answer<unknown>
    | undefined;
  if (answer?.headers === undefined) return null;
  return { ...answer, message: failed ? outcome.message : '' };
}
