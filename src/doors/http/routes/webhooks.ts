// POST /webhooks/github: the raw bytes are checked before they are parsed, the answer comes at once, and the work
// comes after. Larger bodies than anywhere else are taken here, and here only, and only where a signature was sent.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { BantoError } from '../../../core/errors.ts';
import { answerOf, describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const WebhookAnswer = Type.Object(
  { accepted: Type.Literal(true) },
  { title: 'Delivery', additionalProperties: false },
);
type WebhookAnswer = Static<typeof WebhookAnswer>;

const ACCEPTED: WebhookAnswer = { accepted: true };

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body)) as unknown;
  } catch (error) {
    throw new BantoError('invalid_request', 'The delivery is not valid JSON.', { cause: error });
  }
}

/** The form that GitHub signs in. What has another form cannot be right, whatever the body is. */
const SIGNATURE = /^sha256=[0-9a-f]{64}$/i;

function badSignature(): BantoError {
  return new BantoError('unauthenticated', 'The signature of the delivery is not valid.');
}

/**
 * Before the body is read: nobody makes us keep 25 MB by leaving the signature out. A short body is drained, so that
 * the connection can be used again; a long one, or one of unknown length, is not read any further.
 */
function requireSignature(request: FastifyRequest, reply: FastifyReply, drainBytes: number): void {
  if (SIGNATURE.test(word(request.headers['x-hub-signature-256']))) return;
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const short = encoding === undefined && Number(length ?? 0) <= drainBytes;
  if (!short) reply.header('connection', 'close');
  throw badSignature();
}

const word = (header: string | string[] | undefined) => (typeof header === 'string' ? header : '');

export function routeWebhooks(app: App, { broker, limits, observe }: Door): void {
  const { response, ...described } = describe({
    tag: 'server',
    summary: 'A delivery of GitHub',
    description: 'Signed with GITHUB_WEBHOOK_SECRET; without that setting there is no such call.',
    answer: WebhookAnswer,
    errors: [404],
  });
  const { 200: _, ...errors } = response;
  const schema = {
    ...described,
    response: { 202: answerOf(WebhookAnswer, 'Taken in; the work comes after'), ...errors },
  };
  // A scope of its own: nothing but this route gets bytes that were not parsed.
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_: unknown, body: Buffer) => body,
    );
    scope.post(
      '/webhooks/github',
      {
        config: { access: 'public', anyHost: true },
        bodyLimit: limits.webhookBytes,
        schema,
        onRequest: async (request, reply) => {
          if (broker.webhook === undefined) {
            throw new BantoError(
              'not_found',
              'Deliveries are not taken here: GITHUB_WEBHOOK_SECRET is not set.',
            );
          }
          requireSignature(request, reply, limits.unsignedBytes);
        },
      },
      async (request, reply) => {
        const { webhook } = broker;
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const signature = word(request.headers['x-hub-signature-256']);
        if (webhook === undefined || !(await webhook.verify(body, signature))) {
          throw badSignature();
        }
        const payload = parse(body);
        const event = word(request.headers['x-github-event']);
        await observe('webhook', async () => webhook.receive(event, payload));
        return reply.code(202).send(ACCEPTED);
      },
    );
  });
}
