// Reads a body as JSON, more strictly than JSON.parse: what two programs could read differently
// (a name given twice, bytes that are not UTF-8) and what only an attacker sends (depth) is refused.

import { BantoError } from '../../../core/errors.ts';

const MOST_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function invalid(message: string, cause?: unknown): BantoError {
  return new BantoError('invalid_request', message, { cause });
}

/** The index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index++;
    else if (code === QUOTE) return index;
  }
  throw new SyntaxError('a string does not end');
}

function checkName(names: Set<string>, name: string): void {
  const shown = JSON.stringify(name.slice(0, 50));
  if (name === '__proto__') throw invalid(`The name ${shown} is not allowed in the body.`);
  if (names.has(name)) throw invalid(`The name ${shown} is given twice in the body.`);
  names.add(name);
}

/** Walks over the text without building anything, so that neither depth nor size can hurt. */
function checkShape(text: string): void {
  // One entry per open bracket: the names seen so far in an object, null in an array.
  const open: (Set<string> | null)[] = [];
  let nameNext = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    const names = open.at(-1) ?? null;
    if (char === '"') {
      const end = endOfString(text, index);
      if (nameNext && names !== null) {
        checkName(names, JSON.parse(text.slice(index, end + 1)) as string);
      }
      nameNext = false;
      index = end;
    } else if (char === '{' || char === '[') {
      open.push(char === '{' ? new Set() : null);
      nameNext = char === '{';
      if (open.length > MOST_DEPTH) {
        throw invalid(`The body is nested more than ${MOST_DEPTH} levels deep.`);
      }
    } else if (char === '}' || char === ']') {
      open.pop();
    } else if (char === ',') {
      nameNext = names !== null;
    }
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for an empty body. */
export function readJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    const text = UTF8.decode(bytes);
    checkShape(text);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof BantoError) throw error;
    if (error instanceof SyntaxError) throw invalid('The body is not valid JSON.', error);
    throw invalid('The body is not valid UTF-8.', error);
  }
}
