import { afterEach, describe, expect, it } from 'vitest';
import { entry, idOf, plan } from '../../test/contract/store/world.ts';
import { type Desk, type DeskOptions, makeDesk } from '../../test/support/desk.ts';
import { busy } from '../core/errors.ts';
import { ForgeBusy, ForgeRefused } from '../core/forge.ts';
import type { HandOut } from '../core/store.ts';
import { createOutbox, type OutboxLoop } from './outbox.ts';

let desk: Desk;
let outbox: OutboxLoop;
let replanned: number[];

async function open(options: DeskOptions = {}): Promise<HandOut> {
  desk = makeDesk(options);
  replanned = [];
  outbox = createOutbox(desk.context, {
    replan: async (_repository, number) => void replanned.push(number),
  });
  await desk.mirror(entry(1), entry(2));
  return desk.take('hana', { writeLockMs: 30_000 });
}

afterEach(async () => {
  await outbox.stop();
  await desk.close();
});

const pending = async () => (await desk.store.queue(0)).outbox;

describe('the writes of a hand-out', () => {
  it('are carried out at once, the branch before the labels, and settled', async () => {
    const handOut = await open();
    expect(await outbox.writeNow(handOut)).toBe('written');
    expect(desk.asked).toEqual(['branch feature/issue', 'labels of #1: +in-progress +hana']);
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
    expect(await desk.facts()).toContainEqual(
      expect.objectContaining({ type: 'ledger_written', labels: ['in-progress', 'hana'] }),
    );
  });

  it('are answered for before the store has kept their settlement', async () => {
    const kept = Promise.withResolvers<void>();
    const handOut = await open({
      wrapStore: (store) => ({ ...store, settleWrite: () => kept.promise }),
    });
    expect(await outbox.writeNow(handOut)).toBe('written');
    let stopped = false;
    const stopping = outbox.stop().then(() => (stopped = true));
    await desk.rest();
    expect(stopped).toBe(false);
    kept.resolve();
    expect(await stopping).toBe(true);
  });

  it('count as pending while somebody else carries out a part of them', async () => {
    const handOut = await open();
    expect(await outbox.writeNow({ ...handOut, writes: [] })).toBe('pending');
    expect(await outbox.writeNow({ ...handOut, writes: [], unwritten: 0 })).toBe('written');
  });

  it('are waited for at most five seconds, and carried out all the same', async () => {
    const slow = Promise.withResolvers<'created'>();
    const handOut = await open({ forge: { createBranch: () => slow.promise } });
    let answer: string | null = null;
    void outbox.writeNow(handOut).then((written) => (answer = written));
    await desk.pass(4500);
    expect(answer).toBeNull();
    await desk.pass(500);
    expect(answer).toBe('pending');
    slow.resolve('created');
    await desk.rest();
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });

  it('that cannot be read are pending, and a warning tells why', async () => {
    const handOut = await open({
      wrapStore: (store) => ({ ...store, labels: () => Promise.reject(busy()) }),
    });
    expect(await outbox.writeNow(handOut)).toBe('pending');
    expect(desk.warnings).toContain('a ledger write failed');
  });

  it('that cannot be settled are written, and tried again when their lock has ended', async () => {
    let away = true;
    const handOut = await open({
      wrapStore: (store) => ({
        ...store,
        settleWrite: (...args) => (away ? Promise.reject(busy()) : store.settleWrite(...args)),
      }),
    });
    expect(await outbox.writeNow(handOut)).toBe('written');
    await desk.rest();
    expect(desk.warnings).toEqual([
      'could not settle a ledger write',
      'could not settle a ledger write',
    ]);
    away = false;
    desk.time.advance(30_000);
    await outbox.runOnce();
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });
});

