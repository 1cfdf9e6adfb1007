import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RedisServer, startRedisServer } from '../../../../test/support/redis-server.ts';
import { scratchDir } from '../../../../test/support/scratch.ts';
import { liveWholeLife } from '../../../../test/support/whole-life.ts';
import { openRedisStore } from '../redis-store.ts';
import { holdLock } from './hold-lock.ts';
import { type NamespaceKeys, openNamespaceKeys } from './namespace-keys.ts';

let server: RedisServer;
let raw: RedisServer['raw'];
let opened: NamespaceKeys[];

beforeAll(async () => {
  server = await startRedisServer({ args: ['--enable-debug-command', 'local'] });
  raw = server.raw;
});
afterAll(() => server.stop());
beforeEach(async () => {
  await raw.flushall();
  opened = [];
});
afterEach(() => Promise.all(opened.map((room) => room.close())));

async function room(namespace = 'banto'): Promise<NamespaceKeys> {
  const one = await openNamespaceKeys({ connection: { url: server.url }, namespace });
  opened.push(one);
  return one;
}
const quiet = () => undefined;
const total = (found: readonly { keys: number }[]) =>
  found.reduce((sum, { keys }) => sum + keys, 0);

/** A namespace in which every kind of key has been written. */
async function fill(namespace: string): Promise<void> {
  let now = Date.now();
  const store = await openRedisStore({
    connection: { url: server.url },
    namespace,
    clock: { now: () => now },
  });
  const advance = (ms: number) => {
    now += ms;
  };
  await liveWholeLife({ store, now: () => now, advance });
  await store.resign('migration', 'i1');
  await store.close();
}

/** Everything below a prefix, by name: type, expiry, and a digest that knows every byte of the value. */
async function pictureOf(prefix: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const key of (await raw.keys('*')).filter((name) => name.startsWith(prefix))) {
    const digest = (await raw.call('DEBUG', 'DIGEST-VALUE', key)) as string[];
    const about = [await raw.type(key), await raw.pexpiretime(key), digest[0]];
    found.set(key.slice(prefix.length), about.join(' '));
  }
  return found;
}

describe('looking at a namespace', () => {
  beforeEach(async () => {
    await raw.hset('banto:issue:status:7', 'state', 'ready');
    await raw.set('banto:process:heartbeat:a1', '1', 'EX', 1800);
    await raw.sadd('banto:issues:processing', '7');
    await raw.set('banto2:issue:status:7', 'not ours');
    await raw.set('bantoissue:status:7', 'not ours');
    await raw.set('other:banto:issue:status:7', 'not ours');
  });

  it('lists its keys with type and time to live, and nothing of a namespace with a similar name', async () => {
    const found = await (await room()).list(null, quiet);
    expect(found.map(({ key, type }) => [key, type])).toEqual([
      ['banto:issue:status:7', 'hash'],
      ['banto:issues:processing', 'set'],
      ['banto:process:heartbeat:a1', 'string'],
    ]);
    expect(found[0]?.ttlMs).toBeNull();
    expect(found[2]?.ttlMs).toBeGreaterThan(1_790_000);
  });

  it.each([
    ['issue', ['banto:issue:status:7']],
    ['issue:status', ['banto:issue:status:7']],
    ['issue:stat', []],
    ['*:7', ['banto:issue:status:7']],
    ['issue*', ['banto:issue:status:7', 'banto:issues:processing']],
    ['issues:processing', ['banto:issues:processing']],
  ])('takes the filter %s', async (filter, expected) => {
    const found = await (await room()).list(filter, quiet);
    expect(found.map(({ key }) => key)).toEqual(expected);
  });

  it('leaves out a namespace that lies beneath it', async () => {
    await raw.hset('banto:staging:meta', 'generation', 'x');
    await raw.set('banto:staging:issue:status:7', 'not ours');
    expect(total(await (await room()).count(null, quiet))).toBe(3);
    expect(total(await (await room('banto:staging')).count(null, quiet))).toBe(2);
  });

  it('counts and weighs by component', async () => {
    const keys = await room();
    expect(await keys.count(null, quiet)).toEqual([
      { component: 'issue', keys: 1 },
      { component: 'issues', keys: 1 },
      { component: 'process', keys: 1 },
    ]);
    await raw.set('banto:setting:big', 'x'.repeat(10_000));
    const { components, largest } = await keys.memory(null, quiet);
    expect(components.map(({ component }) => component)).toContain('setting');
    expect(largest[0]?.key).toBe('banto:setting:big');
    expect(largest[0]?.bytes).toBeGreaterThan(10_000);
  });

  it('finds each of very many keys once, with SCAN and without KEYS, and says how far it is', async () => {
    const pipe = raw.pipeline();
    for (let n = 0; n < 5000; n += 1) pipe.set(`banto:setting:${n}`, 'x');
    await pipe.exec();
    await raw.config('RESETSTAT');
    const heard: number[] = [];
    const counted = await (await room()).count('setting', (done) => {
      heard.push(done);
    });
    expect(counted).toEqual([{ component: 'setting', keys: 5000 }]);
    expect(heard.length).toBeGreaterThan(2);
    const used = await raw.info('commandstats');
    expect(used).toContain('cmdstat_scan:');
    expect(used).not.toContain('cmdstat_keys:');
  });

  it('refuses a namespace with glob characters', async () => {
    await expect(room('ban*')).rejects.toMatchObject({ code: 'misconfigured' });
  });
});

