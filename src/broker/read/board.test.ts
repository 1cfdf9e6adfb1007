import { afterEach, describe, expect, it } from 'vitest';
import { makeWholeBroker, type WholeBroker } from '../../../test/support/whole-broker.ts';
import type { Broker } from '../broker.ts';
import { createBroker } from '../create-broker.ts';

let whole: WholeBroker;
afterEach(() => whole.close());

async function pages(broker: Broker): Promise<[cursor: string | null, ids: string[]][]> {
  const found: [string | null, string[]][] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Awaited<ReturnType<Broker['board']>> = await broker.board(cursor);
    found.push([cursor, page.tasks.map(({ task }) => task.id)]);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}
const idOf = (number: number, kind = 'implement') => `octo~park~${number}~${kind}.1`;

async function finish(agentId: string, verdict: 'approve' | null): Promise<string> {
  const given = await whole.request(agentId, {
    capabilities: [verdict === null ? 'python' : 'review'],
  });
  const { task, lease } = given ?? expect.fail('nothing was handed out');
  const report = { summary: null, prNumber: null, verdict, comments: [] };
  await whole.broker.complete({ taskId: task.id, token: lease.token, ...report });
  await whole.idle();
  return task.id;
}
function open(): void {
  whole = makeWholeBroker({ policy: { reviewDelaySeconds: 0, maxAttempts: 1 } });
}

describe('the board', () => {
  it('shows a little of everything first, the ready ones in the order of the queue', async () => {
    open();
    whole.put(1);
    whole.put(2, { labels: ['python', 'priority:high'] });
    whole.put(3, { labels: ['ruby'] });
    whole.put(4, { body: 'nothing' });
    whole.put(5, { labels: ['css'] });
    await whole.idle();
    const leased = await whole.request('kenji', { capabilities: ['css'] });
    const dead = await whole.request('ruby', { capabilities: ['ruby'] });
    await whole.broker.fail({
      taskId: idOf(3),
      token: dead?.lease.token ?? '',
      reason: 'x',
      retryable: false,
      delaySeconds: null,
    });
    expect(await pages(whole.broker)).toEqual([
      [null, [idOf(2), idOf(1), idOf(4), idOf(3), leased?.task.id]],
      ['ended', []],
    ]);
  });

  it('comes in pages where there is much', async () => {
    open();
    for (let number = 1; number <= 720; number += 1) whole.put(number);
    for (let number = 721; number <= 930; number += 1) whole.put(number, { body: 'nothing' });
    await whole.idle();
    const all = await pages(whole.broker);
    expect(all.map(([cursor, ids]) => [cursor?.split('.')[0] ?? null, ids.length])).toEqual([
      [null, 400],
      ['held', 210],
      ['delayed', 0],
      ['ready', 500],
      ['ready', 220],
      ['ended', 0],
    ]);
    expect(new Set(all.flatMap(([, ids]) => ids)).size).toBe(930);
  });

  it('goes on with the ready ones where only these are many', async () => {
    open();
    for (let number = 1; number <= 200; number += 1) whole.put(number);
    await whole.idle();
    expect((await whole.broker.board(null)).nextCursor).toBe('ready');
  });

  it('shows what ended, the newest first and not without end', async () => {
    open();
    for (let number = 1; number <= 45; number += 1) whole.put(number);
    await whole.idle();
    const done: string[] = [];
    for (let number = 1; number <= 45; number += 1) {
      whole.time.advance(1000);
      done.push(await finish('hana', null));
    }
    const [, ids] = (await pages(whole.broker))[0] ?? [null, []];
    const shown = ids.filter((id) => id.includes('implement'));
    expect(new Set(shown)).toEqual(new Set(done.slice(-40)));
    const [, last] = (await pages(whole.broker)).at(-1) ?? [null, []];
    expect(last.filter((id) => id.includes('implement'))).toHaveLength(45);
  });

  it('shows an approved change of an open issue after weeks and a restart', async () => {
    open();
    whole.put(1);
    whole.put(2);
    await whole.idle();
    await finish('ann', null);
    await finish('ann', null);
    await finish('ben', 'approve');
    await finish('ben', 'approve');
    await whole.broker.loops.mirror.take({
      repository: 'octo/park',
      issues: [whole.put(2, { state: 'closed' })],
      gone: [],
    });
    whole.time.advance(20 * 86_400_000);
    const later = createBroker({
      store: whole.store,
      forge: whole.context.forge,
      policy: whole.context.policy(),
      log: whole.context.log,
      timers: whole.time.timers,
    });
    expect(await pages(later)).toEqual([
      [null, []],
      ['ended', [idOf(1, 'review')]],
    ]);
    const first = await later.activity();
    expect(first).toBe(await later.activity());
  });

  it.each(['nonsense', 'ready.x', 'done', '__proto__', 'ready.1 ', ''])(
    'refuses the cursor %j, which it has not given out',
    async (cursor) => {
      open();
      await expect(whole.broker.board(cursor)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );
});

describe('activity', () => {
  it('is read from where the last one stopped, of the last days alone', async () => {
    open();
    whole.put(1);
    await whole.idle();
    await finish('ann', null);
    whole.time.advance(8 * 86_400_000);
    whole.put(2);
    await whole.idle();
    const read: number[] = [];
    const store = {
      ...whole.store,
      facts(after: number, limit: number) {
        if (limit > 1) read.push(after);
        return whole.store.facts(after, limit);
      },
    };
    const broker = createBroker({
      store,
      forge: whole.context.forge,
      policy: whole.context.policy(),
      log: whole.context.log,
      timers: whole.time.timers,
    });
    const [one, two] = await Promise.all([broker.activity(), broker.activity()]);
    expect(one).toBe(two);
    expect(read).toHaveLength(1);
    expect(read[0]).toBeGreaterThan(0);
    expect(one.ended.done).toEqual([]);
    await finish('ann', null);
    expect((await broker.activity()).ended.done).toEqual([idOf(2)]);
    expect(read).toHaveLength(2);
    expect(read[1]).toBeGreaterThan(read[0] ?? 0);
  });
});

describe('very many that ended', () => {
  it('are shown as far as people scroll', async () => {
    open();
    for (let number = 1; number <= 205; number += 1) whole.put(number);
    await whole.idle();
    for (let number = 1; number <= 205; number += 1) whole.issues.delete(number);
    whole.time.advance(1000);
    await whole.idle();
    const [[, first] = [null, []], [, last] = [null, []]] = await pages(whole.broker);
    expect([first.length, last.length]).toEqual([40, 200]);
  });
});
