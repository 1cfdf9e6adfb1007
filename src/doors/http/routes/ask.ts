// Questions to people: the holder of a lease asks, an operator answers.

import { AnswerBody, AskAnswer, AskBody } from '../../schema/ask.ts';
import { TaskParams } from '../../schema/fields.ts';
import { TaskAnswer } from '../../schema/task.ts';
import { taskView } from '../../views/task.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';
import { knownTaskId } from './task-id.ts';

const params = TaskParams;
const errors = [404, 409] as const;

export function routeAsk(app: App, { broker, observe }: Door): void {
  const summary = 'Ask people a question; the lease is paused until they answer';
  const schema = describe({
    tag: 'agents',
    summary,
    params,
    body: AskBody,
    answer: AskAnswer,
    errors,
  });
  const config = { access: 'agent' } as const;
  app.post('/tasks/:task_id/ask', { config, schema }, async ({ params, body, caller }) => {
    const input = {
      taskId: knownTaskId(params),
      token: body.lease_token,
      agentId: caller.agentId,
      question: body.question.toWellFormed(),
    };
    const { questionId } = await observe('ask', () => broker.ask(input));
    return { question_id: questionId };
  });
}

export function routeAnswer(app: App, { broker, observe }: Door): void {
  const summary = 'Answer a question; the agent hears it at its next heartbeat';
  const schema = describe({
    tag: 'operators',
    summary,
    params,
    body: AnswerBody,
    answer: TaskAnswer,
    errors,
  });
  const config = { access: 'operator' } as const;
  app.post('/tasks/:task_id/answer', { config, schema }, async ({ params, body, caller }) => {
    const input = {
      taskId: knownTaskId(params),
      questionId: body.question_id,
      answer: body.answer.toWellFormed(),
      by: caller.by,
    };
    return taskView(await observe('answer', () => broker.answer(input)));
  });
}
