// One verb, one name: what is a `.sql` file in one store is a `.lua` file in the other.

import { globSync } from 'node:fs';
import { join, parse } from 'node:path';
import { expect, it } from 'vitest';

const STORE = join(import.meta.dirname, '..', 'src', 'store');
const names = (pattern: string) =>
  globSync(pattern, { cwd: STORE })
    .map((file) => parse(file).name)
    .sort();

/** What only one store needs, and why. */
const ONLY_LUA = [
  'cancel-task', // a part shared by cancel and mirror
  'fold', // counts are kept by triggers in SQLite
  'generation', // a file is not lost behind one's back
  'heads', // a part of claim: the oldest tasks of its buckets
  'keys', // what `banto keys` does in one step
  'later', // a part of every step: lists that change once a batch
  'pace', // beside SQLite one process counts for itself, in memory
  'plan', // the table of plans is TypeScript beside SQLite
  'process', // locks and metrics of many instances
  'record', // a part of every step: tasks and issues as one text each
  'tickets', // beside SQLite they end with the process, in memory
  'words', // a part of every step: how numbers and texts are spelled
];

/** The doctor looks at a database file that nobody has open. */
const ONLY_SQL = ['inspect'];

it('has the same names for the same verbs in Lua and in SQL', () => {
  const sql = names('sqlite/sql/*.sql').filter((name) => !ONLY_SQL.includes(name));
  const lua = names('redis/lua/*.lua').filter((name) => !ONLY_LUA.includes(name));
  expect(sql.length).toBeGreaterThan(0);
  expect(lua).toEqual(sql);
});
