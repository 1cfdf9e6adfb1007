// POST /tokens

import { type Static, Type } from 'typebox';
import { AgentId, Nullable, Text } from './fields.ts';

export const CreateTokenBody = Type.Object(
  {
    agent_id: Nullable(AgentId),
    note: Type.Optional(Text(200, 'what the token is for')),
  },
  {
    title: 'CreateToken',
    additionalProperties: false,
    description: 'Bound to one agent, or with `agent_id` null of operator scope.',
    examples: [{ agent_id: 'agent-1', note: 'laptop' }],
  },
);
export type CreateTokenBody = Static<typeof CreateTokenBody>;

export const TokenAnswer = Type.Object(
  {
    token: Type.String({ description: 'shown once: only its hash is kept' }),
    agent_id: Nullable(AgentId),
  },
  { title: 'Token', additionalProperties: false },
);
export type TokenAnswer = Static<typeof TokenAnswer>;
