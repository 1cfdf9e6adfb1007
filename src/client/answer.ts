// From an HTTP answer to a value or to the error that the server meant.

import { BantoError, ERROR_TABLE, type ErrorCode } from '../core/errors.ts';
import type { ErrorAnswer } from '../doors/schema/error.ts';
import type { Answer } from './transport.ts';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isErrorAnswer(value: unknown): value is ErrorAnswer {
  const answer = value as Partial<ErrorAnswer> | null | undefined;
  return typeof answer?.error === 'string' && Object.hasOwn(ERROR_TABLE, answer.code ?? '');
}

function notBanto(answer: Answer, address: string): BantoError {
  return new BantoError(
    'unreachable',
    `What answers at ${address} (status ${answer.status}) does not speak Banto's language. Set BANTO_URL to where Banto is.`,
  );
}

/** The error of an answer that is not a success. */
export function answerError(answer: Answer, address: string): BantoError {
  const body = parse(answer.text);
  if (!isErrorAnswer(body)) return notBanto(answer, address);
  const seconds = Number(answer.headers['retry-after']);
  const code: ErrorCode = body.code;
  return new BantoError(
    code,
    code === 'unauthenticated' ? `${body.error} Set BANTO_TOKEN.` : body.error,
    {
      retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
      detail: typeof body.detail === 'string' ? body.detail : undefined,
    },
  );
}

/** The body of a success; the caller knows its shape from the schema of the call. */
export function readAnswer(answer: Answer, address: string): object {
  if (answer.status < 200 || answer.status >= 300) throw answerError(answer, address);
  const body = parse(answer.text);
  if (typeof body !== 'object' || body === null) throw notBanto(answer, address);
  return body;
}
