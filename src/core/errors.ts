// The one error type. A code decides how each door answers; the sentence is for people and models.

export type ErrorCode =
  | 'invalid_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'lease_lost'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'too_many_requests'
  | 'busy'
  | 'maintenance'
  | 'stopping'
  | 'unreachable'
  | 'misconfigured'
  | 'internal';

interface Door {
  readonly status: number;
  readonly exit: number;
}

/** One table for every door: HTTP status and the command line's exit code. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, Door>> = {
  invalid_request: { status: 400, exit: 1 },
  unauthenticated: { status: 401, exit: 1 },
  forbidden: { status: 403, exit: 1 },
  not_found: { status: 404, exit: 1 },
  lease_lost: { status: 409, exit: 4 },
  conflict: { status: 409, exit: 1 },
  too_large: { status: 413, exit: 1 },
  unsupported_media_type: { status: 415, exit: 1 },
  too_many_requests: { status: 429, exit: 1 },
  busy: { status: 503, exit: 5 },
  maintenance: { status: 503, exit: 5 },
  stopping: { status: 503, exit: 5 },
  unreachable: { status: 503, exit: 5 },
  misconfigured: { status: 500, exit: 1 },
  internal: { status: 500, exit: 1 },
};

export const BUSY_SENTENCE = 'Server is busy. Please try again later.';

export class BantoError extends Error {
  readonly code: ErrorCode;
  /** Seconds after which trying again makes sense, where that is known. */
  readonly retryAfterSeconds: number | undefined;
  /** Why, in a sentence, where the message itself is fixed. */
  readonly detail: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      cause?: unknown;
      retryAfterSeconds?: number | undefined;
      detail?: string | undefined;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'BantoError';
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.detail = options.detail;
  }
}

/** Every refusal for now keeps the one sentence; `detail` says why. */
export function busy(cause?: unknown, retryAfterSeconds = 1, detail?: string): BantoError {
  return new BantoError('busy', BUSY_SENTENCE, { cause, retryAfterSeconds, detail });
}

const MAINTENANCE_SECONDS = 10;

export function underMaintenance(detail: string): BantoError {
  const retryAfterSeconds = MAINTENANCE_SECONDS;
  return new BantoError('maintenance', BUSY_SENTENCE, { retryAfterSeconds, detail });
}

export function shuttingDown(): BantoError {
  return new BantoError('stopping', BUSY_SENTENCE, {
    retryAfterSeconds: 1,
    detail: 'This Banto is shutting down.',
  });
}

/** Asking again later makes sense: nothing is wrong with the request itself. */
export function isRefusedForNow(code: ErrorCode): boolean {
  return ERROR_TABLE[code].status === 503;
}
