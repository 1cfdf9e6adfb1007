// What the file must survive, and what must be refused: second processes, damage, newer files, full disks.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, entry, idOf } from '../../../test/contract/store/world.ts';
import { createMemoryLogs } from '../../../test/support/memory-store/memory-logs.ts';
import { scratchDir } from '../../../test/support/scratch.ts';
import { openDatabase } from './database.ts';
import { createSqliteStore, openSqliteStore } from './sqlite-store.ts';

let dataDir: string;
let file: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dataDir = scratchDir();
  file = join(dataDir, 'banto.db');
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(dataDir, { recursive: true, force: true });
});

const open = () => openSqliteStore({ dataDir });
const refusal = async () => {
  try {
    await (await open()).close();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it was opened');
};

/** Opens the store in a process of its own and keeps it; resolves when it has said how that went. */
async function otherProcess(options: { uid?: number } = {}): Promise<string> {
  const module = JSON.stringify(join(import.meta.dirname, 'sqlite-store.ts'));
  const script = `
    import(${module}).then(({ openSqliteStore }) => openSqliteStore({ dataDir: process.argv[1] }))
      .then((store) => store.putSetting('config:other', 1))
      .then(() => console.log('open'), (error) => console.log(error.code + ' ' + error.message));
    setInterval(() => {}, 1000);`;
  const args = ['--input-type=module', '-e', script, dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  children.push(child);
  const [said] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return said.toString().trim();
}

async function filled(): Promise<void> {
  const store = await open();
  await store.mirror(Array.from({ length: 200 }, (_, index) => entry(index + 1)));
  await store.close();
}

describe('a second process on the same data', () => {
  it('is refused clearly, whichever came first', async () => {
    expect(await otherProcess()).toBe('open');
    expect(await refusal()).toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('Another Banto is using'),
    });
  });

  it('is refused within one process too', async () => {
    const store = await open();
    expect((await refusal()).message).toContain('Another Banto is using');
    await store.putSetting('config:still', 'works');
    await store.close();
    await (await open()).close();
  });

  it('may take over at once when the first was killed, with nothing to clean up', async () => {
    expect(await otherProcess()).toBe('open');
    const [first] = children;
    first?.kill('SIGKILL');
    if (first !== undefined) await once(first, 'exit');
    const store = await open();
    expect(await store.settings('config:')).toEqual(new Map([['config:other', 1]]));
    await store.close();
  });
});

describe('the data directory', () => {
  const ignored = () => readFileSync(join(dataDir, '.gitignore'), 'utf8');

  it.each(['missing', 'empty'])('hides itself from git when it was %s', async (before) => {
    if (before === 'missing') rmSync(dataDir, { recursive: true });
    await (await open()).close();
    expect(ignored()).toMatch(/^\*$/m);
    const first = ignored();
    await (await open()).close();
    expect(ignored()).toBe(first);
  });

  it('keeps a .gitignore that is there, and gets none among other things', async () => {
    writeFileSync(join(dataDir, '.gitignore'), 'mine\n');
    await (await open()).close();
    expect(ignored()).toBe('mine\n');
    rmSync(join(dataDir, '.gitignore'));
    writeFileSync(join(dataDir, 'somebody-elses.txt'), '');
    chmodSync(dataDir, 0o755);
    await (await open()).close();
    expect(ignored).toThrow('ENOENT');
    expect(statSync(dataDir).mode & 0o777).toBe(0o755);
  });

  it('is closed to others with all its files, also where it was open before', async () => {
    const mode = (name: string) => statSync(join(dataDir, name)).mode & 0o777;
    chmodSync(dataDir, 0o755);
    writeFileSync(file, '', { mode: 0o644 });
    const store = await open();
    await store.putSetting('config:a', 1);
    expect(mode('.')).toBe(0o700);
    for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith('banto.db'))) {
      expect(`${name} ${mode(name).toString(8)}`).toBe(`${name} 600`);
    }
    expect(readdirSync(dataDir)).toContain('banto.db-wal');
    await store.close();
  });
});

