// A copy of the skill. Its last line says what Banto wrote, so that a copy that somebody changed is known as theirs.

import { createHash } from 'node:crypto';

const SEAL = /\n<!-- banto setup ([0-9a-f]{16}) -->\n$/;

function seal(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

export function sealed(skill: string): string {
  return `${skill}\n<!-- banto setup ${seal(skill)} -->\n`;
}

/** Written by some version of Banto, and not changed since. */
export function isOurs(text: string): boolean {
  const found = SEAL.exec(text);
  return found !== null && found[1] === seal(text.slice(0, found.index));
}
