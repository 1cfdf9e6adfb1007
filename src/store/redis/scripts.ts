// Lua files as one library of functions, kept by Redis: loaded once, called by name. Keys and times to live
// are put in as constants, so that each namespace and each version of Banto has a library of its own.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keys } from './keys.ts';
import type { Ttls } from './ttl.ts';

const FOLDER = join(import.meta.dirname, 'lua');

/** What steps are made of, in the order in which they build on each other. */
const PARTS = [
  'words',
  'record',
  'later',
  'fact',
  'issue',
  'attempt',
  'agent',
  'task',
  'heads',
  'ledger',
  'hand-out',
  'cancel-task',
  'plan',
];

const STEPS = [
  'cancel',
  'claim',
  'complete',
  'fail',
  'fold',
  'forget',
  'generation',
  'heartbeat',
  'learn',
  'mark-answered',
  'mirror',
  'pace',
  'prioritize',
  'recall',
  'refuse',
  'release',
  'requeue',
  'settle-write',
  'sweep',
  'take-writes',
  'touch-labels',
  'unlock',
  'settings.put',
  'process.take',
  'process.give',
  'process.listed',
  'process.metrics',
  'tickets.create',
  'tickets.repair',
  'tickets.listActive',
  'tickets.assign',
  'tickets.release',
  'tickets.delete',
] as const;

const READS = [
  'registry.registry',
  'registry.peek',
  'registry.holding',
  'reads.lastSeq',
  'reads.task',
  'reads.tasks',
  'reads.issues',
] as const;

/** Reads that may write: where a test owns the clock. */
const CLOCK = 'reads.now';

export type StepName = (typeof STEPS)[number];
export type ReadName = (typeof READS)[number] | typeof CLOCK;

export interface Library {
  readonly name: string;
  readonly text: string;
  /** The function that runs a batch of steps. */
  readonly batch: string;
  readonly read: (name: ReadName) => string;
}

const file = (name: string): string => readFileSync(join(FOLDER, `${name}.lua`), 'utf8');

/** A file may hold several, each under a line `-- name: x`. */
function source(name: string): string {
  const [path = '', part] = name.split('.');
  const text = file(path);
  if (part === undefined) return text;
  const found = text.split(/^-- name: /m).find((section) => section.startsWith(`${part}\n`));
  if (found === undefined) throw new Error(`${path}.lua has no part named ${part}.`);
  return found.slice(part.length + 1);
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
    .replaceAll(/\bTTL\.(\w+)/g, (_, name: string) => {
      const seconds = ttls[name as keyof Ttls];
      if (seconds === undefined) throw new Error(`Lua asks for the unknown time to live ${name}.`);
      return `'${seconds}'`;
    });
}

export function loadLibrary(keys: Keys, ttls: Ttls): Library {
  const steps = STEPS.map((name) => `VERBS['${name}'] = function(a, groups)\n${source(name)}\nend`);
  const parts = [...PARTS.map(file), 'local VERBS = {}', ...steps].join('\n');
  const called = (id: string, name: string) => `${id}_${name.replaceAll(/[^a-zA-Z]/g, '_')}`;
  const register = (id: string, name: string, body: string, flags: string) =>
    `redis.register_function{ function_name = '${called(id, name)}', flags = {${flags}}, callback = function(KEYS, ARGV)\n${body}\nend }`;
  // Reads come first: what steps share is set when a batch begins, and a read may be the first call there is.
  const textOf = (id: string) =>
    fillIn(
      [
        ...READS.map((name) => register(id, name, source(name), "'no-writes'")),
        register(id, CLOCK, source(CLOCK), ''),
        parts,
        register(id, 'batch', 'return run_batch(VERBS, ARGV)', ''),
      ].join('\n'),
      keys,
      ttls,
    );
  const id = `banto_${createHash('sha1').update(textOf('')).digest('hex').slice(0, 16)}`;
  return {
    name: id,
    text: `#!lua name=${id}\n${textOf(id)}\n`,
    batch: called(id, 'batch'),
    read: (name) => called(id, name),
  };
}
