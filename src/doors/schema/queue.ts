// GET /queue and GET /stats

import { type Static, Type } from 'typebox';
import { TASK_STATES, type TaskState } from '../../core/task.ts';
import { Instant, Kind, Nullable, Period, State, TaskId } from './fields.ts';

const count = Type.Integer({ minimum: 0 });

export const ForgeBudget = Type.Object(
  {
    limit: count,
    remaining: count,
    reset_at: Instant,
    blocked_until: Nullable(Instant),
  },
  {
    title: 'ForgeBudget',
    additionalProperties: false,
    description: "what is left of the forge's hourly limit; nothing is sent before blocked_until",
  },
);
export type ForgeBudget = Static<typeof ForgeBudget>;

export const QueueAnswer = Type.Object(
  {
    by_state: Type.Unsafe<Record<TaskState, number>>(
      Type.Object(Object.fromEntries(TASK_STATES.map((state) => [state, count])), {
        additionalProperties: false,
      }),
    ),
    by_priority: Type.Object(
      { high: count, normal: count, low: count },
      { additionalProperties: false, description: 'ready tasks by priority' },
    ),
    counts: Type.Array(
      Type.Object(
        { state: State, kind: Kind, priority: Type.Integer(), count },
        { title: 'QueueCount', additionalProperties: false },
      ),
    ),
    oldest_ready_at: Nullable(Instant),
    oldest_age_seconds: Nullable(
      Type.Number({ description: 'how long the oldest ready task has waited' }),
    ),
    delayed: Type.Array(
      Type.Object(
        { task_id: TaskId, ready_at: Instant },
        { title: 'Delayed', additionalProperties: false },
      ),
    ),
    waiting: Type.Integer({ description: 'agents that wait for a task' }),
    outbox: Type.Object(
      { pending: count, failing: count },
      { additionalProperties: false, description: 'ledger writes that are not done yet' },
    ),
    forge_budget: Nullable(ForgeBudget),
  },
  { title: 'Queue', additionalProperties: false },
);
export type QueueAnswer = Static<typeof QueueAnswer>;

export const StatsQuery = Type.Object(
  { period: Type.Optional(Period) },
  { additionalProperties: false },
);
export type StatsQuery = Static<typeof StatsQuery>;

export const StatsAnswer = Type.Object(
  {
    period: Period,
    rows: Type.Array(
      Type.Object(
        {
          start: Type.String({ description: 'a date, or a date and hour, in UTC' }),
          counters: Type.Record(Type.String(), Type.Number()),
        },
        { title: 'StatsRow', additionalProperties: false },
      ),
    ),
    forge_budget: Nullable(ForgeBudget),
  },
  { title: 'Stats', additionalProperties: false },
);
export type StatsAnswer = Static<typeof StatsAnswer>;