describe('a branch that is not made', () => {
  it('for now keeps the labels waiting for as long', async () => {
    let busyFor: number | null = 4000;
    const handOut = await open({
      forge: {
        async createBranch() {
          if (busyFor !== null) throw new ForgeBusy(busyFor, 'later');
          return 'created';
        },
      },
    });
    expect(await outbox.writeNow(handOut)).toBe('pending');
    expect(await pending()).toEqual({ pending: 2, failing: 0 });
    busyFor = null;
    await desk.pass(3500);
    await outbox.runOnce();
    expect(desk.asked).toEqual([]);
    await desk.pass(1000);
    await outbox.runOnce();
    expect(desk.asked).toEqual(['labels of #1: +in-progress +hana']);
    // Patience is no failure: nobody is warned.
    expect(desk.warnings).toEqual([]);
  });

  it('because of a fault is warned about, counted, and tried again after half a second', async () => {
    let fails = true;
    const handOut = await open({
      forge: {
        async createBranch() {
          if (fails) throw new Error('no answer');
          return 'created';
        },
      },
    });
    expect(await outbox.writeNow(handOut)).toBe('pending');
    expect(desk.warnings).toEqual(['a ledger write failed']);
    expect(await pending()).toEqual({ pending: 2, failing: 2 });
    fails = false;
    await desk.pass(500);
    await outbox.runOnce();
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });

  it('because the name is taken gives the task another one at once', async () => {
    const handOut = await open({ forge: { createBranch: async () => 'exists' } });
    expect(await outbox.writeNow(handOut)).toBe('refused');
    expect(await desk.task(idOf(1))).toMatchObject({
      state: 'held',
      reason: 'refused:branch_exists',
    });
    expect(replanned).toEqual([1]);
  });

  it('because it is there from a first try counts as made', async () => {
    const handOut = await open({ forge: { createBranch: async () => 'exists' } });
    const tried = handOut.writes.map((write) => ({ ...write, attempts: 1 }));
    expect(await outbox.writeNow({ ...handOut, writes: tried })).toBe('written');
  });

  it('because it is there from an earlier attempt at the task counts as made', async () => {
    const first = await open();
    await outbox.writeNow(first);
    await desk.release(first);
    const again = await desk.take('hana', { writeLockMs: 30_000 });
    const second = createOutbox(
      { ...desk.context, forge: { ...desk.context.forge, createBranch: async () => 'exists' } },
      { replan: async () => undefined },
    );
    expect(await second.writeNow(again)).toBe('written');
  });
});

describe('labels that are refused for good', () => {
  it('undo the lease and hold the task, without another plan', async () => {
    const handOut = await open({
      forge: { setLabels: () => Promise.reject(new ForgeRefused('locked', 'It is locked.')) },
    });
    expect(await outbox.writeNow(handOut)).toBe('refused');
    expect(await desk.task(idOf(1))).toMatchObject({ state: 'held', reason: 'refused:locked' });
    expect(replanned).toEqual([]);
  });
});

describe('the loop', () => {
  it('takes off what a lease put there, and leaves what people put there', async () => {
    const handOut = await open();
    await outbox.writeNow(handOut);
    await desk.release(handOut);
    await outbox.runOnce();
    expect(desk.asked.at(-1)).toBe('labels of #1: -in-progress -hana');
  });

  it('looks once a second where nothing is to be written', async () => {
    let looks = 0;
    await open({
      wrapStore: (store) => ({
        ...store,
        takeWrites(...call) {
          looks += 1;
          return store.takeWrites(...call);
        },
      }),
    });
    outbox.start();
    await desk.pass(3500);
    expect(looks).toBe(4);
  });

  it('writes the comment of a death', async () => {
    const handOut = await open();
    await outbox.writeNow(handOut);
    await desk.fail(handOut, { retryable: false });
    await outbox.runOnce();
    expect(desk.asked.at(-1)).toBe(`comment on #1: dead:${idOf(1)}`);
    expect(desk.asked).toContain('labels of #1: +needs-human -in-progress -hana');
  });

  it('keeps silent for as long as the forge asks for, and tries few at first, then more', async () => {
    let calls = 0;
    let patient = false;
    await open({
      forge: {
        async setLabels() {
          calls += 1;
          if (!patient) throw new ForgeBusy(10_000, 'later');
        },
        async createBranch() {
          return 'created';
        },
      },
    });
    const numbers = Array.from({ length: 20 }, (_, index) => index + 3);
    await desk.mirror(...numbers.map((number) => entry(number, { ledger: ['needs-human'] })));
    await outbox.runOnce();
    expect(calls).toBe(20);
    patient = true;
    await desk.pass(9000);
    await outbox.runOnce();
    expect(calls).toBe(20);
    await desk.pass(1500);
    await outbox.runOnce();
    expect(calls).toBe(25);
    await outbox.runOnce();
    expect(calls).toBe(35);
  });
});

