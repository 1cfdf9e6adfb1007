// Reading the queue and the statistics.

import { QueueAnswer, StatsAnswer, StatsQuery } from '../../schema/queue.ts';
import { budgetView, queueView } from '../../views/queue.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const config = { access: 'read' } as const;
const tag = 'state' as const;

export function routeQueue(app: App, { broker, observe }: Door): void {
  app.get(
    '/queue',
    { config, schema: describe({ tag, summary: 'How much work there is', answer: QueueAnswer }) },
    async () => {
      const queue = await observe('queue', () => broker.queue());
      return queueView(queue, await broker.budget(), Date.now());
    },
  );

  app.get(
    '/stats',
    {
      config,
      schema: describe({
        tag,
        summary: 'What was handed out, completed, failed and expired, by day or hour',
        querystring: StatsQuery,
        answer: StatsAnswer,
      }),
    },
    async ({ query }) => {
      const period = query.period ?? 'daily';
      const rows = await observe('stats', () => broker.stats(period));
      return {
        period,
        rows: rows.map(({ start, counters }) => ({ start, counters })),
        forge_budget: budgetView(await broker.budget()),
      };
    },
  );
}
