// From an HTTP answer to a value or to the error that the server meant.

import { BantoError, ERROR_TABLE, type ErrorCode } from '../core/errors.ts';
import { API_HEADER } from '../doors/schema/headers.ts';
import type { Answer } from './transport.ts';

type Head = Pick<Answer, 'status' | 'headers'>;

interface Refusal {
  readonly error: string;
  readonly code: string;
  /** Why the server cannot answer now; a server of an earlier version says nothing. */
  readonly detail?: unknown;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRefusal(value: unknown): value is Refusal {
  const answer = value as Partial<Refusal> | null | undefined;
  return typeof answer?.error === 'string' && typeof answer.code === 'string';
}

/** A code of a later version is read by its status: 503 always means that trying again makes sense. */
function codeOf({ code }: Refusal, status: number): ErrorCode | null {
  if (Object.hasOwn(ERROR_TABLE, code)) return code as ErrorCode;
  return status === 503 ? 'busy' : null;
}

function notBanto({ status }: Head, address: string): BantoError {
  return new BantoError(
    'unreachable',
    `What answers at ${address} (status ${status}) does not look like a Banto server. Check the address (BANTO_URL or --url), and whether another program or a proxy answers there.`,
  );
}

/**
 * An answer without Banto's header may still be Banto's: a proxy may have taken it away, another server may speak the
 * same API. A success that says nothing at all is not.
 */
export function checkSpeaker(answer: Answer, address: string): void {
  const { status, headers, text } = answer;
  if ((headers[API_HEADER] ?? '') !== '' || status === 204 || status < 200 || status >= 300) return;
  const body = parse(text);
  if (typeof body === 'object' && body !== null && Object.keys(body).length > 0) return;
  throw notBanto(answer, address);
}

/** The same for a stream of events, of which nothing is read yet. */
export function checkStream(head: Head, address: string): void {
  const { [API_HEADER]: api = '', 'content-type': type = '' } = head.headers;
  if (api === '' && head.status === 200 && !type.startsWith('text/event-stream')) {
    throw notBanto(head, address);
  }
}

function notNow({ detail }: Refusal, address: string, seconds: number): string {
  const again = Number.isFinite(seconds) ? ` Try again in ${seconds} s.` : ' Try again later.';
  const reason = typeof detail === 'string' ? detail.trim() : '';
  if (reason === '') return `Banto at ${address} cannot answer now and does not say why.${again}`;
  return `Banto at ${address} cannot answer now: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}${again}`;
}

/** The error of an answer that is not a success. */
export function answerError(answer: Answer, address: string): BantoError {
  const body = parse(answer.text);
  const code = isRefusal(body) ? codeOf(body, answer.status) : null;
  if (!isRefusal(body) || code === null) return notBanto(answer, address);
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN);
  const sentences: Partial<Record<ErrorCode, string>> = {
    unauthenticated: `${body.error} Set BANTO_TOKEN.`,
  };
  const sentence =
    answer.status === 503 ? notNow(body, address, seconds) : (sentences[code] ?? body.error);
  return new BantoError(code, sentence, {
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
    detail: typeof body.detail === 'string' ? body.detail : undefined,
  });
}

/** The body of a success; the caller knows its shape from the schema of the call. */
export function readAnswer(answer: Answer, address: string): object {
  if (answer.status < 200 || answer.status >= 300) throw answerError(answer, address);
  const body = parse(answer.text);
  if (typeof body !== 'object' || body === null) throw notBanto(answer, address);
  return body;
}