describe('a file that must not be touched', () => {
  const bytes = () => readFileSync(file);

  it('is refused and left as it is when it is not a database', async () => {
    writeFileSync(file, 'these are not the bytes you are looking for\n'.repeat(500));
    const before = bytes();
    expect(await refusal()).toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('damaged'),
    });
    expect(bytes()).toEqual(before);
  });

  it('is refused and left as it is when it was cut off', async () => {
    await filled();
    truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
    const before = bytes();
    expect((await refusal()).message).toContain('damaged');
    expect(bytes()).toEqual(before);
  });

  it('is refused and left as it is when pages in it are overwritten', async () => {
    await filled();
    const damaged = bytes();
    damaged.fill(0xa5, 3 * 4096, damaged.length - 4096);
    writeFileSync(file, damaged);
    expect((await refusal()).message).toContain('damaged');
    expect(bytes()).toEqual(damaged);
  });

  it('is refused when a newer Banto wrote it', async () => {
    await filled();
    const db = new DatabaseSync(file);
    db.exec('PRAGMA user_version = 999');
    db.close();
    expect((await refusal()).message).toContain('newer Banto');
  });

  it('is refused when it belongs to another program', async () => {
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE theirs (a)');
    db.close();
    expect((await refusal()).message).toContain('another program');
    const again = new DatabaseSync(file);
    expect(again.prepare('SELECT count(*) AS n FROM sqlite_schema').get()).toEqual({ n: 1 });
    again.close();
  });
});

describe('a data directory', () => {
  it('is made when it is missing', async () => {
    dataDir = join(dataDir, 'a', 'b');
    await (await open()).close();
    expect(statSync(join(dataDir, 'banto.db')).isFile()).toBe(true);
  });

  it('that cannot be one is refused', async () => {
    writeFileSync(join(dataDir, 'file'), '');
    dataDir = join(dataDir, 'file');
    expect(await refusal()).toMatchObject({
      code: 'misconfigured',
      message: expect.stringContaining('cannot be written'),
    });
  });

  it('that may not be written is refused', async ({ skip }) => {
    chmodSync(dataDir, 0o555);
    // Nothing is forbidden to root: then another user has to try, if it can read this code at all.
    const other = process.getuid?.() === 0 ? { uid: 65_534 } : {};
    const said = await otherProcess(other).catch(() => skip('no other user may run node'));
    chmodSync(dataDir, 0o755);
    expect(said).toMatch(/^misconfigured .*cannot be written/);
  });
});

describe('a full disk', () => {
  it('fails closed, changes nothing, and all is well when there is room again', async () => {
    const db = openDatabase(dataDir);
    const store = createSqliteStore(db, { logs: createMemoryLogs() });
    const world = createWorld({ store, advance: () => {}, close: () => store.close() });
    await world.mirror(entry(1), entry(2));
    const handOut = await world.take('a1');
    const before = [await world.facts(), await store.task(idOf(1)), await store.queue(10)];
    const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number };
    db.exec(`PRAGMA max_page_count = ${pages}`);
    const big = Array.from({ length: 50 }, (_, index) =>
      entry(index + 10, { issue: { body: 'x'.repeat(5_000) } }),
    );
    await expect(world.mirror(...big)).rejects.toMatchObject({ code: 'busy' });
    const results = await Promise.allSettled([
      world.mirror(...big),
      world.mirror(...big),
      store.heartbeat({ taskId: idOf(1), token: 'forged', progress: null }),
    ]);
    expect(results.slice(0, 2).every(({ status }) => status === 'rejected')).toBe(true);
    expect([await world.facts(), await store.task(idOf(1)), await store.queue(10)]).toEqual(before);
    db.exec('PRAGMA max_page_count = 1000000');
    await world.mirror(...big);
    expect(await world.complete(handOut)).toMatchObject({ outcome: 'ok' });
    await store.close();
  });
});

describe('one turn of the event loop', () => {
  it('is one commit, in which one failing verb does not undo the others', async () => {
    const store = await open();
    const bad = { ...entry(2), plans: [{ ...entry(2).plans[0], id: 'not an id' }] } as never;
    const results = await Promise.allSettled([
      store.mirror([entry(1)]),
      store.mirror([entry(3), bad]),
      store.putSetting('config:x', 1),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await store.task(idOf(1))).not.toBeNull();
    expect(await store.task(idOf(3))).toBeNull();
    expect((await store.facts(0, 10)).map(({ seq }) => seq)).toEqual([1, 2]);
    await store.close();
    await expect(store.putSetting('config:x', 2)).rejects.toMatchObject({ code: 'busy' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'busy' });
  });

  it('is answered also when the store is closed right after it was asked', async () => {
    const store = await open();
    const asked = store.putSetting('config:x', 1);
    await store.close();
    await asked;
    const again = await open();
    expect(await again.settings('config:')).toEqual(new Map([['config:x', 1]]));
    await again.close();
  });
});
