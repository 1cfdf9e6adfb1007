// The fastify instance: limits on what may come in, and one form for every refusal.

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { BantoError, ERROR_TABLE, type ErrorCode } from '../../core/errors.ts';
import type { ErrorAnswer } from '../schema/error.ts';
import { answerError } from './answer-error.ts';
import { SECURITY_HEADERS, secure } from './guard.ts';
import { readJson } from './read-json.ts';
import type { HttpLimits } from './settings.ts';
import { validatorCompiler } from './validate.ts';

export type App = FastifyInstance<
  import('node:http').Server,
  import('node:http').IncomingMessage,
  import('node:http').ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

const LONGEST_PARAMETER = 300;

// What the parser refuses never becomes a request: the answer is written by hand.
function refuseRaw(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW' || error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
      ? 'too_large'
      : 'invalid_request';
  const sentence =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'The request did not arrive in time.'
      : code === 'too_large'
        ? 'The address and headers are larger than allowed.'
        : 'This is not a valid HTTP request.';
  const answer: ErrorAnswer = { error: sentence, code };
  const body = JSON.stringify(answer);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
    ...SECURITY_HEADERS,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const status = ERROR_TABLE[code].status;
  socket.end(`HTTP/1.1 ${status} ${code}\r\n${lines.join('')}\r\n${body}`);
}

export function createServer(log: FastifyBaseLogger, limits: HttpLimits): App {
  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.receiveMs,
    return503OnClosing: false,
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.receiveMs,
      requestTimeout: limits.receiveMs,
      connectionsCheckingInterval: Math.min(5_000, limits.receiveMs),
    },
    clientErrorHandler: (error, socket) => refuseRaw(error, socket),
    frameworkErrors: (error, request, reply) => {
      secure(reply);
      void answerError(error, request, reply);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = limits.connections;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => readJson(body),
  );
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
