// Every secret that was configured, right or wrong: what must never be printed. Nothing here fails: what cannot be
// read holds no secret that anybody uses.

import { type Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';
import { readRaw, type Sources } from './sources.ts';

/** Of an address only the password is secret, as it is written and as it is meant. */
function passwordsIn(value: string): string[] {
  const written = /^[a-z+]{1,20}:\/\/[^:@/]*:([^@/]*)@/i.exec(value)?.[1];
  if (written === undefined) return [];
  try {
    return [written, decodeURIComponent(written)];
  } catch {
    return [written];
  }
}

/** Whoever knows it may write to the channel behind it. */
const SECRET_ADDRESSES = new Set(['NOTIFY_URL']);

function secretsIn(setting: Setting, value: string): string[] {
  return setting.name.endsWith('_URL') && !SECRET_ADDRESSES.has(setting.name)
    ? passwordsIn(value)
    : [value, setting.kind.read(value)].map(String);
}

export function secretsOf(sources: Sources): string[] {
  const secret = SETTINGS.filter((setting) => setting.secret === true);
  return secret.flatMap((setting) =>
    readRaw(setting, sources)
      .filter((value) => typeof value === 'string')
      .flatMap((value) => secretsIn(setting, value)),
  );
}
