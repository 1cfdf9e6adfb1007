// Logs and metrics. No secret ever leaves through here: every line is scrubbed as it is written.

import { type DestinationStream, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { BantoError } from './core/errors.ts';
import type { ForgeBudget } from './core/forge.ts';
import { createScrubber } from './core/secrets.ts';
import type { QueueView } from './core/store.ts';

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

// A request for work may wait for 300 seconds; everything else should be in the first buckets.
const SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300];

function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    calls: new Counter({
      name: 'banto_verb_total',
      help: 'Calls by verb',
      labelNames: ['verb'],
      registers,
    }),
    errors: new Counter({
      name: 'banto_verb_errors_total',
      help: 'Failed calls by verb and error code',
      labelNames: ['verb', 'code'],
      registers,
    }),
    seconds: new Histogram({
      name: 'banto_verb_duration_seconds',
      help: 'Duration of calls by verb, waiting included',
      labelNames: ['verb'],
      buckets: SECONDS,
      registers,
    }),
    answers: new Counter({
      name: 'banto_http_answers_total',
      help: 'HTTP answers by route, method and status',
      labelNames: ['route', 'method', 'status'],
      registers,
    }),
    tasks: new Gauge({
      name: 'banto_tasks',
      help: 'Tasks by state, kind and priority',
      labelNames: ['state', 'kind', 'priority'],
      registers,
    }),
    oldest: new Gauge({
      name: 'banto_oldest_ready_timestamp_seconds',
      help: 'The instant the oldest ready task joined the queue; 0 when there is none',
      registers,
    }),
    waiting: new Gauge({
      name: 'banto_waiting_agents',
      help: 'Agents that wait for a task',
      registers,
    }),
    outbox: new Gauge({
      name: 'banto_outbox_writes',
      help: 'Ledger writes that are not done yet',
      labelNames: ['status'],
      registers,
    }),
    budget: new Gauge({
      name: 'banto_forge_requests',
      help: "Requests of the forge's hourly limit: the limit, what is left, when it is full again, silence until",
      labelNames: ['part'],
      registers,
    }),
    usage: new Gauge({
      name: 'banto_usage_today',
      help: 'What agents used since midnight UTC: dollars, tokens and turns, in all and by agent or model',
      labelNames: ['what', 'by', 'name'],
      registers,
    }),
    storeUp: new Gauge({ name: 'banto_store_up', help: '1 when the store answered', registers }),
  };
}

type Metrics = ReturnType<typeof createMetrics>;

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
    metricsType: metrics.registry.contentType,
    metrics: () => metrics.registry.metrics(),
  };
}
