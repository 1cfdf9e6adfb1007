// What a board shows: the first page is short and in the order of the queue, the others bring all the rest.

import { afterEach, expect, test } from 'vitest';
import { benchIssue, createIdleForge, REPOSITORY } from '../../bench/backlog.ts';
import type { Broker } from '../../src/broker/broker.ts';
import { createBroker } from '../../src/broker/create-broker.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import { makeWorld, silentLog, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

async function pages(broker: Broker): Promise<string[][]> {
  const found: string[][] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<Broker['board']>> = await broker.board(cursor);
    found.push(page.tasks.map(({ task }) => task.id));
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

test('a long backlog comes in pages, the first of them as agents would get it', async () => {
  world = await makeWorld({ wrapForge: createIdleForge });
  const issues = Array.from({ length: 1200 }, (_, index) => benchIssue(index + 1));
  await world.broker.loops.mirror.take({ repository: REPOSITORY, issues, gone: [] });
  const [first = [], ...rest] = await pages(world.broker);
  expect(first).toHaveLength(200);
  const order = await world.store.firstReady(1200);
  expect(first).toEqual(order.slice(0, 200).map(({ id }) => id));
  expect(Math.max(...rest.map((page) => page.length))).toBe(500);
  expect(new Set([first, ...rest].flat()).size).toBe(1200);
});

test('a cursor that was not given out is refused', async () => {
  world = await makeWorld();
  for (const cursor of ['nonsense', 'ready.x', 'done', '__proto__']) {
    await expect(world.broker.board(cursor)).rejects.toMatchObject({ code: 'invalid_request' });
  }
});

test('an approved change of an open issue is shown after weeks and a restart', async () => {
  world = await makeWorld({ policy: { reviewDelaySeconds: 0 } });
  await world.repository.write(1);
  await world.runUntilIdle();
  const complete = async (agent: string, verdict: 'approve' | null) => {
    const capabilities = verdict === null ? ['python'] : ['review'];
    const given = await world.request(agent, { capabilities });
    await world.broker.complete({
      taskId: given?.task.id ?? '',
      token: given?.lease.token ?? '',
      summary: null,
      prNumber: null,
      verdict,
      comments: [],
    });
    await world.runUntilIdle();
  };
  await complete('ann', null);
  await complete('ben', 'approve');
  world.time.advance(20 * 86_400_000);
  // Another process on the same store: what it knows of the last week is nothing.
  const later = createBroker({
    store: world.store,
    forge: world.forge,
    policy: DEFAULT_POLICY,
    log: silentLog,
    timers: world.time.timers,
  });
  const [first = [], last = []] = await pages(later);
  expect(first).toEqual([]);
  expect(last).toEqual(['repo~1~review.1']);
});
