// The page about keys, held against everything that a whole life of tasks leaves in a real Redis.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sweepInput } from '../../../test/contract/store/world.ts';
import { type RedisServer, startRedisServer } from '../../../test/support/redis-server.ts';
import { liveWholeLife } from '../../../test/support/whole-life.ts';
import { openRedisStore, type RedisStore } from './redis-store.ts';

const NAMESPACE = 'zebra';
const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'redis-keys.md');
const SECONDS: Readonly<Record<string, number>> = { s: 1, h: 3600, d: 86_400 };

interface Documented {
  readonly pattern: string;
  readonly matches: RegExp;
  readonly type: string;
  /** None, at most so many seconds, or simply some. */
  readonly ttl: 'none' | number | 'some';
}

function readTtl(text: string): Documented['ttl'] {
  if (/^(none|trimmed)/.test(text)) return 'none';
  const [, amount, unit = ''] = /(\d+) (s|h|d)\b/.exec(text) ?? [];
  return amount === undefined ? 'some' : Number(amount) * (SECONDS[unit] ?? 0);
}

/** Rows of five cells: keys, type, content, TTL, who writes it. */
function readPage(): Documented[] {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')))
    .filter((cells) => cells.length === 5 && cells[0]?.startsWith('`'))
    .flatMap(([keys = '', type = '', , ttl = '']) =>
      [...keys.matchAll(/`([^`]+)`/g)].map(([, pattern = '']) => ({
        pattern,
        matches: new RegExp(
          `^${pattern
            .split(/\{[a-z]+\}/)
            .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.+')}$`,
        ),
        type,
        ttl: readTtl(ttl),
      })),
    );
}

let server: RedisServer;
let store: RedisStore;
let found: string[];

beforeAll(async () => {
  server = await startRedisServer();
  // Redis expires keys by its own clock, so that the test's begins there.
  let now = Date.now();
  store = await openRedisStore({
    connection: { url: server.url },
    namespace: NAMESPACE,
    repositories: ['octo/park'],
    clock: { now: () => now },
  });
  const advance = (ms: number) => {
    now += ms;
  };
  await liveWholeLife({ store, now: () => now, advance });
  // Somebody's rubbish in every list that a sweep looks at.
  for (const list of ['queue:normal', 'queue:delayed', 'leases:deadline']) {
    await server.raw.zadd(`${NAMESPACE}:${list}`, 1, `rubbish in ${list}`);
  }
  await store.sweep(sweepInput());
  found = [];
  let cursor = '0';
  do {
    const [next, keys] = await server.raw.scan(cursor, 'COUNT', 1000);
    found.push(...keys);
    cursor = next;
  } while (cursor !== '0');
});
afterAll(async () => {
  await store.close();
  await server.stop();
});

it('leaves no key outside the namespace', () => {
  expect(found.length).toBeGreaterThan(60);
  expect(found.filter((key) => !key.startsWith(`${NAMESPACE}:`))).toEqual([]);
});

it('leaves only keys that the page lists, with the type and the time to live that it says', async () => {
  const page = readPage();
  const wrong: string[] = [];
  for (const key of found) {
    const name = key.slice(NAMESPACE.length + 1);
    const [row] = page
      .filter(({ matches }) => matches.test(name))
      .sort((one, other) => other.pattern.length - one.pattern.length);
    if (row === undefined) {
      wrong.push(`${name} is not on the page`);
      continue;
    }
    const type = await server.raw.type(key);
    const ttl = await server.raw.ttl(key);
    if (type !== row.type) wrong.push(`${name} is a ${type}, the page says ${row.type}`);
    const right =
      row.ttl === 'none' ? ttl === -1 : ttl >= 0 && (row.ttl === 'some' || ttl <= row.ttl);
    if (!right) wrong.push(`${name} lives ${ttl} s, the page says ${row.ttl}`);
  }
  expect(wrong).toEqual([]);
});

/** There only while a label is being learned. */
const PASSING = 'labels:learning';

it('has met every kind of key that the page lists', () => {
  const unmet = readPage()
    .filter(({ pattern }) => pattern !== PASSING)
    .filter(({ matches }) => !found.some((key) => matches.test(key.slice(NAMESPACE.length + 1))))
    .map(({ pattern }) => pattern);
  expect(unmet).toEqual([]);
});

it('puts no name of a key into a value, so that a namespace can be restored under another name', async () => {
  const naming: string[] = [];
  for (const key of found) {
    const dump = await server.raw.dumpBuffer(key);
    if (dump.includes(`${NAMESPACE}:`)) naming.push(key);
  }
  expect(naming).toEqual([]);
});
