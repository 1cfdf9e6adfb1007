// Who is calling, and whether they may. On loopback no token is needed, unless REQUIRE_TOKENS is on; one that is
// given must be valid.

import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import type { Broker } from '../../../broker/broker.ts';
import { BantoError } from '../../../core/errors.ts';
import { type Access, permits, type TokenScope } from '../../../core/token.ts';

/** `agentId` null: an operator, somebody who only reads, or somebody on this machine. */
export interface Caller {
  readonly agentId: string | null;
  readonly scope: TokenScope;
  /** What the history calls them. */
  readonly by: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `public` asks for nothing, not even for a token. */
    access?: Access | 'public';
    /** Protected by a signature: it may come in under any name, through a tunnel for example. */
    anyHost?: boolean;
  }
  interface FastifyRequest {
    caller: Caller;
  }
}

const ANYONE: Caller = { agentId: null, scope: 'operator', by: 'operator' };
const BEARER = /^Bearer +([\x21-\x7e]{1,500})$/i;

function unauthenticated(sentence: string): BantoError {
  return new BantoError('unauthenticated', sentence);
}

async function callerOf(
  header: string | undefined,
  broker: Broker,
  tokensRequired: boolean,
): Promise<Caller> {
  if (header === undefined) {
    if (!tokensRequired) return ANYONE;
    throw unauthenticated('A token is needed: send the header `Authorization: Bearer <token>`.');
  }
  const secret = BEARER.exec(header)?.[1];
  const token = secret === undefined ? null : await broker.whoIs(secret);
  if (token === null)
    throw unauthenticated('The token in the header `Authorization` is not valid.');
  const { agentId, scope, note, id } = token;
  return { agentId, scope, by: note ?? agentId ?? `token ${id}` };
}

export function createAuthenticate(broker: Broker, tokensRequired: boolean): onRequestHookHandler {
  async function check(request: FastifyRequest, access: Access): Promise<void> {
    request.caller = await callerOf(request.headers.authorization, broker, tokensRequired);
    const { scope } = request.caller;
    if (permits(scope, access)) return;
    throw new BantoError(
      'forbidden',
      access === 'operator'
        ? `This call needs a token of operator scope; this one has the scope ${scope}.`
        : `A token of the scope ${scope} only looks. This call needs an agent's token, or one of operator scope.`,
    );
  }

  async function answer(checked: Promise<void>, done: (refusal?: Error) => void): Promise<void> {
    let refusal: Error | undefined;
    try {
      await checked;
    } catch (error) {
      refusal = error as Error;
    }
    done(refusal);
  }

  return (request, _reply, done) => {
    // A route that forgot to say who may call it is for operators only.
    const access = request.routeOptions.config.access ?? 'operator';
    request.caller = ANYONE;
    const isAnyone = !tokensRequired && request.headers.authorization === undefined;
    if (access === 'public' || isAnyone) done();
    else void answer(check(request, access), done);
  };
}

/** An agent's token speaks for that agent only. */
export function requireSpeaksFor(caller: Caller, agentId: string): void {
  if (caller.agentId === null || caller.agentId === agentId) return;
  throw new BantoError(
    'forbidden',
    `This token belongs to the agent ${caller.agentId} and cannot ask for another one.`,
  );
}
