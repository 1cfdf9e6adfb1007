// GET /leases and GET /flow: the last week as bars and curves, from the facts.

import { BantoError } from '../../../core/errors.ts';
import { ACTIVITY_WINDOW_MS } from '../../../core/reporting/activity.ts';
import { FlowAnswer, FlowQuery, LeasesAnswer, LeasesQuery } from '../../schema/activity.ts';
import { flowView, leaseBarView } from '../../views/activity.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const MOST_LEASES = 5000;
const MOST_POINTS = 400;
const DEFAULT_STEP_SECONDS = 3600;
const config = { access: 'read' } as const;
const tag = 'state' as const;

const DAY_MS = 86_400_000;

function parseInstant(name: string, text: string | undefined, otherwise: number): number {
  const at = text === undefined ? otherwise : Date.parse(text);
  if (Number.isNaN(at)) {
    throw new BantoError('invalid_request', `The field \`${name}\` must be an ISO 8601 instant.`);
  }
  return at;
}

export function routeActivity(app: App, { broker, observe }: Door): void {
  const leases = describe({
    tag,
    summary: 'Leases over time: who held what, and how it ended',
    querystring: LeasesQuery,
    answer: LeasesAnswer,
  });
  app.get('/leases', { config, schema: leases }, async ({ query }) => {
    const until = parseInstant('until', query.until, Date.now());
    const since = parseInstant('since', query.since, until - DAY_MS);
    const seq = await broker.lastSeq();
    const activity = await observe('leases', () => broker.activity());
    const spans = activity.leases(since, until, MOST_LEASES);
    return { seq, leases: spans.map(leaseBarView), truncated: spans.length === MOST_LEASES };
  });

  const flow = describe({
    tag,
    summary: 'Tasks by state over time, what was handed out and finished, and how long it took',
    querystring: FlowQuery,
    answer: FlowAnswer,
  });
  app.get('/flow', { config, schema: flow }, async ({ query }) => {
    const to = Date.now();
    const since = parseInstant('since', query.since, to - DAY_MS);
    const from = Math.max(since, to - ACTIVITY_WINDOW_MS);
    const stepMs = (query.step_seconds ?? DEFAULT_STEP_SECONDS) * 1000;
    if ((to - from) / stepMs > MOST_POINTS) {
      throw new BantoError(
        'invalid_request',
        `That is more than ${MOST_POINTS} points. Give a later \`since\` or a longer \`step_seconds\`.`,
      );
    }
    return observe('flow', async () => {
      const { counts } = await broker.queue();
      const budget = await broker.budgetHistory(from);
      return flowView(await broker.activity(), counts, budget, { from, to, stepMs });
    });
  });
}
