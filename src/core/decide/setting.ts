// What a run-time setting becomes, and what is told of it.

import { type ByHand, byHand, type FactBody } from '../facts.ts';
import { pausedName } from '../pairing/paused.ts';

// Facts are shown to everyone who reads events; a token's hash is nobody's business.
const SECRET_PREFIX = 'tokens:';

export interface SettingChange {
  /** The value as JSON; null: it is not set any more. */
  readonly json: string | null;
  /** Whom it lets have nothing, or something again: rankings from before are stale; null: nobody. */
  readonly pauses: { readonly name: string; readonly paused: boolean } | null;
  readonly fact: FactBody;
}

/** `before`: the value as JSON. Null: it is that already. */
export function changeSetting(
  name: string,
  before: string | null,
  value: unknown,
  asked: ByHand = {},
): SettingChange | null {
  const json = value === null || value === undefined ? null : JSON.stringify(value);
  if (json === before) return null;
  const paused = pausedName(name);
  const shown = name.startsWith(SECRET_PREFIX) ? null : (value ?? null);
  return {
    json,
    pauses: paused === null ? null : { name: paused, paused: value === true },
    fact: { type: 'setting_changed', name, value: shown, ...byHand(asked) },
  };
}
