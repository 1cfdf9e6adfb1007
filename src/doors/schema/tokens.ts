// GET and POST /tokens, DELETE /tokens/{id}

import { type Static, Type } from 'typebox';
import { TOKEN_SCOPES } from '../../core/token.ts';
import { AgentId, Instant, Nullable, Text } from './fields.ts';

const Scope = Type.Unsafe<(typeof TOKEN_SCOPES)[number]>({
  type: 'string',
  enum: [...TOKEN_SCOPES],
  description: `one of ${TOKEN_SCOPES.join(', ')}`,
});

export const CreateTokenBody = Type.Object(
  {
    agent_id: Type.Optional(Nullable(AgentId)),
    scope: Type.Optional(Scope),
    note: Type.Optional(Text(200, 'what the token is for')),
  },
  {
    title: 'CreateToken',
    additionalProperties: false,
    description:
      'For one agent (`agent_id`), or of scope operator (everything) or read (looks, changes nothing). `agent_id` null alone means operator.',
    examples: [{ agent_id: 'agent-1', note: 'laptop' }, { scope: 'read' }],
  },
);
export type CreateTokenBody = Static<typeof CreateTokenBody>;

const described = {
  id: Type.String({ description: 'names the token; it is not its secret' }),
  scope: Scope,
  agent_id: Nullable(AgentId),
  note: Nullable(Type.String()),
  created_at: Nullable(Instant),
};

export const TokenView = Type.Object(described, { title: 'Token', additionalProperties: false });
export type TokenView = Static<typeof TokenView>;

export const TokenAnswer = Type.Object(
  { token: Type.String({ description: 'shown once: only its hash is kept' }), ...described },
  { title: 'NewToken', additionalProperties: false },
);
export type TokenAnswer = Static<typeof TokenAnswer>;

export const TokensAnswer = Type.Object(
  { tokens: Type.Array(TokenView) },
  { title: 'Tokens', additionalProperties: false },
);
export type TokensAnswer = Static<typeof TokensAnswer>;

export const TokenParams = Type.Object(
  {
    id: Type.String({
      pattern: '^[A-Za-z0-9]{1,64}$',
      description: 'the id of a token as GET /tokens gave it',
    }),
  },
  { additionalProperties: false },
);
