// Logs and metrics. No secret ever leaves through here: every line is scrubbed as it is written.

import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { BantoError } from '../core/errors.ts';
import type { Fact } from '../core/facts.ts';
import type { Forge, ForgeBudget } from '../core/forge.ts';
import type { QueueView, Store } from '../core/store.ts';
import { createScrubber } from '../core/text/secrets.ts';
import { createFactLog } from './fact-log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { countFact } from './task-metrics.ts';
import { timedCalls } from './timed-calls.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
export type LogFormat = 'json' | 'pretty';

export interface Telemetry {
  readonly log: Logger;
  /** Raises the level to debug, or sets it back. Child loggers keep the level they were made with. */
  readonly setDebug: (on: boolean) => void;
  /** Counts and times one call of a verb; failures by their code. */
  readonly observe: <T>(verb: string, call: () => Promise<T>) => Promise<T>;
  countAnswer(route: string, method: string, status: number): void;
  /** Null: the store could not say. */
  showQueue(queue: (QueueView & { readonly waiting: number }) | null): void;
  /** Null: the forge has no limits, or has not said. */
  showBudget(budget: ForgeBudget | null): void;
  /** Agents by status. */
  showAgents(agents: readonly { readonly status: string }[]): void;
  /** Counts what happened and writes it to the log; `leads`: see `FactListener`. */
  readonly takeFacts: (facts: readonly Fact[], leads: boolean) => void;
  /** The same store and forge, with their calls timed and their failures counted. */
  timedStore(store: Store): Store;
  timedForge(forge: Forge): Forge;
  /** This long after the lease the answer was ready. */
  readonly handedOut: (ms: number) => void;
  readonly notified: (result: 'sent' | 'failed') => void;
  /** Runs before the metrics are read, to bring them up to date. */
  beforeMetrics(refresh: () => Promise<void>): void;
  /** What agents used today, from the counters of statistics; null: the store could not say. */
  showUsage(counters: Readonly<Record<string, number>> | null): void;
  readonly metricsType: string;
  metrics(): Promise<string>;
}

const REDACTED = '[redacted]';
const SECRET_KEYS =
  /"([a-z_-]*(?:token|secret|password|authorization|cookie|private_?key))":"(?:[^"\\]|\\.)*"/gi;
