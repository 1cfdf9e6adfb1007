// Lua files as scripts: parts are put in front, keys and times to live put in, and each is sent by its hash.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys } from './keys.ts';
import type { Ttls } from './ttl.ts';

const FOLDER = join(import.meta.dirname, 'lua');

export interface Script {
  readonly name: string;
  readonly text: string;
  readonly sha: string;
}

const SCRIPTS = [
  'cancel',
  'claim',
  'complete',
  'fail',
  'fold',
  'forget',
  'generation',
  'heartbeat',
  'learn',
  'mirror',
  'prioritize',
  'refuse',
  'release',
  'requeue',
  'settle-write',
  'sweep',
  'take-writes',
  'touch-labels',
  'unlock',
  'settings.put',
  'registry.registry',
  'registry.peek',
  'reads.now',
  'reads.lastSeq',
  'reads.task',
  'reads.tasks',
  'reads.issues',
  'process.take',
  'process.give',
  'process.metrics',
  'tickets.create',
  'tickets.repair',
  'tickets.listActive',
  'tickets.assign',
  'tickets.release',
  'tickets.delete',
] as const;

export type ScriptName = (typeof SCRIPTS)[number];

const read = (file: string): string => readFileSync(join(FOLDER, `${file}.lua`), 'utf8');

/** A file may hold several scripts, each under a line `-- name: x`; what stands above belongs to all. */
function section(text: string, name: string | undefined): string {
  if (name === undefined) return text;
  const [head = '', ...rest] = text.split(/^-- name: /m);
  const found = rest.find((part) => part.slice(0, part.indexOf('\n')).trim() === name);
  if (found === undefined) throw new Error(`No script is named ${name}.`);
  return head + found.slice(found.indexOf('\n') + 1);
}

function withParts(text: string): string {
  const names = [...text.matchAll(/^-- include: (.+)$/gm)].flatMap((line) =>
    (line[1] ?? '').split(',').map((name) => name.trim()),
  );
  return [...names.map(read), text].join('\n');
}

const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** `K.name` and `TTL.name` become constants: a script carries no table of keys from call to call. */
function fillIn(text: string, keys: Keys, ttls: Ttls): string {
  return text
    .replaceAll(/^\s*--.*\n/gm, '')
    .replaceAll(/\bK\.(\w+)/g, (_, name: string) => {
      const key = keys.at[name as keyof Keys['at']];
      if (key === undefined) throw new Error(`Lua asks for the unknown key ${name}.`);
      return literal(key);
    })
    .replaceAll(/\bTTL\.(\w+)/g, (_, name: string) => {
      const seconds = ttls[name as keyof Ttls];
      if (seconds === undefined) throw new Error(`Lua asks for the unknown time to live ${name}.`);
      return String(seconds);
    });
}

export function loadScripts(keys: Keys, ttls: Ttls): ReadonlyMap<ScriptName, Script> {
  return new Map(
    SCRIPTS.map((name) => {
      const [file = '', part] = name.split('.');
      const text = fillIn(withParts(section(read(file), part)), keys, ttls);
      return [name, { name, text, sha: createHash('sha1').update(text).digest('hex') }];
    }),
  );
}
