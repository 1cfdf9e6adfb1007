// Every failure becomes `{error, code}` with the status of the one table. What was not foreseen is
// logged with the request's id and answered without details.

import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  BantoError,
  BUSY_SENTENCE,
  ERROR_TABLE,
  type ErrorCode,
  isRefusedForNow,
} from '../../../core/errors.ts';
import type { ErrorAnswer } from '../../schema/error.ts';

interface Failure {
  readonly code: ErrorCode;
  readonly sentence: string;
  readonly retryAfterSeconds?: number;
  readonly detail?: string;
}

const UNFORESEEN: Failure = {
  code: 'internal',
  sentence: 'Something went wrong inside the server. The log has the details.',
};

// Fastify's own refusals, in our words.
const REFUSALS: Readonly<Record<string, Failure>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'too_large', sentence: 'The body is larger than allowed.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'unsupported_media_type',
    sentence: 'The body must be JSON with the header `Content-Type: application/json`.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    code: 'invalid_request',
    sentence: 'The body is not as long as the header `Content-Length` says.',
  },
  FST_ERR_BAD_URL: { code: 'invalid_request', sentence: 'The address is not validly encoded.' },
  FST_ERR_MAX_PARAM_LENGTH: {
    code: 'invalid_request',
    sentence: 'A part of the address is too long.',
  },
};

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: 'not_found',
  413: 'too_large',
  415: 'unsupported_media_type',
};

function fromBanto(error: BantoError): Failure {
  const { status } = ERROR_TABLE[error.code];
  if (status === 503) {
    return {
      code: error.code === 'unreachable' ? 'busy' : error.code,
      sentence: BUSY_SENTENCE,
      retryAfterSeconds: Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1)),
      ...(error.detail === undefined ? {} : { detail: error.detail }),
    };
  }
  if (status >= 500) return UNFORESEEN;
  const { code, message, retryAfterSeconds } = error;
  return {
    code,
    sentence: message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterSeconds) }),
  };
}

function failureOf(error: unknown): Failure {
  if (error instanceof BantoError) return fromBanto(error);
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const refusal = REFUSALS[code ?? ''];
  if (refusal !== undefined) return refusal;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return {
      code: BY_STATUS[statusCode] ?? 'invalid_request',
      sentence: 'The request cannot be understood.',
    };
  }
  return UNFORESEEN;
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { code, sentence, retryAfterSeconds, detail } = failureOf(error);
  const { status } = ERROR_TABLE[code];
  if (status >= 500) {
    // Being busy is no fault unless something lies behind it; a fleet that asks on must not fill the log.
    const refused = isRefusedForNow(code);
    const expected = refused && !(error instanceof Error && error.cause !== undefined);
    const level = expected ? 'debug' : refused ? 'warn' : 'error';
    request.log[level](
      { err: error, method: request.method, route: request.routeOptions.url },
      code,
    );
  }
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  if (code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  const answer: ErrorAnswer = {
    error: sentence,
    code,
    ...(detail === undefined ? {} : { detail }),
  };
  return reply.code(status).type('application/json; charset=utf-8').send(answer);
}
