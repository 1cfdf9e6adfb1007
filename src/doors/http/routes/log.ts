// The log of an attempt: its agent appends, anybody reads, page by page or as it comes.

import { TaskParams } from '../../schema/fields.ts';
import { AppendLogAnswer, AppendLogBody, LogAnswer, LogQuery } from '../../schema/log.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';
import { knownTaskId } from './task-id.ts';

const PAGE_BYTES = 262_144;

export function routeAppendLog(app: App, { broker, observe }: Door): void {
  const schema = describe({
    tag: 'agents',
    summary: "Append to the attempt's log; said twice at the same place, it is there once",
    params: TaskParams,
    body: AppendLogBody,
    answer: AppendLogAnswer,
    errors: [404, 409],
  });
  const config = { access: 'agent' } as const;
  app.post('/tasks/:task_id/log', { config, schema }, async ({ params, body, caller }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      agentId: caller.agentId,
      offset: body.offset,
      text: body.text.toWellFormed(),
    };
    return { size: await observe('append_log', () => broker.appendLog(input)) };
  });
}

export function routeLog(app: App, { broker, observe }: Door): void {
  const schema = describe({
    tag: 'tasks',
    summary: "An attempt's log, page by page; with follow, waits for more",
    params: TaskParams,
    querystring: LogQuery,
    answer: LogAnswer,
    errors: [404],
  });
  const config = { access: 'read' } as const;
  app.get('/tasks/:task_id/log', { config, schema }, async (request, reply) => {
    const { params, query } = request;
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const input = {
      taskId: knownTaskId(params),
      fence: query.fence ?? null,
      offset: query.offset ?? 0,
      limit: query.limit ?? PAGE_BYTES,
      followSeconds: query.follow ?? 0,
    };
    const found = await observe('log', () => broker.log(input, gone.signal));
    const { fence, text, nextOffset, ended } = found;
    return { fence, text, next_offset: nextOffset, ended };
  });
}
