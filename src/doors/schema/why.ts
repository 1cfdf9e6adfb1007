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
    decisive: Type.Array(Type.String(), {
      description: 'the rules that it is not offered for, most telling first',
    }),
    rules: Type.Array(
      Type.Object(
        {
          rule: Type.String(),
          ok: Type.Boolean(),
          detail: Type.String({ description: 'why, as a sentence in English' }),
          code: Type.String({ description: 'the sentence as a word, for other languages' }),
          values: Type.Record(Type.String(), Type.String(), {
            description: 'what stands in the sentence, by name',
          }),
        },
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