// GitHub's tokens have no fixed length any more: by prefix. `banto_` begins Banto's own.
const SECRET_WORDS = /\b(gh[a-z]_|github_pat_|banto_)[A-Za-z0-9_-]{4,}/g;
const BEARER = /\b(bearer\s+)[^\s"\\]+/gi;
const URL_PASSWORD = /\b([a-z]{2,10}:\/\/[^\s:@/"\\]{0,200}:)[^\s@/"\\]{1,500}@/gi;

export function redact(line: string): string {
  return line
    .replace(SECRET_KEYS, `"$1":"${REDACTED}"`)
    .replace(BEARER, `$1${REDACTED}`)
    .replace(SECRET_WORDS, `$1${REDACTED}`)
    .replace(URL_PASSWORD, `$1${REDACTED}@`);
}

function showQueue(metrics: Metrics, queue: Parameters<Telemetry['showQueue']>[0]): void {
  metrics.storeUp.set(queue === null ? 0 : 1);
  metrics.tasks.reset();
  if (queue === null) return;
  for (const { state, kind, priority, count } of queue.counts) {
    metrics.tasks.inc({ state, kind, priority }, count);
  }
  metrics.oldest.set((queue.oldestReadyAt ?? 0) / 1000);
  metrics.waiting.set(queue.waiting);
  metrics.outbox.set({ status: 'pending' }, queue.outbox.pending);
  metrics.outbox.set({ status: 'failing' }, queue.outbox.failing);
}

const USAGE =
  /^(?:(agent|model):(.+):)?(cost_micro_usd|input_tokens|output_tokens|cached_tokens|turns)$/;

function showUsage(metrics: Metrics, counters: Parameters<Telemetry['showUsage']>[0]): void {
  metrics.usage.reset();
  for (const [counter, value] of Object.entries(counters ?? {})) {
    const [whole, by = 'all', name = '', what = ''] = USAGE.exec(counter) ?? [];
    if (whole === undefined) continue;
    const money = what === 'cost_micro_usd';
    metrics.usage.set({ what: money ? 'cost_usd' : what, by, name }, money ? value / 1e6 : value);
  }
}

/** What people meet every day is a sentence; where it was thrown helps only whoever debugs Banto. */
function isOrdinary(error: Error): boolean {
  return error instanceof BantoError || typeof (error as NodeJS.ErrnoException).code === 'string';
}

/** Libraries hang requests, commands and their arguments on errors: none of that is for a log. */
function describeError(error: unknown, debug: boolean, format: LogFormat): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const { code, status, reason } = error as { code?: unknown; status?: unknown; reason?: unknown };
  const words = Object.entries({ code, status, reason }).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  // A fault of Banto keeps its trace where a program reads the log.
  const traced = debug || (format === 'json' && !isOrdinary(error));
  return {
    type: name,
    message,
    ...Object.fromEntries(words),
    ...(traced ? { stack } : {}),
    ...(cause === undefined ? {} : { cause: describeError(cause, debug, format) }),
  };
}

/** `it failed: Redis cannot be reached`: the error belongs to the line it explains. */
function prettyLines(write: (line: string) => void, colorize: boolean): DestinationStream {
  const format = prettyFactory({
    colorize,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname,reqId,err',
    errorLikeObjectKeys: [],
    messageFormat: ({ msg, err }) => {
      const { message = '', stack } = (err ?? {}) as { message?: string; stack?: string };
      return [msg, stack ?? message].filter((part) => part !== '' && part !== undefined).join(': ');
    },
  });
  return { write: (line) => write(format(line) ?? '') };
}

export interface TelemetryOptions {
  readonly level: LogLevel;
  readonly format?: LogFormat;
  /** Only where lines are pretty. */
  readonly color?: boolean;
  /** Takes the finished lines; without it they go to standard error, so that output stays clean. */
  readonly write?: (line: string) => void;
  /** Known secrets: taken out of every line, wherever a library puts them. */
  readonly secrets?: readonly string[];
}

function destinationOf({ format, color = false, write }: TelemetryOptions): DestinationStream {
  const raw = write === undefined ? pino.destination(2) : { write };
  return format === 'pretty' ? prettyLines((line) => raw.write(line), color) : raw;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { level, format = 'json', secrets = [] } = options;
  const scrub = createScrubber(secrets);
  const log: Logger = pino(
    {
      level,
      base: null,
      hooks: { streamWrite: (line: string) => redact(scrub(line)) },
      serializers: {
        err: (error: unknown) => describeError(error, log.level === 'debug', format),
      },
    },
    destinationOf(options),
  );
  const metrics = createMetrics();
  const logFact = createFactLog(log);
  const refreshes: (() => Promise<void>)[] = [];
  return {
    log,
    setDebug(on) {
      log.level = on ? 'debug' : level;
    },
    async observe(verb, call) {
      const stop = metrics.seconds.startTimer({ verb });
      metrics.calls.inc({ verb });
      try {
        return await call();
      } catch (error) {
        metrics.errors.inc({ verb, code: error instanceof BantoError ? error.code : 'internal' });
        throw error;
      } finally {
        stop();
      }
    },
    countAnswer: (route, method, status) => metrics.answers.inc({ route, method, status }),
    showQueue: (queue) => showQueue(metrics, queue),
    showUsage: (counters) => showUsage(metrics, counters),
    showBudget(budget) {
      metrics.budget.reset();
      if (budget === null) return;
      metrics.budget.set({ part: 'limit' }, budget.limit);
      metrics.budget.set({ part: 'remaining' }, budget.remaining);
      metrics.budget.set({ part: 'reset_timestamp_seconds' }, budget.resetAt / 1000);
      const blockedUntil = (budget.blockedUntil ?? 0) / 1000;
      metrics.budget.set({ part: 'blocked_until_timestamp_seconds' }, blockedUntil);
    },
    showAgents(agents) {
      metrics.agents.reset();
      for (const { status } of agents) metrics.agents.inc({ status });
    },
    takeFacts(facts, leads) {
      for (const fact of facts) {
        countFact(metrics, fact);
        logFact(fact, leads);
      }
    },
    timedStore: (store) =>
      timedCalls(
        store,
        {
          observe: (call, seconds) => metrics.storeCalls.observe({ call }, seconds),
          failed: (call) => metrics.storeErrors.inc({ call }),
        },
        ['close'],
      ),
    timedForge: (forge) =>
      timedCalls(
        forge,
        {
          observe: (call, seconds) => metrics.forgeCalls.observe({ call }, seconds),
          failed: (call) => metrics.forgeErrors.inc({ call }),
        },
        ['close'],
      ),
    handedOut: (ms) => metrics.handOut.observe(ms / 1000),
    notified: (result) => metrics.notifications.inc({ result }),
    beforeMetrics: (refresh) => refreshes.push(refresh),
    metricsType: metrics.registry.contentType,
    async metrics() {
      // Metrics are most wanted when something is gone: what cannot be refreshed stays as it was.
      await Promise.allSettled(refreshes.map((refresh) => refresh()));
      return metrics.registry.metrics();
    },
  };
}
