// GET /leases and GET /flow: what the facts of the last week add up to.

import { type Static, Type } from 'typebox';
import { BANDS, COUNTERS } from '../../core/reporting/activity.ts';
import { Instant, Kind, Nullable, TaskId } from './fields.ts';

const count = Type.Integer();

const Since = Type.Unsafe<string>({
  ...Instant,
  description: 'an ISO 8601 instant in UTC, at most a week ago; default: a day ago',
});

export const LeasesQuery = Type.Object(
  { since: Type.Optional(Since), until: Type.Optional(Instant) },
  { additionalProperties: false },
);
export type LeasesQuery = Static<typeof LeasesQuery>;

const LeaseBar = Type.Object(
  {
    task_id: TaskId,
    agent_id: Type.String(),
    kind: Kind,
    attempt: Type.Integer(),
    started_at: Instant,
    ended_at: Nullable(Instant),
    expires_at: Instant,
    outcome: Nullable(
      Type.String({
        description:
          'completed, failed, released, expired, refused, unlocked or cancelled; null: it runs',
      }),
    ),
    note: Nullable(Type.String({ description: 'text by an agent' })),
  },
  { title: 'LeaseBar', additionalProperties: false },
);
export type LeaseBar = Static<typeof LeaseBar>;

export const LeasesAnswer = Type.Object(
  {
    seq: Type.Integer({ description: 'follow /events after this: nothing is missed' }),
    leases: Type.Array(LeaseBar),
    truncated: Type.Boolean({ description: 'true: only the newest are here' }),
  },
  { title: 'Leases', additionalProperties: false },
);
export type LeasesAnswer = Static<typeof LeasesAnswer>;

export const FlowQuery = Type.Object(
  {
    since: Type.Optional(Since),
    step_seconds: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 86_400, description: 'of one point: 60–86400' }),
    ),
  },
  { additionalProperties: false },
);
export type FlowQuery = Static<typeof FlowQuery>;

const named = (names: readonly string[]) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, count])), {
    additionalProperties: false,
  });

const Spread = Type.Object(
  {
    name: Type.Unsafe<'waiting_high' | 'waiting_normal' | 'waiting_low' | 'working' | 'reviewing'>({
      type: 'string',
      enum: ['waiting_high', 'waiting_normal', 'waiting_low', 'working', 'reviewing'],
    }),
    count,
    p50_ms: Type.Number(),
    p90_ms: Type.Number(),
    p99_ms: Type.Number(),
  },
  { title: 'Spread', additionalProperties: false },
);

const FlowAgent = Type.Object(
  {
    agent_id: Type.String(),
    handed_out: count,
    completed: count,
    failed: count,
    expired: count,
    median_ms: Nullable(Type.Number({ description: 'of the completed ones' })),
    cost_usd: Type.Number({
      description: 'as the agents said; from the quarter of an hour in which `since` lies',
    }),
    busy: Type.Array(Type.Number(), { description: 'the share of each step it held a lease' }),
  },
  { title: 'FlowAgent', additionalProperties: false },
);

const FlowModel = Type.Object(
  {
    model: Nullable(Type.String({ description: 'null: the agent did not say' })),
    cost_usd: Type.Number(),
    tokens: Type.Integer({ description: 'read and written' }),
  },
  { title: 'FlowModel', additionalProperties: false },
);

export const FlowAnswer = Type.Object(
  {
    step_seconds: Type.Integer(),
    points: Type.Array(
      Type.Object(
        {
          at: Instant,
          tasks: Type.Unsafe<Record<(typeof BANDS)[number], number>>(named(BANDS)),
          counts: Type.Unsafe<Record<(typeof COUNTERS)[number], number>>(named(COUNTERS)),
          cost_usd: Type.Number({ description: 'of this step, as the agents said' }),
        },
        { title: 'FlowPoint', additionalProperties: false },
      ),
    ),
    times: Type.Array(Spread),
    agents: Type.Array(FlowAgent),
    budget: Type.Array(
      Type.Object(
        { at: Instant, limit: count, remaining: count },
        { title: 'BudgetSample', additionalProperties: false },
      ),
      {
        description:
          "what was left of the forge's limits, minute by minute, as far as this instance saw it: since its start, a day at most",
      },
    ),
    models: Type.Array(FlowModel, { description: 'what each model cost, the dearest first' }),
  },
  { title: 'Flow', additionalProperties: false },
);
export type FlowAnswer = Static<typeof FlowAnswer>;
