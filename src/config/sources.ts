// Where a value comes from: flags over variables over the file over defaults, each checked against its
// setting. The first thing wrong stops the start with one sentence that names it.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { TASK_VARIABLES } from '../core/attempt/task-variables.ts';
import { BantoError } from '../core/errors.ts';
import { repositoryRoot } from './here.ts';
import { nearest } from './nearest.ts';
import { unfoldRedisSection } from './redis-section.ts';
import { fileKey, type Setting } from './setting.ts';
import { SETTINGS } from './settings.ts';
import type { Flags, Variables } from './variables.ts';

export interface Sources {
  readonly flags: Flags;
  readonly env: Variables;
  readonly cwd: string;
}

export interface Values {
  /** The checked value; undefined where there is none. */
  get(name: string): unknown;
  /** Somebody set it: it is not the default. */
  isSet(name: string): boolean;
  /** "from the environment", … */
  origin(name: string): string;
  /** Set by a configuration file that nobody named: it lay in the folder. */
  foundByItself(name: string): boolean;
}

export const FROM_ENVIRONMENT = 'from the environment';
export const CONFIG_FILE = 'banto.config.json';
/** Nobody else's variables begin like this, so one that is unknown is a slip. */
const OWN_PREFIX = /^(?:BANTO|BROKER)_/;

export function misconfigured(sentence: string, cause?: unknown): BantoError {
  return new BantoError('misconfigured', sentence, { cause });
}

function suggestion(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? 'see docs/settings.md for what there is' : `did you mean ${near}?`;
}

function checkVariableNames(env: Variables): void {
  const known = [...SETTINGS.map((setting) => setting.name), ...TASK_VARIABLES];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !OWN_PREFIX.test(name) || known.includes(name)) continue;
    throw misconfigured(
      `The environment variable ${name} is not a setting; ${suggestion(name, known)}`,
    );
  }
}

interface File {
  readonly dir: string;
  readonly shown: string;
  /** False: it was found by itself. */
  readonly named: boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The `redis` block means settings of their own. */
function withRedisBlock(plain: Record<string, unknown>, redis: unknown, shown: string) {
  if (redis === undefined) return plain;
  const block = unfoldRedisSection(redis);
  if (block.problem !== null) throw misconfigured(`${shown}: ${block.problem}.`);
  const twice = Object.keys(block.values).find((key) => Object.hasOwn(plain, key));
  if (twice !== undefined) {
    throw misconfigured(`${shown} sets ${twice} twice, by itself and under redis; remove one.`);
  }
  return { ...block.values, ...plain };
}

/** The parser's own message quotes the file, which may hold secrets: only the place is taken from it. */
function whereIn(error: unknown): string {
  const at = /\(line (\d+) column (\d+)\)$/.exec(error instanceof Error ? error.message : '');
  return at === null ? '' : ` (line ${at[1]}, column ${at[2]})`;
}

function parseFile({ shown, ...place }: Omit<File, 'values'>, content: string): File {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch (error) {
    throw misconfigured(
      `${shown} is not valid JSON${whereIn(error)}; correct it or move it away.`,
      error,
    );
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw misconfigured(`${shown} must hold one JSON object of settings.`);
  }
  const { redis, ...plain } = parsed as Record<string, unknown>;
  const known = SETTINGS.filter((setting) => setting.variableOnly !== true).map(fileKey);
  for (const key of Object.keys(plain)) {
    if (key === '$schema' || known.includes(key)) continue;
    throw misconfigured(
      `${JSON.stringify(key)} in ${shown} is not a setting; ${suggestion(key, known)}`,
    );
  }
  const values = withRedisBlock(plain, redis, shown);
  return { ...place, shown, values };
}

/** In the current folder, or in the root of the repository that it is in. */
function nearestFile(cwd: string): string {
  const here = join(cwd, CONFIG_FILE);
  return existsSync(here) ? here : join(repositoryRoot(cwd) ?? cwd, CONFIG_FILE);
}

function readFile({ flags, env, cwd }: Sources): File | null {
  const named = flags.BANTO_CONFIG ?? (env.BANTO_CONFIG || undefined);
  const path = named === undefined ? nearestFile(cwd) : resolve(cwd, named);
  const shown = named ?? relative(cwd, path);
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (missing && named === undefined) return null;
    const why = missing ? 'does not exist' : `cannot be read (${(error as Error).message})`;
    throw misconfigured(`The configuration file ${shown} ${why}.`, error);
  }
  const place = { dir: dirname(path), shown, named: named !== undefined };
  return parseFile(place, content.replace(/^\uFEFF/, ''));
}

