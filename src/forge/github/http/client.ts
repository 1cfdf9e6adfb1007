// One way to GitHub: Octokit with our pacing put under its throttling, so that all instances together keep to
// GitHub's limits. Everything that leaves Banto for GitHub passes here.

import { createHash } from 'node:crypto';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import { RequestError } from '@octokit/request-error';
import { type ForgeBudget, ForgeBusy } from '../../../core/forge.ts';
import type { OpenPace } from '../../../core/pace/pace.ts';
import { createProcessPace } from './process-pace.ts';
import { createThrottle, DEFAULT_PACING, type Pacing, readReport } from './throttle.ts';

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

/** Whose limits these are. Part of a key in the store: it must not give the secret away. */
function identityOf(apiUrl: string, auth: GithubAuth): string {
  const who = auth.kind === 'token' ? auth.token : `${auth.appId} ${auth.installationId}`;
  return createHash('sha256').update(`${apiUrl} ${auth.kind} ${who}`).digest('hex').slice(0, 16);
}

const quiet = () => undefined;
// The last is the outermost: what is repeated takes a place of its own, and asks again whether it may leave.
const BantoOctokit = Octokit.plugin(throttling, retry);
/** Its own list, and 429: told to wait, nobody asks again. */
const NOT_REPEATED = [400, 401, 403, 404, 410, 422, 429, 451];
export function createClient(options: ClientOptions): Client {
  const { now, after, auth } = options;
  const baseUrl = options.apiUrl.replace(/\/{1,20}$/, '');
  const pacing: Pacing = { ...DEFAULT_PACING, ...options.pacing };
  const { writes, reads, content, sent, writesAtOnce, atOnce, readReserve } = pacing;
  const limits = { writes, reads, content, sent, writesAtOnce, atOnce, readReserve };
  const pace =
    options.openPace?.(identityOf(baseUrl, auth), limits) ?? createProcessPace(limits, now);
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
    retry: { retries: 2, retryAfterBaseValue: pacing.retryBaseMs, doNotRetry: NOT_REPEATED },
    throttle: createThrottle({ pace, pacing, now, after }) as never,
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
      const { blockedMs } = readReport(error, now());
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
      const { blockedMs, budget } = await pace.status();
      if (budget === null) return null;
      const { limit, remaining, resetMs } = budget;
      const blockedUntil = blockedMs > 0 ? now() + blockedMs : null;
      return { limit, remaining, resetAt: now() + resetMs, blockedUntil };
    },
  };
}
