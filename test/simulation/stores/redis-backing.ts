// A real Redis, with one connection for each instance. Its steps run by the clock of the simulation; what Redis itself
// lets expire in real time (roles of instances) is removed when its time is over here.

import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Fact } from '../../../src/core/facts.ts';
import type { Store } from '../../../src/core/store.ts';
import { openRedisStore, type RedisStore } from '../../../src/store/redis/redis-store.ts';
import { startRedisServer } from '../../support/redis-server.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import type { Backing, BackingOptions, Connection } from './backing.ts';

const BATCH = 1000;
/** Whoever checks is never cut off: it waits for as long as a busy machine takes. */
const PATIENCE_MS = 60_000;
const DUMP = 'dump.rdb';
const KEPT = 'kept.rdb';

export async function openRedisBacking(
  options: BackingOptions & { readonly time: VirtualTime },
): Promise<Backing> {
  const { clock, leaseSeconds, repository, time } = options;
  const server = await startRedisServer();
  const listeners: ((facts: readonly Fact[]) => void)[] = [];
  const connected = new Set<Store>();
  const closing = new Set<Promise<void>>();
  const roles = new Map<string, { ownerId: string; untilAt: number }>();
  /** The clock is the server's and not the data's: a loss of data does not set it back. */
  let ahead = 0;
  /** What the data that was kept adds to it: a clock that was set back before is followed from where it was. */
  let keptOffset = 0;
  let cursor = 0;
  let keptCursor = 0;
  let raw = await connect({ commandTimeoutMs: PATIENCE_MS });

  function connect(over: { commandTimeoutMs?: number } = {}): Promise<RedisStore> {
    return openRedisStore({
      ...over,
      connection: { url: server.url },
      clock: { now: () => clock.now() + ahead },
      leaseSeconds,
      repositories: [repository],
      settleMs: 1000,
    });
  }

  /** The run waits for it, as for a call of an instance: it goes on when nothing is under way any more. */
  async function underWay<T>(call: () => Promise<T>): Promise<T> {
    time.begun();
    try {
      return await call();
    } finally {
      time.ended();
    }
  }

  /** Reading facts, keeping and losing data exclude each other: nobody reads from a server that is being replaced. */
  let last: Promise<unknown> = Promise.resolve();
  function alone<T>(turn: () => Promise<T>): Promise<T> {
    const mine = last.then(turn);
    last = mine.catch(() => undefined);
    return underWay(() => mine);
  }

  async function lapse(name: string): Promise<void> {
    const role = roles.get(name);
    if (role === undefined) return;
    const leftMs = role.untilAt - time.now();
    if (leftMs > 0) {
      time.after(leftMs, () => void lapse(name));
      return;
    }
    roles.delete(name);
    const key = `banto:lock:process:${name}`;
    await underWay(async () => {
      if ((await server.raw.get(key)) === role.ownerId) await server.raw.del(key);
    });
  }

  async function untilBack(store: Store): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      const back = await store.now().then(
        () => true,
        () => false,
      );
      if (back) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('An instance did not find Redis again.');
  }

  async function open(): Promise<Connection> {
    const store = await connect();
    connected.add(store);
    const lead: Store['lead'] = async (name, ownerId, ttlMs) => {
      const led = await store.lead(name, ownerId, ttlMs);
      if (led) {
        const isNew = !roles.has(name);
        roles.set(name, { ownerId, untilAt: time.now() + ttlMs });
        if (isNew) time.after(ttlMs, () => void lapse(name));
      }
      return led;
    };
    return {
      store: { ...store, lead },
      drop: () => {
        connected.delete(store);
        // A killed process says no goodbye: whether this one is heard does not matter.
        const closed = store
          .close()
          .catch(() => undefined)
          .finally(() => closing.delete(closed));
        closing.add(closed);
      },
    };
  }

  async function readFacts(): Promise<void> {
    for (;;) {
      const facts = await raw.facts(cursor, BATCH).catch((cause: unknown) => {
        throw new Error('The facts could not be read.', { cause });
      });
      const newest = facts.at(-1);
      if (newest === undefined) return;
      cursor = newest.seq;
      for (const listener of listeners) listener(facts);
    }
  }

  return {
    kind: 'redis',
    shared: true,
    open,
    raw: () => raw,
    onFacts: (listener) => void listeners.push(listener),
    pull: () => alone(readFacts),
    keep: (noted) =>
      alone(async () => {
        await readFacts();
        keptCursor = cursor;
        keptOffset = (await raw.now()) - clock.now() - ahead;
        noted();
        await server.raw.save();
        copyFileSync(join(server.dir, DUMP), join(server.dir, KEPT));
      }),
    goBack: (how, noted) =>
      alone(async () => {
        if (!existsSync(join(server.dir, KEPT))) return false;
        await readFacts();
        ahead = Math.max(ahead, (await raw.now()) - clock.now() - keptOffset);
        await server.kill();
        copyFileSync(join(server.dir, KEPT), join(server.dir, DUMP));
        await server.start();
        if (how === 'backup') await server.raw.hset('banto:meta', 'restored', '1');
        // They are given a few seconds for this. Here no time passes meanwhile, or they would have had minutes.
        await Promise.all([...connected].map(untilBack));
        // Its server is gone, and may not hear of it.
        await raw.close().catch(() => undefined);
        raw = await connect({ commandTimeoutMs: PATIENCE_MS });
        cursor = keptCursor;
        noted();
        return true;
      }),
    async close() {
      await Promise.all(closing);
      await raw.close();
      await server.stop();
    },
  };
}
