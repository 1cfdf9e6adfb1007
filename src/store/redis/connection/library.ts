// Lua files as one library of functions, kept by Redis: loaded once, called by name. Keys and times to live
// are put in as constants, so that each namespace and each version of Banto has a library of its own.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SCORES } from '../../../core/priority.ts';
import type { Keys } from '../keys.ts';
import type { Ttls } from '../ttl.ts';

const FOLDER = join(import.meta.dirname, '..', 'lua');

/** In the order in which they build on each other. */
const FILES = [
  'words',
  'step',
  'claim',
  'generation',
  'drop-bucket',
  'buckets',
  'process',
  'tickets',
];

const FUNCTIONS = [
  'step',
  'attach',
  'number_buckets',
  'drop_buckets',
  'check_heads',
  'take_lock',
  'give_lock',
  'swap_text',
  'create_ticket',
  'repair_tickets',
  'list_tickets',
] as const;

export type FunctionName = (typeof FUNCTIONS)[number];

export interface Library {
  readonly name: string;
  readonly text: string;
  readonly called: (name: FunctionName) => string;
}

const file = (name: string): string => readFileSync(join(FOLDER, `${name}.lua`), 'utf8');

/** A part of `scripts.lua`: for one `EVAL`, without the library. */
export function scriptOf(name: 'guard' | 'renew' | 'release' | 'dropBucket'): string {
  const found = file('scripts')
    .split(/^-- name: /m)
    .find((part) => part.startsWith(`${name}\n`));
  if (found === undefined) throw new Error(`scripts.lua has no part named ${name}.`);
  const script = found.slice(name.length + 1);
  return name === 'dropBucket' ? `${file('drop-bucket')}${script}` : script;
}

const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fillIn(text: string, keys: Keys, ttls: Ttls): string {
  return text
    .replaceAll(/^\s*--.*\n/gm, '')
    .replaceAll(/\bK\.(\w+)/g, (_, name: string) => {
      const key = keys.at[name as keyof Keys['at']];
      if (key === undefined) throw new Error(`Lua asks for the unknown key ${name}.`);
      return literal(key);
    })
    .replaceAll(/\bSCORE\.(\w+)/g, (_, name: string) => {
      const value = SCORES[name as keyof typeof SCORES];
      if (value === undefined) throw new Error(`Lua asks for the unknown score ${name}.`);
      return String(value);
    })
    .replaceAll(/\bTTL\.(\w+)/g, (_, name: string) => {
      const seconds = ttls[name as keyof Ttls];
      if (seconds === undefined) throw new Error(`Lua asks for the unknown time to live ${name}.`);
      return `'${seconds}'`;
    });
}

export function loadLibrary(keys: Keys, ttls: Ttls): Library {
  const code = fillIn(FILES.map(file).join('\n'), keys, ttls);
  const id = `banto_${createHash('sha1').update(code).digest('hex').slice(0, 16)}`;
  const called = (name: string) => `${id}_${name}`;
  // Each begins with the clock and the generation that the caller knows; only `attach` compares for itself.
  const register = FUNCTIONS.map((name) => {
    const known = name === 'attach' ? "''" : 'A[2]';
    const body = `if not begin(A[1], ${known}) then return { 'generation' } end return ${name}(A)`;
    return `redis.register_function('${called(name)}', function(_, A) ${body} end)`;
  }).join('\n');
  return { name: id, text: `#!lua name=${id}\n${code}\n${register}\n`, called };
}