describe('a pull request that an agent asked for', () => {
  const pullRequest = { title: 'Fix it', body: 'It works.' };
  async function complete(over: object = {}, forge: object = {}): Promise<string[]> {
    const opened: string[] = [];
    const handOut = await open({
      forge: {
        hasPullRequests: true,
        async openPull(_repository, branch, { title }) {
          opened.push(`${branch}: ${title}`);
          return 12;
        },
        ...forge,
      },
    });
    await outbox.writeNow(handOut);
    await desk.complete(handOut, { pullRequest, ...over });
    await outbox.runOnce();
    return opened;
  }

  it('is opened from its branch, linked, and its review is planned again', async () => {
    expect(await complete()).toEqual(['feature/issue: Fix it']);
    expect((await desk.task(idOf(1))).prNumber).toBe(12);
    expect(replanned).toEqual([1]);
  });

  it('is not opened where there is one already', async () => {
    expect(await complete({ prNumber: 3 })).toEqual([]);
    expect((await desk.task(idOf(1))).prNumber).toBe(3);
  });

  it('that is refused is for people to open: what was done stays done', async () => {
    const refused = async () => {
      throw new ForgeRefused('no_commits', 'Nothing to open.');
    };
    await complete({}, { openPull: refused });
    expect(await desk.task(idOf(1))).toMatchObject({ state: 'done', prNumber: null });
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });

  it('is there, though its review could not be planned', async () => {
    const handOut = await open({
      forge: { hasPullRequests: true, openPull: async () => 12 },
    });
    const failing = createOutbox(desk.context, {
      replan: async () => {
        throw new Error('away');
      },
    });
    await failing.writeNow(handOut);
    await desk.complete(handOut, { pullRequest });
    await failing.runOnce();
    expect((await desk.task(idOf(1))).prNumber).toBe(12);
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
    expect(desk.warnings).toEqual(['could not plan the review yet; the next pass will']);
  });
});

describe('a refusal', () => {
  const refusing = (reason: string) => ({
    forge: { createBranch: () => Promise.reject(new ForgeRefused(reason, 'No.')) },
  });

  it('of the branch that every issue has holds the task for a while', async () => {
    await open(refusing('branch_exists'));
    await desk.mirror(entry(1, { plan: { branch: 'feature/issue-1' } }));
    await desk.mirror(entry(7, { plan: { branch: 'feature/issue-7', priority: 100 } }));
    const handOut = await desk.take('kenji', { writeLockMs: 30_000 });
    expect(handOut.task.number).toBe(7);
    expect(await outbox.writeNow(handOut)).toBe('refused');
    expect(replanned).toEqual([]);
    expect(await desk.task(idOf(7))).toMatchObject({
      state: 'held',
      readyAt: desk.time.now() + 600_000,
    });
  });

  it('for another reason than the name holds it, too', async () => {
    const handOut = await open(refusing('no_permission'));
    expect(await outbox.writeNow(handOut)).toBe('refused');
    expect(replanned).toEqual([]);
    expect((await desk.task(idOf(1))).readyAt).toBe(desk.time.now() + 600_000);
  });

  it('of a name holds it for no time: the plan gives it another one', async () => {
    const handOut = await open(refusing('branch_conflict'));
    await outbox.writeNow(handOut);
    expect(replanned).toEqual([1]);
    expect((await desk.task(idOf(1))).readyAt ?? 0).toBeLessThanOrEqual(desk.time.now());
  });

  it('of a comment ends nothing', async () => {
    const handOut = await open({
      forge: { comment: () => Promise.reject(new ForgeRefused('locked', 'It is locked.')) },
    });
    await outbox.writeNow(handOut);
    const held = { taskId: idOf(1), token: handOut.lease.token, agentId: 'hana' };
    await desk.store.ask({ ...held, question: 'Which port?', askMs: 60_000 });
    await outbox.runOnce();
    expect((await desk.task(idOf(1))).state).toBe('leased');
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });

  it('of the branch gives its labels back at once', async () => {
    const handOut = await open(refusing('no_permission'));
    await outbox.writeNow(handOut);
    await outbox.runOnce();
    expect(desk.asked).toEqual(['labels of #1: -in-progress -hana']);
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });
});

