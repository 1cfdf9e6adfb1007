// Every metric there is. Names and meanings are in docs/metrics.md; a test compares both.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

// A request for work may wait for 300 seconds; everything else should be in the first buckets.
const CALL_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300];
const STORE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const FORGE_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const HAND_OUT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
// Tasks live for seconds in a demo and for days in a backlog.
const TASK_SECONDS = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400, 604_800];

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <T extends string>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: readonly T[] = [],
  ) => new Histogram({ name, help, buckets, labelNames, registers });
  return {
    registry,
    calls: counter('banto_verb_total', 'Calls by verb', ['verb']),
    errors: counter('banto_verb_errors_total', 'Failed calls by verb and error code', [
      'verb',
      'code',
    ]),
    seconds: histogram(
      'banto_verb_duration_seconds',
      'Duration of calls by verb, waiting included',
      CALL_SECONDS,
      ['verb'],
    ),
    answers: counter('banto_http_answers_total', 'HTTP answers by route, method and status', [
      'route',
      'method',
      'status',
    ]),
    handOut: histogram(
      'banto_hand_out_duration_seconds',
      'From the lease to the answer: branch and labels are written in this time',
      HAND_OUT_SECONDS,
    ),
    tasks: gauge('banto_tasks', 'Tasks by state, kind and priority', ['state', 'kind', 'priority']),
    oldest: gauge(
      'banto_oldest_ready_timestamp_seconds',
      'The instant the oldest ready task joined the queue; 0 when there is none',
    ),
    waiting: gauge('banto_waiting_agents', 'Agents that wait for a task'),
    agents: gauge('banto_agents', 'Agents by status', ['status']),
    outbox: gauge('banto_outbox_writes', 'Ledger writes that are not done yet', ['status']),
    budget: gauge(
      'banto_forge_requests',
      "Requests of the forge's hourly limit: the limit, what is left, when it is full again, silence until",
      ['part'],
    ),
    storeUp: gauge('banto_store_up', '1 when the store answered'),
    storeCalls: histogram(
      'banto_store_call_duration_seconds',
      'Duration of calls to the store',
      STORE_SECONDS,
      ['call'],
    ),
    storeErrors: counter('banto_store_call_errors_total', 'Calls to the store that failed', [
      'call',
    ]),
    forgeCalls: histogram(
      'banto_forge_call_duration_seconds',
      'Duration of calls to the forge; waiting for its limits is included',
      FORGE_SECONDS,
      ['call'],
    ),
    forgeErrors: counter('banto_forge_call_errors_total', 'Calls to the forge that failed', [
      'call',
    ]),
    facts: counter('banto_task_events_total', 'What happened to tasks, from the facts', [
      'event',
      'kind',
    ]),
    waited: histogram(
      'banto_task_waiting_seconds',
      'How long a task was ready before an agent got it',
      TASK_SECONDS,
      ['kind'],
    ),
    worked: histogram(
      'banto_task_working_seconds',
      'How long an agent held a task that it completed or failed',
      TASK_SECONDS,
      ['kind', 'outcome'],
    ),
    ledgerWrites: counter('banto_ledger_writes_total', 'Ledger writes by result', ['result']),
    notifications: counter('banto_notifications_total', 'Messages to NOTIFY_URL by result', [
      'result',
    ]),
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
