// The way of a task as a trace: the task from its acceptance to its end, in it the time it waited and each attempt.
// Made from the facts, by the instance that leads. OpenTelemetry is loaded only where OTEL_* asks for it.

import { createHash } from 'node:crypto';
import type { Attributes, Context, Tracer } from '@opentelemetry/api';
import { type Fact, isIssueFact } from '../core/facts.ts';
import { parseTaskId, type TaskState } from '../core/task.ts';

export interface Traces {
  readonly takeFacts: (facts: readonly Fact[], leads: boolean) => void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

type TaskFact = Extract<Fact, { taskId: string }>;

interface OpenTask {
  readonly acceptedAt: number;
  attempt: { readonly startedAt: number; readonly number: number } | null;
  notes: { readonly at: number; readonly text: string }[];
}

const ENDS: ReadonlySet<TaskState> = new Set(['done', 'dead', 'cancelled']);
const ATTEMPT_ENDS: ReadonlySet<Fact['type']> = new Set([
  'completed',
  'failed',
  'released',
  'expired',
  'refused',
  'unlocked',
  'cancelled',
]);
const FAILED: ReadonlySet<string> = new Set(['failed', 'expired', 'refused', 'dead']);
/** Tasks that are followed at once; of more than that, only what comes from now on is known. */
const MOST_OPEN = 100_000;
const MOST_NOTES = 50;

/** One task is one trace, whichever instance sends which part of it. */
function traceIds(taskId: string, acceptedAt: number): { traceId: string; spanId: string } {
  const hash = createHash('sha256').update(`${taskId} ${acceptedAt}`).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

function attributesOf(fact: TaskFact): Attributes {
  const name = parseTaskId(fact.taskId);
  return {
    'banto.task_id': fact.taskId,
    ...(name === null
      ? {}
      : {
          'banto.kind': name.kind,
          'banto.repository': name.repository,
          'banto.issue': name.number,
          'banto.round': name.round,
        }),
    ...('agentId' in fact && fact.agentId !== null ? { 'banto.agent_id': fact.agentId } : {}),
  };
}

export async function openTraces(version: string): Promise<Traces> {
  const { ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } = await import('@opentelemetry/api');
  const { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } = await import(
    '@opentelemetry/sdk-trace-base'
  );
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = await import(
    '@opentelemetry/resources'
  );
  const random = new RandomIdGenerator();
  let wanted: { traceId: string; spanId: string } | null = null;
  const provider = new BasicTracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES stand above the name.
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'banto', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    idGenerator: {
      generateTraceId: () => wanted?.traceId ?? random.generateTraceId(),
      generateSpanId: () => wanted?.spanId ?? random.generateSpanId(),
    },
  });
  const tracer: Tracer = provider.getTracer('banto', version);
  const open = new Map<string, OpenTask>();

  function under(taskId: string, { acceptedAt }: OpenTask): Context {
    const ids = traceIds(taskId, acceptedAt);
    return trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags: TraceFlags.SAMPLED });
  }

  interface Span {
    readonly name: string;
    readonly from: number;
    readonly to: number;
    readonly attributes: Attributes;
    readonly failed: string | null;
    readonly notes?: OpenTask['notes'];
  }

  function emit({ name, from, to, attributes, failed, notes = [] }: Span, context: Context): void {
    const span = tracer.startSpan(name, { startTime: from, attributes }, context);
    for (const { at, text } of notes) span.addEvent('progress', { 'banto.note': text }, at);
    if (failed !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: failed });
    span.end(to);
  }

  function find(fact: TaskFact): OpenTask {
    const known = open.get(fact.taskId);
    if (known !== undefined) return known;
    // Accepted before this process began: what is known of it begins here.
    const task: OpenTask = { acceptedAt: fact.at, attempt: null, notes: [] };
    if (open.size < MOST_OPEN) open.set(fact.taskId, task);
    return task;
  }

  function waited(fact: Extract<Fact, { type: 'leased' }>, task: OpenTask): void {
    const attributes = { ...attributesOf(fact), 'banto.attempt': fact.attempt };
    const from = Math.max(task.acceptedAt, fact.at - fact.waitedMs);
    emit(
      { name: 'waiting', from, to: fact.at, attributes, failed: null },
      under(fact.taskId, task),
    );
  }

  function worked(fact: TaskFact, task: OpenTask): void {
    const known = 'workedMs' in fact ? fact.at - fact.workedMs : fact.at;
    const from = task.attempt?.startedAt ?? known;
    const reason = 'reason' in fact ? fact.reason : null;
    emit(
      {
        name: `attempt ${task.attempt?.number ?? ''}`.trim(),
        from,
        to: fact.at,
        attributes: {
          ...attributesOf(fact),
          'banto.outcome': fact.type,
          ...(task.attempt === null ? {} : { 'banto.attempt': task.attempt.number }),
          ...('verdict' in fact && fact.verdict !== null ? { 'banto.verdict': fact.verdict } : {}),
        },
        failed: FAILED.has(fact.type) ? (reason ?? fact.type) : null,
        notes: task.notes,
      },
      under(fact.taskId, task),
    );
  }

  function ended(fact: TaskFact, task: OpenTask): void {
    const kind = parseTaskId(fact.taskId)?.kind ?? 'task';
    wanted = traceIds(fact.taskId, task.acceptedAt);
    try {
      emit(
        {
          name: kind,
          from: task.acceptedAt,
          to: fact.at,
          attributes: { ...attributesOf(fact), 'banto.state': fact.state },
          failed:
            fact.state === 'dead' ? ('reason' in fact ? (fact.reason ?? 'dead') : 'dead') : null,
        },
        ROOT_CONTEXT,
      );
    } finally {
      wanted = null;
    }
  }

  function take(fact: TaskFact, leads: boolean): void {
    const task = find(fact);
    if (fact.type === 'leased') {
      if (leads) waited(fact, task);
      task.attempt = { startedAt: fact.at, number: fact.attempt };
      task.notes = [];
    }
    if (fact.type === 'renewed' && fact.progress !== null && task.notes.length < MOST_NOTES) {
      task.notes.push({ at: fact.at, text: fact.progress });
    }
    const wasHeld = fact.type !== 'cancelled' || fact.agentId !== null;
    if (ATTEMPT_ENDS.has(fact.type) && wasHeld) {
      if (leads) worked(fact, task);
      task.attempt = null;
    }
    if (!ENDS.has(fact.state)) return;
    // `failed` and `expired` say that the task is dead, and then `dead` says so again.
    if (fact.state === 'dead' && fact.type !== 'dead') return;
    if (leads) ended(fact, task);
    open.delete(fact.taskId);
  }

  return {
    takeFacts(facts, leads) {
      for (const fact of facts) if ('taskId' in fact && !isIssueFact(fact)) take(fact, leads);
    },
    stop: () => provider.shutdown(),
  };
}
