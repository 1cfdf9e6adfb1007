import { afterEach, describe, expect, it } from 'vitest';
import { entry, idOf, plan, sweepInput } from '../../test/contract/store/world.ts';
import { type Desk, type DeskOptions, makeDesk } from '../../test/support/desk.ts';
import type { HandOut } from '../core/store.ts';
import type { Broker } from './broker.ts';
import { createFinish } from './finish.ts';

let desk: Desk;
let finish: Pick<Broker, 'complete' | 'fail' | 'release'>;
let replanned: string[];
let listed: boolean;
let replanFails: boolean;

async function open(
  options: DeskOptions = {},
  kind: 'implement' | 'review' = 'implement',
): Promise<HandOut> {
  desk = makeDesk(options);
  replanned = [];
  listed = true;
  replanFails = false;
  finish = createFinish(desk.context, {
    isListed: async () => listed,
    async replan(repository, number) {
      replanned.push(`${repository}#${number}`);
      if (replanFails) throw new Error('no answer');
    },
  });
  await desk.mirror(entry(1, { plans: [plan(idOf(1, kind), { authors: ['mio'] })] }));
  return desk.take('hana', { capabilities: ['python', 'review'] });
}

afterEach(() => desk.close());

const held = ({ task, lease }: HandOut) => ({ taskId: task.id, token: lease.token });
const done = (handOut: HandOut) => ({
  ...held(handOut),
  summary: 'did it',
  prNumber: null,
  verdict: null,
  comments: [],
});
const failed = (handOut: HandOut) => ({
  ...held(handOut),
  reason: 'it broke',
  retryable: true,
  delaySeconds: null,
});

describe('a completion', () => {
  it('ends the task and plans its review after the delay', async () => {
    const handOut = await open({ policy: { reviewDelaySeconds: 60 } });
    expect((await finish.complete(done(handOut))).state).toBe('done');
    const review = await desk.task(idOf(1, 'review'));
    expect(review).toMatchObject({ state: 'delayed', readyAt: desk.time.now() + 60_000 });
    expect(replanned).toEqual([]);
  });

  it('without a pull request on a forge that has them is looked at again at once', async () => {
    const handOut = await open({ forge: { hasPullRequests: true } });
    await finish.complete(done(handOut));
    expect(await desk.task(idOf(1, 'review'))).toMatchObject({
      state: 'held',
      reason: 'no_pull_request',
    });
    expect(replanned).toEqual(['octo/park#1']);
  });

  it('stands although nobody could look for its pull request yet', async () => {
    const handOut = await open({ forge: { hasPullRequests: true } });
    replanFails = true;
    expect((await finish.complete(done(handOut))).state).toBe('done');
    expect(desk.warnings).toEqual(['could not look for the pull request yet']);
  });

  it('with its pull request needs no other look', async () => {
    const handOut = await open({ forge: { hasPullRequests: true } });
    await finish.complete({ ...done(handOut), prNumber: 7 });
    expect((await desk.task(idOf(1, 'review'))).state).toBe('delayed');
    expect(replanned).toEqual([]);
  });

  it.each([
    ['on a forge that opens them', { openPull: async () => 7 }, { title: 't', body: 'b' }],
    ['and on no other', {}, undefined],
  ])('asks for a pull request %s', async (_, forge, kept) => {
    const handOut = await open({ forge });
    await finish.complete({ ...done(handOut), pullRequest: { title: 't', body: 'b' } });
    expect((await desk.task(idOf(1))).result?.pullRequest).toEqual(kept);
  });

  it.each([
    ['implement', { verdict: 'approve' }, /belong to a review/],
    ['implement', { comments: ['no'] }, /belong to a review/],
    ['review', {}, /with a verdict/],
    ['review', { verdict: 'request_changes', comments: [' ', ''] }, /at least one comment/],
  ] as const)(
    'of a task of kind %s with %o is refused, and nothing is changed',
    async (kind, over, sentence) => {
      const handOut = await open({}, kind);
      await expect(finish.complete({ ...done(handOut), ...over })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringMatching(sentence),
      });
      expect((await desk.task(idOf(1, kind))).state).toBe('leased');
    },
  );

  it.each([
    [{ verdict: 'approve', comments: [] }],
    [{ verdict: 'request_changes', comments: ['', 'more tests'] }],
  ] as const)('of a review with %o is taken', async (over) => {
    const handOut = await open({}, 'review');
    expect((await finish.complete({ ...done(handOut), ...over })).state).toBe('done');
  });
});

