// The settings of `banto work` that are more than a flag: what a repository wants checked, run and priced.

import type { Kind, Setting } from './setting.ts';
import { text } from './setting.ts';

const HOOK_NAMES = ['after_create', 'before_run', 'after_run', 'before_remove'];
const MAX_COMMAND = 4096;
const command = text('a command line', '^[^\\u0000]+$', MAX_COMMAND);

/** Null: it is no plain JSON object. */
function entriesOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.getOwnPropertyNames(value).map((name) => [
    name,
    (value as Record<string, unknown>)[name],
  ]);
}

function parse(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

const hooks: Kind = {
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(HOOK_NAMES.map((name) => [name, command.schema])),
  },
  accepts(value) {
    const entries = entriesOf(value);
    return (
      entries?.every(([name, one]) => HOOK_NAMES.includes(name) && command.accepts(one)) === true
    );
  },
  allowed: `an object of commands: ${HOOK_NAMES.join(', ')}`,
  read: parse,
};

const PRICE_NAMES = ['input', 'output', 'cached'];
const MAX_PRICE = 1_000_000;

function isPrice(value: unknown): boolean {
  const entries = entriesOf(value);
  if (entries === null) return false;
  const names = new Set(entries.map(([name]) => name));
  return (
    names.has('input') &&
    names.has('output') &&
    entries.every(
      ([name, one]) =>
        PRICE_NAMES.includes(name) && typeof one === 'number' && one >= 0 && one <= MAX_PRICE,
    )
  );
}

const price = { type: 'number', minimum: 0, maximum: MAX_PRICE };
const prices: Kind = {
  schema: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      additionalProperties: false,
      required: ['input', 'output'],
      properties: Object.fromEntries(PRICE_NAMES.map((name) => [name, price])),
    },
  },
  accepts: (value) => entriesOf(value)?.every(([, one]) => isPrice(one)) === true,
  allowed:
    'an object of models, each with input, output and (optional) cached: US dollars for a million tokens',
  read: parse,
};

export const WORK_SETTINGS: readonly Setting[] = [
  {
    name: 'WORK_CHECK',
    key: 'check',
    flag: '--check',
    kind: command,
    client: true,
    about: 'What must pass in the worktree before `banto work` completes a task.',
  },
  {
    name: 'WORK_HOOKS',
    key: 'hooks',
    kind: hooks,
    client: true,
    about:
      'Commands that `banto work` runs around a task, instead of the files in `.banto/hooks/`.',
  },
  {
    name: 'WORK_PRICES',
    key: 'prices',
    kind: prices,
    client: true,
    about:
      'What models cost, for tools that do not say; the name of a preset stands for its unknown model.',
  },
];
