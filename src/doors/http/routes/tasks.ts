// Reading tasks: the list, one with its history, and why it is or is not offered.

import type { TaskFilter } from '../../../core/store.ts';
import { TaskParams } from '../../schema/fields.ts';
import { TaskDetailAnswer, TaskQuery } from '../../schema/task.ts';
import { TASKS_LIMIT_DEFAULT, TasksAnswer, TasksQuery } from '../../schema/tasks.ts';
import { WhyAnswer, WhyQuery } from '../../schema/why.ts';
import { listedTaskView, taskDetailView } from '../../views/task.ts';
import { whyView } from '../../views/why.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';
import { knownTaskId } from './task-id.ts';

const config = { access: 'read' } as const;
const tag = 'tasks' as const;

export function routeTasks(app: App, { broker, observe }: Door): void {
  app.get(
    '/tasks',
    {
      config,
      schema: describe({
        tag,
        summary: 'List tasks, page by page',
        querystring: TasksQuery,
        answer: TasksAnswer,
      }),
    },
    async ({ query }) => {
      const filter: TaskFilter = { ...query, limit: query.limit ?? TASKS_LIMIT_DEFAULT };
      const { tasks, nextCursor } = await observe('tasks', () => broker.tasks(filter));
      return { tasks: tasks.map(listedTaskView), next_cursor: nextCursor };
    },
  );

  app.get(
    '/tasks/:task_id',
    {
      config,
      schema: describe({
        tag,
        summary: 'One task with its issue, last attempts and newest history',
        params: TaskParams,
        querystring: TaskQuery,
        answer: TaskDetailAnswer,
        errors: [404],
      }),
    },
    async ({ params, query }) => {
      const taskId = knownTaskId(params);
      const cursor = query.history_cursor === undefined ? [] : [query.history_cursor];
      return taskDetailView(await observe('task', () => broker.task(taskId, ...cursor)));
    },
  );

  app.get(
    '/tasks/:task_id/why',
    {
      config,
      schema: describe({
        tag,
        summary: 'Why the task is, or is not, offered (to one agent)',
        params: TaskParams,
        querystring: WhyQuery,
        answer: WhyAnswer,
        errors: [404],
      }),
    },
    async ({ params, query }) => {
      const taskId = knownTaskId(params);
      return whyView(await observe('why', () => broker.why(taskId, query.agent ?? null)));
    },
  );
}
