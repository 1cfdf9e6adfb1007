import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scratchDir } from '../../../test/support/scratch.ts';
import { inspectDatabase } from './inspect.ts';
import { openSqliteStore } from './sqlite-store.ts';

let dataDir: string;
let file: string;
beforeEach(() => {
  dataDir = scratchDir();
  file = join(dataDir, 'banto.db');
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const open = () => openSqliteStore({ dataDir });
const everyByte = () =>
  new Map(readdirSync(dataDir).map((name) => [name, readFileSync(join(dataDir, name), 'base64')]));

/** Looks, and sees to it that looking changed nothing. */
function inspect() {
  const before = everyByte();
  try {
    return inspectDatabase(dataDir);
  } finally {
    expect(everyByte()).toEqual(before);
  }
}

async function madeWithToken(): Promise<void> {
  const store = await open();
  await store.putSetting('tokens:abc', { agentId: null });
  await store.putSetting('config:broker:x', 1);
  await store.close();
}

test('a stopped Banto is looked at without a trace', async () => {
  await madeWithToken();
  expect(inspect()).toEqual({ state: 'stopped', older: false, tokens: 1 });
});

test('a Banto that was killed is read with its log, and both stay for the next start', async () => {
  await (await open()).close();
  const module = JSON.stringify(join(import.meta.dirname, 'sqlite-store.ts'));
  const script = `
    const { openSqliteStore } = await import(${module});
    const store = await openSqliteStore({ dataDir: process.argv[1] });
    await store.putSetting('tokens:abc', 1);
    process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--input-type=module', '-e', script, dataDir]);
  expect(everyByte().get('banto.db-wal')).not.toBe('');
  expect(inspect()).toEqual({ state: 'stopped', older: false, tokens: 1 });
  const store = await open();
  expect(await store.settings('tokens:')).toEqual(new Map([['tokens:abc', 1]]));
  await store.close();
});

test('a running Banto is recognised and not disturbed', async () => {
  const store = await open();
  expect(inspectDatabase(dataDir)).toEqual({ state: 'in_use' });
  await store.putSetting('config:still', 'works');
  await store.close();
});

test('nothing is made where nothing is', () => {
  expect(inspect()).toEqual({ state: 'missing' });
  rmSync(dataDir, { recursive: true });
  expect(inspectDatabase(dataDir)).toEqual({ state: 'missing' });
});

test('an older schema is told and left as it is', () => {
  new DatabaseSync(file).close();
  expect(inspect()).toEqual({ state: 'stopped', older: true, tokens: 0 });
});

test.each([
  [
    'of another program',
    (db: DatabaseSync) => db.exec('CREATE TABLE theirs (a)'),
    /another program/,
  ],
  ['of a newer Banto', (db: DatabaseSync) => db.exec('PRAGMA user_version = 999'), /newer Banto/],
])('a database %s is refused and left as it is', async (name, change, words) => {
  if (name.includes('newer')) await madeWithToken();
  const db = new DatabaseSync(file);
  change(db);
  db.close();
  expect(inspect).toThrow(words);
});

test('a damaged file is refused and left as it is', async () => {
  await madeWithToken();
  truncateSync(file, 8192);
  expect(inspect).toThrow(/damaged/);
  writeFileSync(file, 'no database\n'.repeat(1000));
  expect(inspect).toThrow(/damaged/);
});
