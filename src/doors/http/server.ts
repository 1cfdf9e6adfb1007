// The fastify instance: limits on what may come in, and one form for every refusal.

import { randomUUID } from 'node:crypto';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { BantoError } from '../../core/errors.ts';
import { answerError } from './checks/answer-error.ts';
import { secure } from './checks/guard.ts';
import { createRawRefusal } from './checks/raw-refusal.ts';
import { readJson } from './checks/read-json.ts';
import { validatorCompiler } from './checks/validate.ts';
import type { HttpLimits } from './settings.ts';

export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const LONGEST_PARAMETER = 300;

export function createServer(log: FastifyBaseLogger, limits: HttpLimits): App {
  const { refuse, watch } = createRawRefusal();
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.receiveMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    http: {
      // The guard asks for it, with an answer in our form.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.receiveMs,
      requestTimeout: limits.receiveMs,
      connectionsCheckingInterval: Math.min(5_000, limits.receiveMs),
    },
    clientErrorHandler: (error, socket) => refuse(error, socket),
    frameworkErrors: (error, request, reply) => {
      secure(reply);
      void answerError(error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = limits.connections;
  watch(app.server);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    let read: unknown;
    try {
      read = readJson(body as Buffer);
    } catch (error) {
      done(error as Error);
      return;
    }
    done(null, read);
  });
  app.setValidatorCompiler(validatorCompiler);
  // Answers are built by the views and checked against their schemas by tests, not at run time.
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request, reply) =>
    answerError(
      new BantoError(
        'not_found',
        'There is no such call. The calls are listed in /openapi.json and shown at /docs.',
      ),
      request,
      reply,
    ),
  );
  return app;
}