interface Found {
  readonly value: unknown;
  readonly origin: string;
  readonly base: string;
  readonly foundByItself?: boolean;
}

function find(setting: Setting, sources: Sources, file: File | null): Found | null {
  const flag = sources.flags[setting.name];
  if (flag !== undefined) {
    const origin = `from ${setting.flag ?? 'a flag'}`;
    return { value: setting.kind.read(flag), origin, base: sources.cwd };
  }
  // An empty variable is one that is not set: that is how compose files leave things out.
  const variable = sources.env[setting.name];
  if (variable !== undefined && variable.trim() !== '') {
    const value = setting.kind.read(variable.trim());
    return { value, origin: FROM_ENVIRONMENT, base: sources.cwd };
  }
  const key = fileKey(setting);
  if (file !== null && setting.variableOnly !== true && Object.hasOwn(file.values, key)) {
    return {
      value: file.values[key],
      origin: `${key} in ${file.shown}`,
      base: file.dir,
      foundByItself: !file.named,
    };
  }
  return null;
}

const SHOWN_LENGTH = 60;

/** A number or a list that stands in a file as the text that a variable would have. */
function advice({ kind, secret }: Setting, { value }: Found): string {
  const meant = typeof value === 'string' && secret !== true ? kind.read(value) : null;
  return meant !== null && kind.accepts(meant)
    ? `in a file it is written ${JSON.stringify(meant)}`
    : `it must be ${kind.allowed}`;
}

function bad(setting: Setting, found: Found): BantoError {
  const text = JSON.stringify(found.value);
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
  const is = setting.secret === true ? 'is not usable' : `is ${shown}`;
  return misconfigured(`${setting.name} ${is} (${found.origin}); ${advice(setting, found)}.`);
}

/** Reads and checks the settings that are wanted; names are checked in any case. */
export function gather(sources: Sources, wanted: (setting: Setting) => boolean): Values {
  checkVariableNames(sources.env);
  const file = readFile(sources);
  const found = new Map<string, Found>();
  const values = new Map<string, unknown>();
  for (const setting of SETTINGS.filter(wanted)) {
    const one = find(setting, sources, file);
    if (one !== null && !setting.kind.accepts(one.value)) throw bad(setting, one);
    if (one !== null) found.set(setting.name, one);
    const value = one === null ? setting.fallback : one.value;
    const base = one?.base ?? sources.cwd;
    values.set(
      setting.name,
      setting.path === true && typeof value === 'string' ? resolve(base, value) : value,
    );
  }
  return {
    get: (name) => values.get(name),
    isSet: (name) => found.has(name),
    origin: (name) => found.get(name)?.origin ?? 'by default',
    foundByItself: (name) => found.get(name)?.foundByItself === true,
  };
}

/** Everything that was given for this setting, from whatever source and unchecked. */
export function readRaw(setting: Setting, sources: Sources): unknown[] {
  let file: File | null = null;
  try {
    file = readFile(sources);
  } catch (error) {
    if (!(error instanceof BantoError)) throw error;
  }
  const variable = sources.env[setting.name]?.trim();
  return [sources.flags[setting.name], variable, file?.values[fileKey(setting)]];
}
