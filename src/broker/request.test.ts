import { afterEach, describe, expect, it } from 'vitest';
import { entry, idOf, plan } from '../../test/contract/store/world.ts';
import { type Desk, type DeskOptions, makeDesk } from '../../test/support/desk.ts';
import { BantoError, busy } from '../core/errors.ts';
import { ForgeRefused } from '../core/forge.ts';
import { pausedSetting } from '../core/pairing/paused.ts';
import type { Broker, TaskRequest } from './broker.ts';
import { createClaim } from './claim.ts';
import { createFinish } from './finish.ts';
import { createChooser } from './hand-out/chooser.ts';
import { createDayBudget } from './hand-out/day-budget.ts';
import { createResolveUnfinished } from './hand-out/resolve-unfinished.ts';
import { createOutbox } from './outbox.ts';
import { createRequest } from './request.ts';
import { type AbandonedRequests, createAbandonedRequests } from './waiting/abandoned-requests.ts';
import { createMatcher, type Matcher } from './waiting/matcher.ts';

let desk: Desk;
let matcher: Matcher;
let abandoned: AbandonedRequests;
let request: Broker['requestTask'];
let handedOut: number[];
let reached: string[];

const listing = { isListed: async () => true, replan: async () => undefined };

async function open(options: DeskOptions = {}, issues = [entry(1), entry(2)]): Promise<void> {
  desk = makeDesk(options);
  handedOut = [];
  reached = [];
  const context = { ...desk.context, reached: (point: string) => void reached.push(point) };
  abandoned = createAbandonedRequests(context);
  const day = createDayBudget(context);
  const chooser = createChooser(context.store, day);
  const claim = createClaim(context);
  matcher = createMatcher(context, { chooser, claim, abandoned });
  request = createRequest(context, {
    chooser,
    claim,
    resolveUnfinished: createResolveUnfinished(context, createFinish(context, listing)),
    matcher,
    abandoned,
    outbox: createOutbox(context, listing),
    day,
    handedOut: (ms) => handedOut.push(ms),
  });
  await desk.mirror(...issues);
  matcher.start();
}

afterEach(async () => {
  await matcher.stop();
  await desk.close();
});

const asks = (agentId: string, over: Partial<TaskRequest> = {}): TaskRequest => ({
  agentId,
  capabilities: ['python'],
  waitSeconds: 0,
  leaseSeconds: null,
  requestId: null,
  kinds: null,
  repositories: null,
  onUnfinished: 'complete',
  ...over,
});

const stateOf = async (number: number) => (await desk.task(idOf(number))).state;

/** As a door does it: the answer is given, and then marked as given. */
async function answered(agentId: string, over: Partial<TaskRequest> = {}) {
  const given = await request(asks(agentId, over));
  if (given === null) throw new Error('nothing was given');
  await desk.store.markAnswered({ taskId: given.task.id, token: given.lease.token });
  return given;
}

