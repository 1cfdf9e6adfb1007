// People are told what needs them, each thing once: on both stores, with several instances, across restarts.

import { createHmac } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import type { Context } from '../../src/broker/context.ts';
import { createNotifier } from '../../src/broker/loops/notify.ts';
import {
  APPROVED_WAIT_MS,
  FAILING_WAIT_MS,
  type Message,
  messageOf,
} from '../../src/core/reporting/notices.ts';
import type { Store } from '../../src/core/store.ts';
import { createWebhook } from '../../src/notify/webhook.ts';
import { openRedisStore } from '../../src/store/redis/redis-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createWorld, entry, idOf, sweepInput, type World } from '../contract/store/world.ts';
import { createFakeTime } from '../support/fake-time.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { scratchDir } from '../support/scratch.ts';
import { silentLog } from '../support/world.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(() => redis.stop());

const time = createFakeTime();

async function openStore(kind: 'sqlite' | 'redis'): Promise<World> {
  if (kind === 'redis') await redis.raw.flushall();
  const dataDir = scratchDir();
  const store =
    kind === 'sqlite'
      ? await openSqliteStore({ dataDir, clock: time })
      : await openRedisStore({ connection: { url: redis.url }, clock: time });
  return createWorld({
    store,
    advance: time.advance,
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  });
}

/** An instance of Banto, as far as telling people goes. */
function instance(store: Store, name: string, send: (message: Message) => Promise<void>) {
  const context = { store, log: silentLog, timers: time.timers, random: () => 0.5 };
  return createNotifier({ ...context, instanceId: name } as unknown as Context, send);
}

