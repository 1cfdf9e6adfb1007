// POST /request-task: the answer may take as long as the caller is willing to wait.

import type { FastifyReply } from 'fastify';
import type { TaskRequest } from '../../../broker/broker.ts';
import { BantoError } from '../../../core/errors.ts';
import { isLedgerLabel } from '../../../core/ledger.ts';
import { isAgentId } from '../../../core/task.ts';
import { COMPLETED_HEADER } from '../../schema/headers.ts';
import { AssignmentAnswer, RequestTaskBody } from '../../schema/request-task.ts';
import { assignmentView } from '../../views/assignment.ts';
import { requireSpeaksFor } from '../checks/authenticate.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

function toRequest(body: RequestTaskBody): TaskRequest {
  if (!isAgentId(body.agent_id) || isLedgerLabel(body.agent_id)) {
    throw new BantoError(
      'invalid_request',
      'The field `agent_id` is the name of a ledger label. Choose another name.',
    );
  }
  return {
    agentId: body.agent_id,
    capabilities: body.capabilities,
    waitSeconds: body.wait_seconds ?? 0,
    leaseSeconds: body.lease_seconds ?? null,
    requestId: body.request_id ?? null,
    kinds: body.kinds ?? null,
    repositories: body.repositories ?? null,
    onUnfinished: body.on_unfinished ?? 'complete',
  };
}

/** Fires when the connection closes before the answer was written. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableEnded) gone.abort();
  });
  return gone.signal;
}

/** Runs when the whole answer was handed to the connection; not when nobody was there to take it. */
function whenAnswered(reply: FastifyReply, gone: AbortSignal, then: () => Promise<void>): void {
  reply.raw.once('finish', () => {
    if (!gone.aborted && reply.raw.socket?.destroyed !== true) void then();
  });
}

export function routeRequestTask(app: App, { broker, observe }: Door): void {
  app.post(
    '/request-task',
    {
      config: { access: 'agent' },
      schema: describe({
        tag: 'agents',
        summary: 'Ask for a task, and wait for one if need be',
        description:
          'Hands out the task that suits the agent best, under a lease. 204: nothing suitable came in time. Where asking completed the task that the agent still held, the header `banto-completed-task` names it.',
        body: RequestTaskBody,
        answer: AssignmentAnswer,
        noContent: 'Nothing suitable',
        errors: [429],
      }),
    },
    async (request, reply) => {
      const wanted = toRequest(request.body);
      requireSpeaksFor(request.caller, wanted.agentId);
      const signal = goneSignal(reply);
      let completedTaskId: string | null = null;
      const completed = (taskId: string) => {
        completedTaskId = taskId;
        reply.header(COMPLETED_HEADER, taskId);
      };
      const assignment = await observe('request_task', () =>
        broker.requestTask(wanted, signal, completed),
      );
      if (assignment === null) return reply.code(204).send();
      whenAnswered(reply, signal, () => broker.answered(assignment));
      return assignmentView(assignment, completedTaskId);
    },
  );
}
