// GET /tasks/{task_id}/why

import { type Static, Type } from 'typebox';
import { AgentId, Instant, Nullable, TaskId } from './fields.ts';

export const WhyQuery = Type.Object(
  { agent: Type.Optional(AgentId) },
  { additionalProperties: false },
);
export type WhyQuery = Static<typeof WhyQuery>;

export const WhyAnswer = Type.Object(
  {
    task_id: TaskId,
    offered: Type.Boolean(),
    summary: Type.String({ description: 'the answer in one sentence' }),
    rules: Type.Array(
      Type.Object(
        { rule: Type.String(), ok: Type.Boolean(), detail: Type.String() },
        { title: 'Rule', additionalProperties: false },
      ),
    ),
    rivals: Nullable(
      Type.Object(
        {
          ahead: Type.Integer({ description: 'ready tasks this agent would get first' }),
          waiting_agents: Type.Integer(),
        },
        { title: 'Rivals', additionalProperties: false },
      ),
    ),
    earliest_at: Nullable(Instant),
  },
  { title: 'Why', additionalProperties: false },
);
export type WhyAnswer = Static<typeof WhyAnswer>;