describe.each(['sqlite', 'redis'] as const)('on %s', (kind) => {
  let world: World;
  let sent: Message[];
  const send = async (message: Message) => void sent.push(message);
  const kinds = () => sent.flatMap(({ notices }) => notices.map((notice) => notice.kind));
  const die = async (agent: string) =>
    world.fail(await world.take(agent), { retryable: false, reason: 'no <!channel> & no disk' });

  beforeEach(async () => {
    sent = [];
    world = await openStore(kind);
  });
  afterEach(() => world.close());

  it('what happened before anybody asked to be told is not told', async () => {
    await world.mirror(entry(1));
    await die('a1');
    await instance(world.store, 'one', send).runOnce();
    expect(sent).toEqual([]);
  });

  it('a dead task, a stopped agent and the label needs-human are told once', async () => {
    const one = instance(world.store, 'one', send);
    await one.runOnce();
    await world.mirror(entry(1), entry(2));
    await die('a1');
    await world.take('a2');
    world.advance(600_000);
    await world.store.sweep(sweepInput());
    const want = { state: 'held', reason: 'excluded_label:needs-human', graceMs: null } as const;
    await world.mirror(entry(3, { plan: { want } }));
    await one.runOnce();
    await one.runOnce();
    expect(sent).toHaveLength(1);
    expect(kinds()).toEqual(['dead', 'stopped', 'needs_human']);
    expect(sent[0]?.text).toBe(
      [
        'Banto: 3 things need a person',
        '• octo/park#1 “Issue 1” is set aside after its last attempt: no &lt;!channel&gt; &amp; no disk https://forge.example/1',
        '• a2 stopped: its lease on octo/park#2 “Issue 2” ran out https://forge.example/2',
        '• octo/park#3 “Issue 3” needs a person: it has the label needs-human https://forge.example/3',
      ].join('\n'),
    );
  });

  it('only one of several instances tells, and the next one repeats nothing', async () => {
    const one = instance(world.store, 'one', send);
    const two = instance(world.store, 'two', send);
    await one.runOnce();
    await world.mirror(entry(1), entry(2));
    await die('a1');
    await Promise.all([one.runOnce(), two.runOnce()]);
    expect(kinds()).toEqual(['dead']);
    // The first one ends; what happened in between is told by the second.
    await one.stop();
    await die('a1');
    await two.runOnce();
    expect(sent.map(({ notices }) => notices[0]?.task_id)).toEqual([idOf(1), idOf(2)]);
    // A restart is a new instance on the same store.
    await two.stop();
    await instance(world.store, 'three', send).runOnce();
    expect(sent).toHaveLength(2);
  });

  it('a message that did not arrive is sent again later, without what was solved meanwhile', async () => {
    let broken = true;
    const one = instance(world.store, 'one', async (message) => {
      if (broken) throw Object.assign(new Error('away'), { retryAfterMs: 5000 });
      await send(message);
    });
    await one.runOnce();
    await world.mirror(entry(1), entry(2));
    await die('a1');
    await die('a1');
    await one.runOnce();
    broken = false;
    await one.runOnce();
    expect(sent).toEqual([]);
    await world.store.requeue({ taskId: idOf(1), delayMs: 0, ledger: [] });
    world.advance(5000);
    await one.runOnce();
    expect(sent.map(({ notices }) => notices.map(({ task_id }) => task_id))).toEqual([[idOf(2)]]);
  });

  it('what was solved meanwhile hides nothing else that the issue needs', async () => {
    const one = instance(world.store, 'one', send);
    await one.runOnce();
    await world.mirror(entry(1));
    const held = await world.take('a1');
    const at = { taskId: held.task.id, token: held.lease.token };
    await world.store.ask({ ...at, question: 'Tabs?', askMs: 60_000 });
    await world.fail(held, { retryable: false, reason: 'no disk' });
    await one.runOnce();
    expect(kinds()).toEqual(['dead']);
  });

  it('an approved change is told only when its issue is still open after a while', async () => {
    const one = instance(world.store, 'one', send);
    await one.runOnce();
    for (const number of [1, 2]) {
      await world.mirror(entry(number));
      await world.complete(await world.take('a1'), { verdict: 'approve' });
    }
    await world.mirror(entry(2, { issue: { state: 'closed', updatedAt: 1 }, plans: [] }));
    await one.runOnce();
    expect(sent).toEqual([]);
    world.advance(APPROVED_WAIT_MS);
    await one.runOnce();
    await one.runOnce();
    expect(sent.map(({ text }) => text)).toEqual([
      'Banto: 1 thing needs a person\n• octo/park#1 “Issue 1” is approved by a1 and still open https://forge.example/1',
    ]);
  });

  it('ledger writes that keep failing are one thing, told again only after they were well', async () => {
    const one = instance(world.store, 'one', send);
    await one.runOnce();
    await world.mirror(entry(1));
    await world.take('a1');
    const fail = async () => {
      for (const write of await world.store.takeWrites(10, 1000)) {
        await world.store.settleWrite(write, { outcome: 'retry', delayMs: 0, error: 'away' });
      }
    };
    world.advance(6000);
    await fail();
    await one.runOnce();
    expect(sent).toEqual([]);
    world.advance(FAILING_WAIT_MS);
    await one.runOnce();
    world.advance(FAILING_WAIT_MS);
    await one.stop();
    const two = instance(world.store, 'two', send);
    await two.runOnce();
    world.advance(FAILING_WAIT_MS);
    await two.runOnce();
    expect(kinds()).toEqual(['ledger']);
    for (const write of await world.store.takeWrites(10, 1000)) {
      await world.store.settleWrite(write, { outcome: 'written', labels: null });
    }
    await two.runOnce();
    const told = (await world.store.settings('config:notify:')).get('config:notify:told');
    expect(told).toMatchObject({ failingTold: false });
  });
});

test('the webhook is signed over its exact bytes, and says what the receiver answered', async () => {
  const received: { body: string; headers: IncomingHttpHeaders }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ body, headers: request.headers });
      response.writeHead(status, { 'retry-after': '7', location: 'http://127.0.0.1:9/' }).end('no');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const notice = { id: 'dead-7', kind: 'dead', taskId: null, agentId: null, detail: 'ü' } as const;
  const message = messageOf([{ notice, subject: null }], '2026-11-15T00:00:00.000Z');
  const send = createWebhook({ url, secret: 'hush' });
  try {
    await send(message);
    const [first] = received;
    const signature = createHmac('sha256', 'hush').update(first?.body ?? '');
    expect(first?.headers['banto-signature']).toBe(`sha256=${signature.digest('hex')}`);
    expect(JSON.parse(first?.body ?? '')).toEqual(message);
    status = 429;
    await expect(send(message)).rejects.toMatchObject({
      message: 'NOTIFY_URL answered with status 429',
      retryAfterMs: 7000,
    });
    expect(received[1]?.headers['banto-delivery']).toBe(first?.headers['banto-delivery']);
    status = 307;
    await expect(send(message)).rejects.toBeInstanceOf(Error);
    await createWebhook({ url, secret: null })(message).catch(() => undefined);
    expect(received.at(-1)?.headers['banto-signature']).toBeUndefined();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