describe('a failure', () => {
  it('backs off half a minute, then a minute, and after the last attempt the task is dead', async () => {
    let handOut = await open({ policy: { maxAttempts: 3 } });
    for (const backOffMs of [30_000, 60_000]) {
      const task = await finish.fail(failed(handOut));
      expect(task).toMatchObject({ state: 'delayed', readyAt: desk.time.now() + backOffMs });
      desk.time.advance(backOffMs);
      await desk.store.sweep(sweepInput());
      handOut = await desk.take('hana');
    }
    expect((await finish.fail(failed(handOut))).state).toBe('dead');
  });

  it('is dead at once where trying again is useless', async () => {
    const handOut = await open();
    expect((await finish.fail({ ...failed(handOut), retryable: false })).state).toBe('dead');
  });

  it('waits for as long as it was told', async () => {
    const handOut = await open();
    const task = await finish.fail({ ...failed(handOut), delaySeconds: 5 });
    expect(task.readyAt).toBe(desk.time.now() + 5000);
  });
});

describe('a release', () => {
  it('makes the task ready at once, or after the delay that it names', async () => {
    const first = await open();
    expect((await finish.release({ ...held(first), reason: null })).state).toBe('ready');
    const second = await desk.take('hana');
    const task = await finish.release({ ...held(second), reason: null, delaySeconds: 9 });
    expect(task).toMatchObject({ state: 'delayed', readyAt: desk.time.now() + 9000, attempts: 0 });
  });
});

describe('a report', () => {
  it('may be repeated, and not be changed', async () => {
    const handOut = await open();
    const once = await finish.complete(done(handOut));
    expect(await finish.complete(done(handOut))).toEqual(once);
    await expect(finish.complete({ ...done(handOut), summary: 'else' })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('with a token that is not the lease’s is told that the lease is lost', async () => {
    const handOut = await open();
    const stale = { ...handOut, lease: { ...handOut.lease, token: 'banto_other' } };
    for (const report of [
      finish.complete(done(stale)),
      finish.fail(failed(stale)),
      finish.release({ ...held(stale), reason: null }),
    ]) {
      await expect(report).rejects.toMatchObject({ code: 'lease_lost' });
    }
  });

  it('by another agent’s own token is forbidden, whatever lease token it has', async () => {
    const handOut = await open();
    const other = { agentId: 'kenji' };
    for (const report of [
      finish.complete({ ...done(handOut), ...other }),
      finish.fail({ ...failed(handOut), ...other }),
      finish.release({ ...held(handOut), reason: null, ...other }),
    ]) {
      await expect(report).rejects.toMatchObject({ code: 'forbidden' });
    }
    expect((await finish.complete({ ...done(handOut), agentId: 'hana' })).state).toBe('done');
  });

  it('on a task that nobody knows is not found, or busy while the backlog is being listed', async () => {
    const handOut = await open();
    const lost = { ...done(handOut), taskId: idOf(9) };
    await expect(finish.complete(lost)).rejects.toMatchObject({ code: 'not_found' });
    listed = false;
    await expect(finish.complete(lost)).rejects.toMatchObject({ code: 'busy' });
    await expect(finish.complete({ ...lost, taskId: 'nonsense' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('what an agent used and how it left the files', () => {
  const usage = {
    model: 'm',
    inputTokens: 10,
    outputTokens: 5,
    cachedTokens: null,
    costUsd: 0.5,
    turns: 1,
    sessionId: null,
  };

  it('is kept with the end of its lease', async () => {
    const first = await open();
    expect((await finish.release({ ...held(first), reason: null, usage })).used).toMatchObject({
      costMicroUsd: 500_000,
    });
    const second = await desk.take('hana');
    expect((await finish.fail({ ...failed(second), usage })).used).toMatchObject({
      costMicroUsd: 1_000_000,
    });
  });

  it('stops a task that two agents in a row left with the same files', async () => {
    const first = await open();
    await finish.fail({ ...failed(first), delaySeconds: 0, tree: 'same' });
    await desk.store.sweep(sweepInput());
    const second = await desk.take('kenji');
    const task = await finish.fail({ ...failed(second), delaySeconds: 0, tree: 'same' });
    expect(task).toMatchObject({ state: 'held', reason: 'no_progress' });
  });

  it('stops a task that may not cost more', async () => {
    const handOut = await open({ policy: { maxCostPerTaskUsd: 0.4 } });
    const task = await finish.release({ ...held(handOut), reason: null, usage });
    expect(task).toMatchObject({ state: 'held', reason: 'budget' });
  });
});

it('a completion passes the points at which the crash tests kill', async () => {
  const points: string[] = [];
  const handOut = await open();
  const context = { ...desk.context, reached: (point: string) => void points.push(point) };
  const watched = createFinish(context, {
    isListed: async () => true,
    replan: async () => undefined,
  });
  await watched.complete(done(handOut));
  expect(points).toEqual(['before_complete', 'after_complete']);
});

it('a wish for a pull request is nothing to a review', async () => {
  const handOut = await open({ forge: { openPull: async () => 7 } }, 'review');
  const pullRequest = { title: 't', body: 'b' };
  await finish.complete({ ...done(handOut), verdict: 'approve', pullRequest });
  expect((await desk.task(idOf(1, 'review'))).result?.pullRequest).toBeUndefined();
});