describe('a request', () => {
  it('is answered with the task that suits best, its branch and labels written', async () => {
    await open();
    const given = await request(asks('hana', { capabilities: [' Python ', 'python', ''] }));
    expect(given).toMatchObject({
      task: { id: idOf(1), state: 'leased' },
      issue: { number: 1 },
      handoff: null,
      ledger: 'written',
      lease: { seconds: 600 },
    });
    expect(given?.prompt).toContain('Issue 1');
    expect(given?.lease.token).toMatch(/^banto_./);
    expect(desk.asked).toEqual(['branch feature/issue', 'labels of #1: +in-progress +hana']);
    expect(reached).toEqual([
      'before_claim',
      'after_claim',
      'after_branch',
      'after_labels',
      'before_answer',
    ]);
    expect(handedOut).toHaveLength(1);
    expect((await desk.store.queue(0)).outbox.pending).toBe(0);
  });

  it('is leased for as long as it asks, and otherwise as the policy says', async () => {
    await open({ policy: { leaseSeconds: 120 } });
    expect((await request(asks('hana')))?.lease.seconds).toBe(120);
    expect((await request(asks('kenji', { leaseSeconds: 60 })))?.lease.seconds).toBe(60);
  });

  it('gets only kinds and repositories that it asked for, and nothing else at once', async () => {
    await open({}, [entry(1, { plans: [plan(idOf(1, 'review'), { authors: ['mio'] })] })]);
    expect(await request(asks('hana'))).toBeNull();
    const reviews = { capabilities: ['review'] };
    expect(await request(asks('hana', { ...reviews, kinds: ['fix'] }))).toBeNull();
    expect(await request(asks('hana', { ...reviews, repositories: ['octo/zoo'] }))).toBeNull();
    expect((await request(asks('hana', { ...reviews, kinds: ['review'] })))?.task.kind).toBe(
      'review',
    );
  });

  it('by a name that means something on issues is refused before anything is done', async () => {
    await open();
    await expect(request(asks('in-progress'))).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(request(asks('-'))).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await desk.store.agents()).toEqual([]);
  });

  it('with the same id gets the same answer, and no other hand-out is counted', async () => {
    await open();
    const first = await request(asks('hana', { requestId: 'r1' }));
    const again = await request(asks('hana', { requestId: 'r1' }));
    expect(again?.lease).toEqual(first?.lease);
    expect(handedOut).toHaveLength(1);
    expect(await stateOf(2)).toBe('ready');
  });

  it('tells what earlier attempts did', async () => {
    await open({}, [entry(1)]);
    const first = await answered('kenji');
    await desk.store.heartbeat({
      taskId: first.task.id,
      token: first.lease.token,
      progress: 'half-way',
    });
    await desk.store.release({
      taskId: first.task.id,
      token: first.lease.token,
      reason: null,
      ledger: [],
    });
    const given = await request(asks('hana'));
    expect(given?.handoff).toMatchObject([{ agentId: 'kenji' }]);
    expect(given?.prompt).toContain('half-way');
  });

  it('finds tasks again after the buckets have changed under it', async () => {
    await open({}, [entry(1)]);
    await request(asks('hana'));
    await desk.mirror(entry(3, { labels: ['python', 'docs'] }));
    expect((await request(asks('kenji')))?.task.id).toBe(idOf(3));
  });
});

describe('an agent that still holds a task', () => {
  it('has completed it by asking for another one, and is told so at once', async () => {
    await open();
    await answered('hana');
    const completed: string[] = [];
    const next = await request(asks('hana'), undefined, (id) => completed.push(id));
    expect([completed, next?.task.id]).toEqual([[idOf(1)], idOf(2)]);
    expect((await desk.task(idOf(1))).result?.summary).toMatch(/asked for another task/);
  });

  it('is given it again by resume', async () => {
    await open();
    const held = await answered('hana');
    const again = await request(asks('hana', { onUnfinished: 'resume' }));
    expect(again?.lease.token).toBe(held.lease.token);
    expect(await stateOf(2)).toBe('ready');
  });

  it('gives it back by release', async () => {
    await open({}, [entry(1)]);
    await answered('hana');
    const completed: string[] = [];
    const next = await request(asks('hana', { onUnfinished: 'release' }), undefined, (id) =>
      completed.push(id),
    );
    expect([next?.task.id, next?.task.attempts, completed]).toEqual([idOf(1), 0, []]);
    expect(next?.handoff).toMatchObject([{ outcome: 'released' }]);
  });

  it('has failed a review that it gives no verdict on', async () => {
    await open({}, [entry(1, { plans: [plan(idOf(1, 'review'), { authors: ['mio'] })] })]);
    await answered('hana', { capabilities: ['review'] });
    expect(await request(asks('hana', { capabilities: ['review'] }))).toBeNull();
    const task = await desk.task(idOf(1, 'review'));
    expect([task.state, task.attempts]).toEqual(['delayed', 1]);
  });

  it('is answered with that very task where it never heard of it, whatever it asks for', async () => {
    await open();
    const lost = await request(asks('hana', { requestId: 'r1' }));
    for (const onUnfinished of ['complete', 'release', 'resume'] as const) {
      const again = await request(asks('hana', { onUnfinished }));
      expect([again?.task.id, again?.lease.token]).toEqual([idOf(1), lost?.lease.token]);
    }
    expect((await desk.facts()).map(({ type }) => type)).not.toContain('completed');
  });

  it('may have lost it meanwhile: then it simply gets the next one', async () => {
    await open({
      wrapStore: (store) => ({
        ...store,
        async complete(input) {
          await store.unlock({ taskId: input.taskId, ledger: [] });
          return store.complete(input);
        },
      }),
    });
    await answered('hana');
    const completed: string[] = [];
    const next = await request(asks('hana'), undefined, (id) => completed.push(id));
    expect([next?.task.id, completed]).toEqual([idOf(1), []]);
  });

  it('hears of a store that is away while its task is completed', async () => {
    await open({ wrapStore: (store) => ({ ...store, complete: () => Promise.reject(busy()) }) });
    await answered('hana');
    await expect(request(asks('hana'))).rejects.toMatchObject({ code: 'busy' });
    expect(await stateOf(1)).toBe('leased');
  });
});

