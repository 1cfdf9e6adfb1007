// What Redis, or the way to it, says in words: as the errors of the store.

import { BantoError, busy } from '../../../core/errors.ts';

const NOT_NOW =
  /^(OOM|READONLY|LOADING|BUSY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOREPLICAS|MISCONF|UNKILLABLE)\b/;

const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [
    /^WRONGPASS/,
    'Redis refuses the password. Check REDIS_PASSWORD and REDIS_USERNAME, or the ones in REDIS_URL.',
  ],
  [/^NOAUTH/, 'Redis asks for a password. Set REDIS_PASSWORD, or put it into REDIS_URL.'],
  // A transaction hides which of its commands was not allowed; where that is the first one, only the last says something.
  [
    /\bNOPERM\b|^ERR EXEC without MULTI/,
    'The Redis user may not do what Banto needs; docs/redis.md has its rights.',
  ],
];

/** The sentence where Redis knows us and does not let us in; null: that is not what happened. */
export function refusalOf(error: Error): string | null {
  const sentence = REFUSALS.find(([word]) => word.test(error.message))?.[1];
  return sentence === undefined ? null : `${sentence} (${error.message})`;
}

/** What Redis says is a fault of ours unless it says "not now"; silence and broken connections are `busy`. */
export function translate(error: unknown): BantoError {
  if (error instanceof BantoError) return error;
  if (error instanceof Error && error.name === 'ReplyError' && !NOT_NOW.test(error.message)) {
    const refused = refusalOf(error);
    if (refused !== null) return new BantoError('misconfigured', refused, { cause: error });
    return new BantoError('internal', `Redis refused a command: ${error.message}`, {
      cause: error,
    });
  }
  const [, word] = NOT_NOW.exec(error instanceof Error ? error.message : '') ?? [];
  const detail =
    word === undefined ? 'Redis does not answer.' : `Redis takes no writes for now (${word}).`;
  return busy(error, 1, detail);
}
