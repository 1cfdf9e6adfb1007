// What every request must pass and every answer carries, whatever the route: browsers may be
// driven by strange pages, so that names, origins and headers are checked before anything else.

import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { BantoError, shuttingDown } from '../../../core/errors.ts';
import { API_HEADER, API_VERSION } from '../../schema/headers.ts';
import { type HttpLimits, type HttpSettings, isLoopback } from '../settings.ts';

export const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  [API_HEADER]: API_VERSION,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d{1,5}$/, '');
}

/** Against DNS rebinding: on loopback a page of another name must not get through. */
function checkHost(host: string | undefined, settings: HttpSettings): void {
  if (host === undefined) {
    throw new BantoError('invalid_request', 'The header `Host` is missing.');
  }
  if (settings.tokensRequired) return;
  const name = hostname(host);
  if (isLoopback(name)) return;
  const known = [settings.host, ...(settings.allowedHosts ?? [])].map((each) => hostname(each));
  if (name !== '' && known.includes(name)) return;
  throw new BantoError(
    'forbidden',
    'The header `Host` names another server. Use the address this server listens on, or add the name to ALLOWED_HOSTS.',
  );
}

/** What proxies add. On a server that asks nobody for a token, they would let the world in as somebody on this machine. */
const PROXIED =
  /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|(?:cf-connecting|true-client|fly-client)-ip)$/;

function checkDirect(headers: FastifyRequest['headers'], settings: HttpSettings): void {
  if (settings.tokensRequired) return;
  const sign = Object.keys(headers).find((name) => PROXIED.test(name));
  if (sign === undefined) return;
  throw new BantoError(
    'forbidden',
    `This request came through a proxy (it has the header \`${sign}\`), and this server asks nobody for a token. Set REQUIRE_TOKENS=true and create one with \`banto token create\`, or ask the server without the proxy.`,
  );
}

function checkOrigin(request: FastifyRequest, settings: HttpSettings): void {
  const { origin, host } = request.headers;
  if (origin === undefined || READING.has(request.method)) return;
  const from = URL.canParse(origin) ? new URL(origin).host : '';
  const allowed = [host, ...(settings.allowedHosts ?? [])];
  if (from !== '' && allowed.some((name) => name?.toLowerCase() === from)) return;
  throw new BantoError('forbidden', 'Changes are only accepted from pages of this server itself.');
}

export function secure(reply: FastifyReply): void {
  reply.headers(ANSWER_HEADERS).header('x-request-id', reply.request.id);
}

export function createGuard(
  settings: HttpSettings,
  limits: HttpLimits,
  isClosing: () => boolean,
): onRequestHookHandler {
  function check(request: FastifyRequest): void {
    if (isClosing()) throw shuttingDown();
    if (request.raw.url !== undefined && request.raw.url.length > limits.urlLength) {
      throw new BantoError(
        'too_large',
        `The address is longer than ${limits.urlLength} characters.`,
      );
    }
    if (request.routeOptions.config.anyHost !== true) {
      checkHost(request.headers.host, settings);
      checkDirect(request.headers, settings);
    }
    checkOrigin(request, settings);
  }

  return (request, reply, done) => {
    secure(reply);
    let refusal: Error | undefined;
    try {
      check(request);
    } catch (error) {
      refusal = error as Error;
    }
    done(refusal);
  };
}
