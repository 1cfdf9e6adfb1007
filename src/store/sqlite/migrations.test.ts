// A file of every earlier number is opened by this Banto, with everything in it. Whoever adds a migration adds the
// fixture of the number before it: `npx vitest run src/store/sqlite/migrations.test.ts -t fixture` writes the newest.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, entry, followUp, idOf } from '../../../test/contract/store/world.ts';
import { scratchDir } from '../../../test/support/scratch.ts';
import { FILE, migrations } from './database.ts';
import { openSqliteStore } from './sqlite-store.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', '..', 'test', 'fixtures', 'sqlite');
const AT = Date.UTC(2026, 10, 15, 9, 30);
const fixture = (number: number) => join(FIXTURES, `${String(number).padStart(4, '0')}.sql`);
const numbers = migrations().map((_, index) => index + 1);

let dataDir: string;
beforeEach(() => {
  dataDir = scratchDir();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

/** Something of everything: open, leased, ended and dead tasks, writes that are due, settings, agents. */
async function fill(): Promise<void> {
  let now = AT;
  const store = await openSqliteStore({ dataDir, clock: { now: () => now } });
  const advance = (ms: number) => {
    now += ms;
  };
  const world = createWorld({ store, advance, close: () => store.close() });
  await world.mirror(...[1, 2, 3, 4].map((number) => entry(number, { dependsOn: [9] })));
  const review = followUp(idOf(1, 'review'), { state: 'delayed', delayMs: 60_000, reason: 'wait' });
  const done = await world.take('a1', { token: 't1' });
  await world.complete(done, { followUp: review, prNumber: 7 });
  await world.fail(await world.take('a2', { token: 't2' }), {
    retryable: false,
    reason: 'for good',
  });
  const { lease } = await world.take('a3', { token: 't3', requestId: 'r3', leaseSeconds: 86_400 });
  await store.heartbeat({ taskId: idOf(3), token: lease.token, progress: 'half' });
  await store.putSetting('config:x', { deep: ['🦉'] });
  await store.close();
}

/** The whole file as text, table by table. */
function dump(): string {
  const db = new DatabaseSync(join(dataDir, FILE), { readOnly: true });
  const rows = (sql: string) => db.prepare(sql).all();
  const quote = (value: unknown) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  const schema = rows('SELECT name, type, sql FROM sqlite_schema WHERE sql IS NOT NULL');
  const lines = schema.map(({ sql }) => `${String(sql)};`);
  for (const { name, type } of schema) {
    if (type !== 'table') continue;
    for (const row of rows(`SELECT * FROM ${String(name)}`)) {
      lines.push(
        `INSERT INTO ${String(name)} VALUES (${Object.values(row).map(quote).join(', ')});`,
      );
    }
  }
  for (const pragma of ['application_id', 'user_version']) {
    const [row] = rows(`PRAGMA ${pragma}`);
    lines.push(`PRAGMA ${pragma} = ${String(Object.values(row ?? {})[0])};`);
  }
  db.close();
  return `${lines.join('\n')}\n`;
}

it.skipIf(existsSync(fixture(numbers.length)))(
  'the fixture of the newest number is written',
  async () => {
    await fill();
    writeFileSync(fixture(numbers.length), dump());
  },
);

describe.each(numbers)('a file of number %i', (number) => {
  it('is opened with everything in it, and goes on', async () => {
    const db = new DatabaseSync(join(dataDir, FILE));
    db.exec(readFileSync(fixture(number), 'utf8'));
    db.close();
    let now = AT + 1000;
    const store = await openSqliteStore({ dataDir, clock: { now: () => now } });
    const advance = (ms: number) => {
      now += ms;
    };
    const world = createWorld({ store, advance, close: () => store.close() });
    const { tasks } = await store.tasks({ limit: 10 });
    expect(tasks.map(({ id, state }) => [id, state])).toEqual([
      [idOf(1), 'done'],
      [idOf(2), 'dead'],
      [idOf(3), 'leased'],
      [idOf(4), 'ready'],
      [idOf(1, 'review'), 'delayed'],
    ]);
    expect(await store.settings('config:')).toEqual(new Map([['config:x', { deep: ['🦉'] }]]));
    expect(await store.dependents('octo/park', 9)).toEqual([1, 2, 3, 4]);
    expect((await store.agents()).map(({ agentId }) => agentId)).toEqual(['a1', 'a2', 'a3']);
    const replay = await world.take('a3', { requestId: 'r3' });
    expect(replay).toMatchObject({ replay: true, lease: { token: 't3' } });
    expect(await world.complete(replay)).toMatchObject({ outcome: 'ok', task: { state: 'done' } });
    expect((await world.take('a4')).task.number).toBe(4);
    expect((await store.task(idOf(1)))?.history.length).toBeGreaterThan(2);
    await store.close();
  });
});

it('has a fixture for every number', () => {
  expect(numbers.filter((number) => !existsSync(fixture(number)))).toEqual([]);
});

it('refuses a file from before the first release with a sentence, and leaves it alone', async () => {
  const db = new DatabaseSync(join(dataDir, FILE));
  db.exec('CREATE TABLE tasks (a); PRAGMA application_id = 1112429647; PRAGMA user_version = 1');
  db.close();
  const before = readFileSync(join(dataDir, FILE));
  await expect(openSqliteStore({ dataDir })).rejects.toMatchObject({
    code: 'misconfigured',
    message: expect.stringMatching(/before the first release.*Move it away.*found again/),
  });
  expect(readFileSync(join(dataDir, FILE))).toEqual(before);
});
