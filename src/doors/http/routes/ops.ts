// For those who run Banto: /health, /ready and /metrics.

import { Type } from 'typebox';
import { HealthAnswer, ReadyAnswer } from '../../schema/ops.ts';
import { answerOf, describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const tag = 'server' as const;

export function routeHealth(app: App, { settings }: Door): void {
  const schema = describe({ tag, summary: 'The process is alive', answer: HealthAnswer });
  app.get('/health', { config: { access: 'public' }, schema }, async () => ({
    status: 'ok' as const,
    version: settings.version,
    uptime_seconds: Math.round(process.uptime() * 1000) / 1000,
  }));
}

export function routeReady(app: App, { broker }: Door): void {
  const described = describe({
    tag,
    summary: 'Store and forge can be reached and the backlog was read',
    answer: ReadyAnswer,
  });
  const notReady = answerOf(ReadyAnswer, 'Not ready, and which part is not');
  const schema = { ...described, response: { ...described.response, 503: notReady } };
  app.get('/ready', { config: { access: 'read' }, schema }, async (_request, reply) => {
    const { store, forge, mirrored } = await broker.readiness();
    const ready = store.ok && forge.ok && mirrored;
    if (!ready) reply.code(503).header('retry-after', '1');
    return {
      ready,
      store: { ok: store.ok, error: store.error },
      forge: { ok: forge.ok, error: forge.error },
      mirrored,
    };
  });
}

export function routeMetrics(app: App, { broker, telemetry }: Door): void {
  const schema = describe({
    tag,
    summary: 'Metrics in the text format of Prometheus',
    answer: Type.String(),
    media: 'text/plain',
  });
  app.get('/metrics', { config: { access: 'read' }, schema }, async (request, reply) => {
    // Metrics are most wanted when the store is gone: `banto_store_up` says so.
    const unread = (what: string) => (error: unknown) => {
      request.log.warn({ err: error }, `the ${what} cannot be read`);
      return null;
    };
    telemetry.showQueue(await broker.queue().catch(unread('queue')));
    const today = new Date().toISOString().slice(0, 10);
    const days = await broker.stats('daily').catch(unread('statistics'));
    telemetry.showUsage(days?.find(({ start }) => start === today)?.counters ?? null);
    // Where several instances share it, the store has it.
    telemetry.showBudget(await broker.budget().catch(unread('budget')));
    reply.type(telemetry.metricsType);
    return telemetry.metrics();
  });
}
