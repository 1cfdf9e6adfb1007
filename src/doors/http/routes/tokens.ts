// /tokens: create, list, revoke. The answer to a new one is the only place where the secret ever stands.

import { BantoError } from '../../../core/errors.ts';
import { scopeFor, type TokenRequest } from '../../../core/token.ts';
import {
  CreateTokenBody,
  TokenAnswer,
  TokenParams,
  TokensAnswer,
  TokenView,
} from '../../schema/tokens.ts';
import { tokenView } from '../../views/token.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const tag = 'operators' as const;

function requested({ agent_id, scope, note }: CreateTokenBody): TokenRequest {
  if (agent_id === undefined && scope === undefined) {
    throw new BantoError(
      'invalid_request',
      'Say whose token it is: `agent_id`, or `scope` operator or read.',
    );
  }
  const agentId = agent_id ?? null;
  const found = scopeFor(agentId, scope ?? null);
  if ('problem' in found) throw new BantoError('invalid_request', found.problem);
  return { scope: found.scope, agentId, note: note?.toWellFormed() ?? null };
}

export function routeTokens(app: App, { broker, observe }: Door): void {
  const operator = { access: 'operator' } as const;
  const create = describe({
    tag,
    summary: 'Create a token: for one agent, for an operator, or only to read; it is shown once',
    body: CreateTokenBody,
    answer: TokenAnswer,
  });
  app.post('/tokens', { config: operator, schema: create }, async ({ body }, reply) => {
    const input = requested(body);
    const { secret, ...token } = await observe('create_token', () => broker.createToken(input));
    reply.header('cache-control', 'no-store');
    return { token: secret, ...tokenView(token) };
  });

  const list = describe({ tag, summary: 'The tokens there are', answer: TokensAnswer });
  // Notes name people: not for every agent to read.
  app.get('/tokens', { config: operator, schema: list }, async () => {
    const tokens = await observe('tokens', () => broker.tokens());
    return { tokens: tokens.map(tokenView) };
  });

  const revoke = describe({
    tag,
    summary: 'Revoke a token: it is refused from now on',
    params: TokenParams,
    answer: TokenView,
    errors: [404],
  });
  app.delete('/tokens/:id', { config: operator, schema: revoke }, async ({ params }) =>
    tokenView(await observe('revoke_token', () => broker.revokeToken(params.id))),
  );
}
