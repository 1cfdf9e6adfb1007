// What fastify itself can do: the two calls of the HTTP benchmark with their schemas, in and out, and nothing
// behind them. The answers are as long as Banto's.

import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { CompleteBody } from '../src/doors/schema/complete.ts';
import { AssignmentAnswer, RequestTaskBody } from '../src/doors/schema/request-task.ts';
import { TaskAnswer } from '../src/doors/schema/task.ts';

const { given, done } = JSON.parse(process.argv[2] ?? '{}') as { given: object; done: object };

const app = Fastify();
app.post(
  '/api/v1/request-task',
  { schema: { body: RequestTaskBody, response: { 200: AssignmentAnswer } } },
  async () => ({
    ...given,
    lease: { token: randomUUID(), fence: 1, expires_at: '', seconds: 600 },
  }),
);
app.post(
  '/api/v1/tasks/:task_id/complete',
  { schema: { body: CompleteBody, response: { 200: TaskAnswer } } },
  async () => done,
);
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
process.on('disconnect', () => process.exit(0));
process.send?.({ url: await app.listen({ host: '127.0.0.1', port: 0 }) });