describe('trouble of the forge', () => {
  it('that may not pass by itself counts as a failure, and waits for as long as it asks', async () => {
    let away = true;
    const handOut = await open({
      forge: {
        async createBranch() {
          if (away) throw new ForgeBusy(5000, 'no token', { isFault: true });
          return 'created';
        },
      },
    });
    await outbox.writeNow(handOut);
    expect(await pending()).toEqual({ pending: 2, failing: 2 });
    expect(desk.warnings).toEqual(['a ledger write failed']);
    away = false;
    await desk.pass(4500);
    await outbox.runOnce();
    expect(await pending()).toMatchObject({ pending: 2 });
    await desk.pass(500);
    await outbox.runOnce();
    expect(await pending()).toEqual({ pending: 0, failing: 0 });
  });

  it('waits longer from try to try', async () => {
    const handOut = await open({ forge: { createBranch: () => Promise.reject(new Error('no')) } });
    await outbox.writeNow(handOut);
    outbox.start();
    await desk.pass(1000);
    const soon = desk.warnings.length;
    await desk.pass(30_000);
    const later = desk.warnings.length - soon;
    expect(soon).toBeGreaterThan(1);
    expect(later).toBeLessThan(8);
    expect(later).toBeGreaterThan(2);
  });

  it('is told in its own words, whatever was thrown', async () => {
    const handOut = await open({ forge: { createBranch: () => Promise.reject('gone fishing') } });
    await outbox.writeNow(handOut);
    await desk.rest();
    expect(await desk.facts()).toContainEqual(
      expect.objectContaining({ type: 'ledger_failed', error: 'gone fishing', final: false }),
    );
  });
});

describe('much to write', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 3);
  it('is written in one go, as many at once as the forge likes', async () => {
    await open({ forge: { rhythm: { pollMs: 1, fullPassMs: 1, writesAtOnce: 4 } } });
    await desk.mirror(...numbers(10).map((number) => entry(number, { ledger: ['needs-human'] })));
    await outbox.runOnce();
    expect(desk.asked).toHaveLength(4);
    outbox.start();
    await desk.rest();
    await desk.pass(500);
    expect(desk.asked.length).toBeGreaterThanOrEqual(10);
  });
});

describe('a branch that is there', () => {
  it.each([
    ['that every issue has', idOf(7), 'feature/issue-7', 'written'],
    ['that the issue asked for', idOf(7), 'topic', 'refused'],
  ])('%s is %#', async (_title, id, branch, written) => {
    await open({ forge: { createBranch: async () => 'exists' } });
    await desk.mirror(entry(7, { plans: [plan(id, { branch, priority: 100 })] }));
    const capabilities = ['python', 'review'];
    const handOut = await desk.take('kenji', { capabilities, writeLockMs: 30_000 });
    expect(handOut.task.id).toBe(id);
    expect(await outbox.writeNow(handOut)).toBe(written);
  });
});

it('a turn ends when everything that it wrote is kept', async () => {
  const kept = Promise.withResolvers<void>();
  await open({
    wrapStore: (store) => ({
      ...store,
      async settleWrite(...call) {
        await kept.promise;
        return store.settleWrite(...call);
      },
    }),
  });
  await desk.mirror(entry(3, { ledger: ['needs-human'] }));
  let ended = false;
  const turn = async () => {
    await outbox.runOnce();
    ended = true;
  };
  const running = turn();
  await desk.rest();
  expect(ended).toBe(false);
  kept.resolve();
  await running;
  expect(await pending()).toMatchObject({ failing: 0 });
});

it('labels that are as they should be are not written', async () => {
  await open();
  await desk.store.touchLabels('octo/park', 2);
  expect((await pending()).pending).toBe(3);
  await outbox.runOnce();
  expect(desk.asked).toEqual([]);
  expect((await pending()).pending).toBe(2);
});
