// GET /tasks

import { type Static, Type } from 'typebox';
import { AgentId, Kind, Label, Nullable, Repository, State } from './fields.ts';
import { ListedTaskAnswer } from './task.ts';

export const TASKS_LIMIT_DEFAULT = 50;

export const TasksQuery = Type.Object(
  {
    state: Type.Optional(State),
    kind: Type.Optional(Kind),
    agent: Type.Optional(AgentId),
    label: Type.Optional(Label),
    repository: Type.Optional(Repository),
    issue: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'the number of an issue: its tasks, the open one first, then the last one',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description: `a whole number, 1–200, default ${TASKS_LIMIT_DEFAULT}`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e]{1,500}$',
        description: 'the next_cursor of the page before',
      }),
    ),
  },
  { additionalProperties: false },
);
export type TasksQuery = Static<typeof TasksQuery>;

export const TasksAnswer = Type.Object(
  {
    tasks: Type.Array(ListedTaskAnswer),
    next_cursor: Nullable(Type.String({ description: 'null on the last page' })),
  },
  { title: 'Tasks', additionalProperties: false },
);
export type TasksAnswer = Static<typeof TasksAnswer>;