describe('a backup', () => {
  it('restores into another namespace byte for byte, with type and expiry', async () => {
    await fill('banto');
    const before = await pictureOf('banto:');
    const file = join(scratchDir(), 'all');
    const saved = await (await room()).backup(file, quiet);
    expect(saved).toMatchObject({ keys: before.size, exact: true });
    const restored = await (await room('rehearsal')).restore(file, false, quiet);
    expect(restored).toEqual({ keys: before.size, expired: 0, removed: 0 });
    // But for the mark that the first Banto finds there.
    expect(await raw.hdel('rehearsal:meta', 'restored')).toBe(1);
    expect(await pictureOf('rehearsal:')).toEqual(before);
    expect(await pictureOf('banto:')).toEqual(before);
  });

  it('brings a store back that goes on where it was', async () => {
    await fill('banto');
    const file = join(scratchDir(), 'all');
    await (await room()).backup(file, quiet);
    await raw.flushall();
    await (await room()).restore(file, false, quiet);
    const connection = { url: server.url };
    const store = await openRedisStore({ connection, namespace: 'banto' });
    const { tasks } = await store.tasks({ limit: 100 });
    expect(tasks.length).toBeGreaterThan(8);
    expect(await store.lastSeq()).toBeGreaterThan(20);
    await store.close();
  });

  it('says when Banto was at work meanwhile', async () => {
    await fill('banto');
    const store = await openRedisStore({ connection: { url: server.url }, namespace: 'banto' });
    let worked = false;
    const file = join(scratchDir(), 'all');
    const saved = await (await room()).backup(file, async () => {
      if (worked) return;
      worked = true;
      await store.putSetting('config:broker:lease_seconds', 90);
    });
    await store.close();
    expect(saved.exact).toBe(false);
  });

  it('keeps others from making one at the same time, and leaves no lock behind', async () => {
    await fill('banto');
    const keys = await room();
    const lock = await holdLock(raw, 'banto:lock:process:backup', 'backup');
    const file = join(scratchDir(), 'all');
    await expect(keys.backup(file, quiet)).rejects.toMatchObject({ code: 'conflict' });
    await lock.release();
    await keys.backup(file, quiet);
    expect(await raw.exists('banto:lock:process:backup')).toBe(0);
  });

  it('does not take the place of a file that is there', async () => {
    const file = join(scratchDir(), 'precious');
    writeFileSync(file, 'precious');
    await expect((await room()).backup(file, quiet)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });
});

describe('a restore', () => {
  let file: string;
  beforeEach(async () => {
    await raw.set('banto:setting:one', 'first');
    await raw.set('banto:setting:two', 'second', 'PX', 60_000);
    file = join(scratchDir(), 'all');
    await (await room()).backup(file, quiet);
  });

  it.each<[string, (text: string) => string]>([
    ['cut off', (text) => text.slice(0, -40)],
    ['without its end', (text) => `${text.split('\n').slice(0, -2).join('\n')}\n`],
    ['with a changed key', (text) => text.replace('setting:one', 'setting:own')],
    ['with a line too few', (text) => text.replace(/\n.*setting:one.*\n/, '\n')],
    ['with something after its end', (text) => `${text}{}\n`],
    ['of another program', () => '{"format":"something else"}\n'],
    ['of a later version', (text) => text.replace('"version":1', '"version":2')],
    ['that is empty', () => ''],
    ['that is no text', () => '\u0000\u0001\u0002'],
  ])('writes nothing from a file %s', async (_what, damage) => {
    const bad = `${file}.bad`;
    writeFileSync(bad, damage(readFileSync(file, 'utf8')));
    await expect((await room('other')).restore(bad, false, quiet)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(await raw.keys('other:*')).toEqual([]);
  });

  it('refuses a namespace that is not empty, and replaces all of it when told to', async () => {
    await raw.set('other:setting:three', 'was here');
    const other = await room('other');
    await expect(other.restore(file, false, quiet)).rejects.toMatchObject({ code: 'conflict' });
    expect(await raw.get('other:setting:three')).toBe('was here');
    expect(await other.restore(file, true, quiet)).toEqual({ keys: 2, expired: 0, removed: 1 });
    expect((await raw.keys('other:*')).sort()).toEqual(['other:setting:one', 'other:setting:two']);
    expect(await raw.pexpiretime('other:setting:two')).toBe(
      await raw.pexpiretime('banto:setting:two'),
    );
  });

  it('refuses while a Banto leads there', async () => {
    await raw.set('other:lock:process:leader', 'i1', 'PX', 5000);
    await expect((await room('other')).restore(file, true, quiet)).rejects.toThrow(
      /in use.*leader/,
    );
  });

  it('leaves out what has expired meanwhile', async () => {
    const late = `${file}.late`;
    await raw.pexpire('banto:setting:two', 500);
    const expiresAt = await raw.pexpiretime('banto:setting:two');
    await (await room()).backup(late, quiet);
    while (Date.now() <= expiresAt) await raw.ping();
    expect(await (await room('other')).restore(late, false, quiet)).toMatchObject({
      keys: 1,
      expired: 1,
    });
  });
});

describe('clean', () => {
  it('removes what is finished or expired, and nothing that is still wanted', async () => {
    await fill('banto');
    await raw.sadd('banto:issues:completed:2020-01-01', '7');
    await raw.hset('banto:stats:issues:daily:2020-01-01', 'completed', 1);
    await raw.hset('banto:stats:performance:hourly', '2020-01-01T05 completed', 1);
    await raw.hset('banto:task:result:octo~park~99~implement.1', 'agent', 'a1');
    await raw.hset('banto:queue:buckets', '["an","empty","one"]', '999');
    await raw.sadd('banto:tickets:index', 'stale');
    await raw.zadd('banto:tickets:pending', 1, 'stale');
    await raw.zadd('banto:processes:active', 1, 'silent');
    await raw.sadd('banto:processes:zombies', 'unknown');
    await raw.hset('banto:metrics:cpu:current', 'gone', '{"cpu":0.1,"at":1}');
    await raw.set('banto2:task:result:x', 'not ours');
    const before = await pictureOf('');
    const version = Number(await raw.hget('banto:meta', 'registry_version'));

    const keys = await room();
    const planned = await keys.clean({ dryRun: true, progress: quiet });
    expect(await pictureOf('')).toEqual(before);
    const cleaned = await keys.clean({ dryRun: false, progress: quiet });
    expect(cleaned).toEqual(planned);
    const removed = Object.fromEntries(cleaned.map((one) => [one.kind, one.removed]));
    expect(removed).toMatchObject({ completed: 1, tickets: 1, stats: 2, agents: 2, metrics: 1 });
    expect(removed.results).toBe(1);
    expect(removed.buckets).toBeGreaterThanOrEqual(1);

    expect(Number(await raw.hget('banto:meta', 'registry_version'))).toBe(
      version + (removed.buckets ?? 0),
    );
    expect(await raw.smembers('banto:tickets:index')).not.toContain('stale');
    expect((await raw.smembers('banto:tickets:index')).sort()).toEqual(['t1', 't2']);
    expect(await raw.exists('banto:stats:issues:daily:2020-01-01')).toBe(0);
    expect(await raw.get('banto2:task:result:x')).toBe('not ours');
    // The review and the fix of issue 2 are not over: what was reported before them stays.
    expect(await raw.exists('banto:task:result:octo~park~2~implement.1')).toBe(1);
    const again = await keys.clean({ dryRun: true, progress: quiet });
    expect(again.every((one) => one.removed === 0)).toBe(true);
  });
});

describe('clean of functions', () => {
  const libraries = async () =>
    ((await raw.call('FUNCTION', 'LIST', 'LIBRARYNAME', 'banto_*')) as unknown[][]).map((fields) =>
      String(fields[fields.indexOf('library_name') + 1]),
    );

  it('removes libraries of earlier versions of this namespace, and an instance that needs one goes on', async () => {
    await raw.call('FUNCTION', 'FLUSH');
    // Other constants make another library, as another version does.
    const earlier = await openRedisStore({
      connection: { url: server.url },
      ttls: { tickets_agent: 601 },
    });
    const elsewhere = await openRedisStore({ connection: { url: server.url }, namespace: 'other' });
    const before = await libraries();
    expect(before).toHaveLength(2);
    const now = await openRedisStore({ connection: { url: server.url } });
    const current = (await libraries()).filter((name) => !before.includes(name));
    const keys = await room();
    const removed = async (dryRun: boolean) =>
      (await keys.clean({ dryRun, progress: quiet })).find(({ kind }) => kind === 'functions');
    expect(await removed(true)).toEqual({ kind: 'functions', removed: 1 });
    expect(await libraries()).toHaveLength(3);
    expect(await removed(false)).toEqual({ kind: 'functions', removed: 1 });
    expect(await libraries()).toEqual(expect.arrayContaining(current));
    expect(await libraries()).toHaveLength(2);
    await earlier.learn(['python']);
    expect(await libraries()).toHaveLength(3);
    for (const store of [earlier, elsewhere, now]) {
      await store.putSetting('flags:debug:enabled', true);
      await store.close();
    }
  });
});

describe('a held lock', () => {
  it('is renewed while the work lasts, and only its owner removes it', async () => {
    const lock = await holdLock(raw, 'banto:lock:process:x', 'work', 300);
    const until = Date.now() + 700;
    while (Date.now() < until) await raw.ping();
    expect(await raw.pttl('banto:lock:process:x')).toBeGreaterThan(0);
    lock.check();
    await raw.set('banto:lock:process:x', 'somebody else', 'PX', 60_000);
    const lostBy = Date.now() + 5000;
    const isLost = () => {
      try {
        lock.check();
        return false;
      } catch {
        return true;
      }
    };
    while (!isLost() && Date.now() < lostBy) await raw.ping();
    expect(isLost()).toBe(true);
    await lock.release();
    expect(await raw.get('banto:lock:process:x')).toBe('somebody else');
  });
});