describe('a caller that has gone', () => {
  it('before the answer leaves no lease behind', async () => {
    const gone = new AbortController();
    await open({
      forge: {
        async createBranch() {
          gone.abort();
          return 'created';
        },
      },
    });
    await request(asks('hana'), gone.signal);
    expect(await stateOf(1)).toBe('ready');
  });

  it('and that named its request finds what was claimed for it when it asks again', async () => {
    const gone = new AbortController();
    await open({
      forge: {
        async createBranch() {
          gone.abort();
          return 'created';
        },
      },
    });
    const lost = await request(asks('hana', { requestId: 'r1' }), gone.signal);
    expect(await stateOf(1)).toBe('leased');
    const again = await request(asks('hana', { requestId: 'r1' }));
    expect(again?.lease.token).toBe(lost?.lease.token);
  });

  it('does not begin to wait', async () => {
    await open({}, []);
    const gone = new AbortController();
    gone.abort();
    expect(await request(asks('hana', { waitSeconds: 60 }), gone.signal)).toBeNull();
    expect(await desk.store.tickets.count()).toBe(0);
  });
});

describe('a request that waits', () => {
  it('is answered when a task comes, with the time that was left', async () => {
    await open({}, []);
    const waits = request(asks('hana', { waitSeconds: 30 }));
    await desk.rest();
    expect(await desk.store.tickets.count()).toBe(1);
    await desk.mirror(entry(1));
    expect((await waits)?.task.id).toBe(idOf(1));
    expect(desk.asked).toContain('branch feature/issue');
  });

  it('ends after the seconds that it asked for', async () => {
    await open({}, []);
    let ended = false;
    const waits = request(asks('hana', { waitSeconds: 5 }));
    void waits.then(() => (ended = true));
    await desk.rest();
    await desk.pass(4500);
    expect(ended).toBe(false);
    await desk.pass(1000);
    expect(await waits).toBeNull();
  });
});

describe('a request that waits, and is claimed for as Banto stops', () => {
  it.each([
    ['is given back', null, 'ready'],
    ['is kept for the agent that named it', 'r1', 'leased'],
  ])('%s', async (_title, requestId, state) => {
    await open({ wrapStore: (store) => ({ ...store, subscribe: () => () => undefined }) }, []);
    const waits = request(asks('hana', { waitSeconds: 30, requestId })).catch((error) => error);
    await desk.rest();
    const [ticket] = await desk.store.tickets.getMany(await desk.store.tickets.listActive(9, 0));
    await desk.store.putSetting(pausedSetting('hana'), true);
    await desk.mirror(entry(1));
    await desk.take('hana', { requestId: ticket?.requestId ?? '' });
    await matcher.stop();
    expect(await waits).toMatchObject({ code: 'stopping' });
    expect(await stateOf(1)).toBe(state);
  });
});

