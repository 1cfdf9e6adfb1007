// Why something cannot be had now, in one sentence. "Busy" is no reason: what lies behind it is.

import { BUSY_SENTENCE } from '../errors.ts';

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { detail } = error as { readonly detail?: unknown };
  if (typeof detail === 'string' && detail !== '') return detail;
  const known = error.message !== BUSY_SENTENCE || !(error.cause instanceof Error);
  return known ? error.message : reasonOf(error.cause);
}
