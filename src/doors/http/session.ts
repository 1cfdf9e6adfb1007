// GET /session: a page asks once who it speaks for and which of its buttons would work.

import type { HTTPMethods } from 'fastify';
import { type FEATURES, SessionAnswer } from '../schema/session.ts';
import { SettingParams } from '../schema/settings.ts';
import type { Caller } from './authenticate.ts';
import { describe } from './describe.ts';
import type { Door } from './door.ts';
import type { App } from './server.ts';

type Feature = (typeof FEATURES)[number];

const ROUTES: Partial<Record<Feature, readonly [HTTPMethods, string]>> = {
  answer: ['POST', '/api/v1/tasks/:task_id/answer'],
  budget: ['POST', '/api/v1/tasks/:task_id/budget'],
  issues: ['POST', '/api/v1/issues'],
  log: ['GET', '/api/v1/tasks/:task_id/log'],
  requeue: ['POST', '/api/v1/tasks/:task_id/requeue'],
  retry_ledger: ['POST', '/api/v1/ledger/retry'],
};

function featuresOf(app: App): Feature[] {
  const routed = (Object.keys(ROUTES) as Feature[]).filter((feature) => {
    const [method, url] = ROUTES[feature] ?? [];
    return method !== undefined && url !== undefined && app.hasRoute({ method, url });
  });
  const { pattern } = SettingParams.properties.name as { readonly pattern?: string };
  const one = new RegExp(pattern ?? '', 'u').test('maintenance:octo/shop');
  return one ? [...routed, 'pause_one'] : routed;
}

function scopeOf(caller: Caller & { readonly scope?: SessionAnswer['scope'] }) {
  return caller.scope ?? (caller.agentId === null ? 'operator' : 'agent');
}

export function routeSession(app: App, { settings }: Door): void {
  const schema = describe({
    tag: 'state',
    summary: 'Who is asking, and what this server offers',
    answer: SessionAnswer,
  });
  app.get('/session', { config: { access: 'read' }, schema }, async ({ caller }) => ({
    version: settings.version,
    now: new Date().toISOString(),
    scope: scopeOf(caller),
    agent_id: caller.agentId,
    features: featuresOf(app),
  }));
}