describe('hand-out that is paused', () => {
  it('for all is told as maintenance', async () => {
    await open();
    await desk.store.putSetting('flags:maintenance', true);
    await expect(request(asks('hana'))).rejects.toMatchObject({
      code: 'maintenance',
      detail: 'Hand-out is paused by an operator.',
    });
  });

  it('for one agent is told to that agent, and to no other', async () => {
    await open();
    await desk.store.putSetting(pausedSetting('hana'), true);
    await expect(request(asks('hana', { waitSeconds: 9 }))).rejects.toMatchObject({
      code: 'maintenance',
      detail: expect.stringContaining('hana'),
    });
    expect((await request(asks('kenji')))?.task.id).toBe(idOf(1));
  });

  it('for today is told with when to ask again', async () => {
    await open({ policy: { maxCostPerDayUsd: 1 } });
    const { task, lease } = await answered('hana');
    const usage = {
      model: 'm',
      inputTokens: 1,
      outputTokens: 1,
      cachedTokens: 0,
      costUsd: 2,
      turns: 1,
      sessionId: null,
    };
    await desk.store.heartbeat({ taskId: task.id, token: lease.token, progress: null, usage });
    await desk.pass(3000);
    await expect(request(asks('kenji'))).rejects.toMatchObject({
      code: 'busy',
      retryAfterSeconds: 300,
    });
    expect(await stateOf(2)).toBe('ready');
  });

  it('after a loss of data is told as such, once the wait is over', async () => {
    const untilAt = Date.UTC(2026, 10, 15) + 60_000;
    await open({
      wrapStore: (store) => ({ ...store, claim: async () => ({ outcome: 'quarantine', untilAt }) }),
    });
    await expect(request(asks('hana'))).rejects.toMatchObject({
      code: 'busy',
      retryAfterSeconds: 5,
      detail: expect.stringContaining('lost data'),
    });
  });
});

describe('a forge that refuses', () => {
  it('for good leaves that task to people, and the next candidate is given', async () => {
    await open({
      forge: {
        async setLabels(_repository, number) {
          if (number === 1) throw new ForgeRefused('locked', 'The issue is locked.');
        },
      },
    });
    const given = await request(asks('hana'));
    expect(given?.task.id).toBe(idOf(2));
    expect(await desk.task(idOf(1))).toMatchObject({ state: 'held', reason: 'refused:locked' });
  });

  it('for now is answered as pending', async () => {
    await open({ forge: { createBranch: () => Promise.reject(new Error('no answer')) } });
    expect((await request(asks('hana')))?.ledger).toBe('pending');
    expect(await stateOf(1)).toBe('leased');
  });

  it('each of them in turn makes the request give up in the end', async () => {
    const many = Array.from({ length: 60 }, (_, index) => entry(index + 1));
    await open(
      {
        forge: {
          setLabels: () => Promise.reject(new ForgeRefused('locked', 'The issue is locked.')),
        },
      },
      many,
    );
    await expect(request(asks('hana'))).rejects.toMatchObject({
      code: 'busy',
      detail: expect.stringContaining('changes faster'),
    });
    expect((await desk.store.tasks({ state: 'held', limit: 100 })).tasks).toHaveLength(50);
  });
});

describe('a store that does not answer a claim', () => {
  it('is asked once more, and what was claimed is found', async () => {
    let calls = 0;
    await open({
      wrapStore: (store) => ({
        ...store,
        async claim(input) {
          const result = await store.claim(input);
          calls += 1;
          if (calls === 1) throw busy();
          return result;
        },
      }),
    });
    const given = await request(asks('hana'));
    expect([given?.task.id, calls]).toEqual([idOf(1), 2]);
    expect(await stateOf(2)).toBe('ready');
  });

  it.each([
    [null, 'ready'],
    ['r1', 'leased'],
  ] as const)(
    'twice fails, and what was claimed for the request id %s is %s then',
    async (requestId, state) => {
      let away = true;
      await open({
        wrapStore: (store) => ({
          ...store,
          async claim(input) {
            const result = await store.claim(input);
            if (away) throw busy();
            return result;
          },
        }),
      });
      await expect(request(asks('hana', { requestId }))).rejects.toMatchObject({ code: 'busy' });
      away = false;
      await abandoned.settleAll();
      expect(await stateOf(1)).toBe(state);
    },
  );

  it('because of a mistake of ours is not asked again', async () => {
    let calls = 0;
    await open({
      wrapStore: (store) => ({
        ...store,
        async claim() {
          calls += 1;
          throw new BantoError('conflict', 'no');
        },
      }),
    });
    await expect(request(asks('hana'))).rejects.toMatchObject({ code: 'conflict' });
    expect(calls).toBe(1);
  });
});
