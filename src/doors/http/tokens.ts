// POST /tokens: a new token. The answer is the only place where the secret ever stands.

import { CreateTokenBody, TokenAnswer } from '../schema/tokens.ts';
import { describe } from './describe.ts';
import type { Door } from './door.ts';
import type { App } from './server.ts';

const schema = describe({
  tag: 'operators',
  summary: 'Create a token, bound to one agent or of operator scope; it is shown once',
  body: CreateTokenBody,
  answer: TokenAnswer,
});

export function routeTokens(app: App, { broker, observe }: Door): void {
  const config = { access: 'operator' } as const;
  app.post('/tokens', { config, schema }, async ({ body }, reply) => {
    const input = { agentId: body.agent_id, note: body.note?.toWellFormed() ?? null };
    const token = await observe('create_token', () => broker.createToken(input));
    reply.header('cache-control', 'no-store');
    return { token, agent_id: input.agentId };
  });
}
