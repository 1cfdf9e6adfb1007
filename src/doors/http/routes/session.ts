// GET /session: a page asks once who it speaks for and which of its buttons would work.

import type { HTTPMethods } from 'fastify';
import { type FEATURES, SessionAnswer } from '../../schema/session.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

type Feature = (typeof FEATURES)[number];

const ROUTES: Partial<Record<Feature, readonly [HTTPMethods, string]>> = {
  answer: ['POST', '/api/v1/tasks/:task_id/answer'],
  budget: ['POST', '/api/v1/tasks/:task_id/budget'],
  issues: ['POST', '/api/v1/issues'],
  log: ['GET', '/api/v1/tasks/:task_id/log'],
  requeue: ['POST', '/api/v1/tasks/:task_id/requeue'],
  retry_ledger: ['POST', '/api/v1/ledger/retry'],
};

function featuresOf(app: App, hasBacklog: boolean): Feature[] {
  const routed = (Object.keys(ROUTES) as Feature[]).filter((feature) => {
    const [method, url] = ROUTES[feature] ?? [];
    return method !== undefined && url !== undefined && app.hasRoute({ method, url });
  });
  return [...routed.filter((feature) => feature !== 'issues' || hasBacklog), 'pause_one'];
}

export function routeSession(app: App, { broker, settings }: Door): void {
  const schema = describe({
    tag: 'state',
    summary: 'Who is asking, and what this server offers',
    answer: SessionAnswer,
  });
  app.get('/session', { config: { access: 'read' }, schema }, async ({ caller }) => ({
    version: settings.version,
    now: new Date().toISOString(),
    scope: caller.scope,
    agent_id: caller.agentId,
    features: featuresOf(app, broker.hasBacklog()),
  }));
}
