import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, idOf, plan, sweepInput } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import { DAY_MS } from '../../core/reporting/notice-marker.ts';
import { APPROVED_WAIT_MS, FAILING_WAIT_MS, type Message } from '../../core/reporting/notices.ts';
import { createNotifier, type Notifier } from './notify.ts';

let desk: Desk;
let sent: Message[];
let outcomes: string[];
let trouble: Error | null;
let notifier: Notifier;

async function send(message: Message): Promise<void> {
  if (trouble !== null) throw trouble;
  sent.push(message);
}
const instance = (instanceId: string) =>
  createNotifier({ ...desk.context, instanceId }, send, (result) => outcomes.push(result));
const told = () =>
  sent.map(({ notices }) => notices.map((notice) => `${notice.kind} ${notice.issue_id}`));
const die = async (agent: string) => desk.fail(await desk.take(agent), { retryable: false });

beforeEach(async () => {
  desk = makeDesk();
  sent = [];
  outcomes = [];
  trouble = null;
  notifier = instance('one');
  await desk.mirror(entry(1), entry(2), entry(3));
  await notifier.runOnce();
});
afterEach(async () => {
  await notifier.stop();
  await desk.close();
});

describe('people are told', () => {
  it('what needs them, once, together', async () => {
    await die('a1');
    await desk.take('a2');
    desk.advance(600_000);
    await desk.store.sweep(sweepInput());
    const question = await desk.take('a3', { leaseSeconds: 900 });
    const { token } = question.lease;
    const asked = { taskId: question.task.id, token, agentId: 'a3', question: 'Port?' };
    await desk.store.ask({ ...asked, askMs: 60_000 });
    await notifier.runOnce();
    await notifier.runOnce();
    expect(told()).toEqual([['question 2', 'dead 1', 'stopped 2']]);
    expect(outcomes).toEqual(['sent']);
    expect(sent[0]?.sent_at).toBe(new Date(desk.time.now()).toISOString());
  });

  it('that an agent stopped, unless it is back', async () => {
    await desk.take('a1');
    await desk.take('a2');
    desk.advance(600_000);
    await desk.store.sweep(sweepInput());
    await desk.take('a2');
    await notifier.runOnce();
    expect(sent[0]?.notices.map(({ agent_id }) => agent_id)).toEqual(['a1']);
  });

  it('nothing of what happened before they asked to be told', async () => {
    await notifier.stop();
    const before = makeDesk();
    await before.mirror(entry(1));
    await before.fail(await before.take('a1'), { retryable: false });
    const fresh = createNotifier(before.context, send);
    await fresh.runOnce();
    await fresh.runOnce();
    expect(sent).toEqual([]);
    await fresh.stop();
    await before.close();
  });

  it('by one instance alone, and by another one only when that one has ended', async () => {
    const two = instance('two');
    await die('a1');
    await two.runOnce();
    expect(sent).toEqual([]);
    await notifier.runOnce();
    await notifier.stop();
    await die('a1');
    await two.runOnce();
    expect(told()).toEqual([['dead 1'], ['dead 2']]);
    await two.stop();
  });

  it('again from the end, where the store has lost its data', async () => {
    await desk.store.putSetting('config:notify:told', { now: 9999, later: 9999 });
    await die('a1');
    await notifier.runOnce();
    expect(sent).toEqual([]);
    await die('a1');
    await notifier.runOnce();
    expect(told()).toEqual([['dead 2']]);
  });

  it('of an approval after a while, where the issue is still open', async () => {
    await desk.complete(await desk.take('a1'), { verdict: 'approve' });
    await desk.complete(await desk.take('a1'), { verdict: 'approve' });
    await desk.mirror(entry(2, { issue: { state: 'closed', updatedAt: 1 }, plans: [] }));
    desk.advance(APPROVED_WAIT_MS - 1);
    await notifier.runOnce();
    expect(sent).toEqual([]);
    desk.advance(1);
    await notifier.runOnce();
    await notifier.runOnce();
    expect(told()).toEqual([['approved 1']]);
  });

  it('of more than a thousand facts at once', async () => {
    const many = Array.from({ length: 1100 }, (_, index) => entry(index + 10));
    await desk.mirror(...many);
    await die('a1');
    await notifier.runOnce();
    expect(told()).toEqual([['dead 1']]);
  });
});

describe('a message that is not taken', () => {
  it('is sent again after a while, without what was solved meanwhile', async () => {
    await die('a1');
    await die('a1');
    trouble = Object.assign(new Error('away'), { retryAfterMs: 50_000 });
    await notifier.runOnce();
    expect(outcomes).toEqual(['failed']);
    trouble = null;
    await desk.store.requeue({ taskId: idOf(1), delayMs: 0, ledger: [] });
    desk.advance(49_999);
    await notifier.runOnce();
    expect(sent).toEqual([]);
    desk.advance(1);
    await notifier.runOnce();
    expect(told()).toEqual([['dead 2']]);
    expect(outcomes).toEqual(['failed', 'sent']);
    expect(desk.warnings).toHaveLength(1);
  });

  it('is waited for longer from time to time, and then not any more', async () => {
    await die('a1');
    trouble = new Error('away');
    const tries: number[] = [];
    const startedAt = desk.time.now();
    notifier.start();
    for (let minutes = 0; minutes < 10; minutes += 1) {
      await desk.pass(60_000);
      tries.push(outcomes.length);
    }
    expect(tries[0]).toBeGreaterThan(1);
    const gaps = tries.map((count, index) => count - (tries[index - 1] ?? 0));
    expect(gaps.at(-1)).toBeLessThan(gaps[0] ?? 0);
    trouble = null;
    await desk.pass(600_000);
    expect(sent).toHaveLength(1);
    expect(desk.time.now() - startedAt).toBe(1_200_000);
    await die('a1');
    trouble = new Error('away');
    outcomes = [];
    await desk.pass(60_000);
    expect(outcomes.length).toBe(tries[0]);
  });
});

describe('the ledger', () => {
  const settle = async (outcome: 'retry' | 'refused' | 'written') => {
    for (const write of await desk.store.takeWrites(10, 1000)) {
      await desk.store.settleWrite(
        write,
        outcome === 'retry'
          ? { outcome, delayMs: 0, error: 'away' }
          : outcome === 'refused'
            ? { outcome, error: 'no' }
            : { outcome, labels: null },
      );
    }
  };

  it('that keeps failing is told once, and again only after it was well', async () => {
    await desk.take('a1');
    desk.advance(6000);
    await settle('retry');
    await notifier.runOnce();
    desk.advance(FAILING_WAIT_MS - 1);
    await notifier.runOnce();
    expect(sent).toEqual([]);
    desk.advance(1);
    await notifier.runOnce();
    expect(sent[0]?.notices).toMatchObject([{ kind: 'ledger', task_id: null, agent_id: null }]);
    desk.advance(FAILING_WAIT_MS);
    await notifier.runOnce();
    expect(sent).toHaveLength(1);
    await settle('written');
    await notifier.runOnce();
    await desk.take('a2');
    desk.advance(6000);
    await settle('retry');
    await notifier.runOnce();
    desk.advance(FAILING_WAIT_MS);
    await notifier.runOnce();
    expect(sent).toHaveLength(2);
  });

  it('that was well in between has not failed all the time', async () => {
    await desk.take('a1');
    desk.advance(6000);
    await settle('retry');
    await notifier.runOnce();
    await settle('written');
    await notifier.runOnce();
    desk.advance(FAILING_WAIT_MS);
    await desk.take('a2');
    desk.advance(6000);
    await settle('retry');
    await notifier.runOnce();
    expect(sent).toEqual([]);
  });

  it('whose writes the forge refuses is told of once a day', async () => {
    await desk.take('a1');
    await desk.take('a2');
    desk.advance(6000);
    await settle('refused');
    await notifier.runOnce();
    expect(told()).toEqual([['ledger null']]);
    await desk.take('a3');
    desk.advance(DAY_MS - 10_000);
    await settle('refused');
    await notifier.runOnce();
    expect(told()).toHaveLength(1);
  });
});

describe('what happened just now', () => {
  it('is gathered for two seconds, and looked at once', async () => {
    notifier.start();
    await desk.rest();
    await die('a1');
    const facts = await desk.facts();
    notifier.onFacts(facts);
    desk.time.advance(1000);
    notifier.onFacts(facts);
    await desk.rest();
    expect(sent).toEqual([]);
    desk.time.advance(1000);
    await desk.rest();
    expect(sent).toHaveLength(1);
    await die('a1');
    notifier.onFacts(facts);
    desk.time.advance(2000);
    await desk.rest();
    expect(sent).toHaveLength(2);
  });

  it('and needs nobody is not looked at before its time', async () => {
    notifier.start();
    await desk.rest();
    const facts = await desk.facts();
    await desk.mirror(entry(9, { plans: [plan(idOf(9))] }));
    await die('a1');
    notifier.onFacts(facts.filter(({ type }) => type === 'accepted'));
    await desk.pass(2500);
    expect(sent).toEqual([]);
    await desk.pass(13_000);
    expect(sent).toHaveLength(1);
  });
});

describe('the marker', () => {
  it('is written where people were told something, and left alone otherwise', async () => {
    const written: unknown[] = [];
    const store = {
      ...desk.store,
      putSetting(name: string, value: unknown) {
        written.push(value);
        return desk.store.putSetting(name, value);
      },
    };
    const here = createNotifier({ ...desk.context, store, instanceId: 'one' }, send);
    await here.runOnce();
    await desk.take('a1');
    await here.runOnce();
    expect(written).toEqual([]);
    await die('a2');
    await here.runOnce();
    expect(written).toEqual([expect.objectContaining({ failingTold: false, refusedAt: 0 })]);
    await here.stop();
  });

  it('remembers a refusal only where one was told', async () => {
    await die('a1');
    await notifier.runOnce();
    const { writes } = await desk.take('a2', { writeLockMs: 60_000 });
    for (const write of writes) {
      await desk.store.settleWrite(write, { outcome: 'refused', error: 'no' });
    }
    await notifier.runOnce();
    expect(sent.map(({ notices }) => notices.map(({ kind }) => kind))).toEqual([
      ['dead'],
      ['ledger'],
    ]);
  });
});

describe('an issue that nobody knows any more', () => {
  it('needs nobody, however it was approved', async () => {
    const store = { ...desk.store, issuesNumbered: async () => [] };
    const here = createNotifier({ ...desk.context, store, instanceId: 'one' }, send);
    await here.runOnce();
    await desk.complete(await desk.take('a1'), { verdict: 'approve' });
    await die('a2');
    desk.advance(APPROVED_WAIT_MS);
    await here.runOnce();
    expect(sent).toEqual([]);
    await here.stop();
  });
});

describe('turns', () => {
  let turns: number;
  function counted(): Notifier {
    turns = 0;
    const store = {
      ...desk.store,
      lead(...call: Parameters<typeof desk.store.lead>) {
        turns += 1;
        return desk.store.lead(...call);
      },
    };
    return createNotifier({ ...desk.context, store, instanceId: 'one' }, send);
  }

  it('are one for everything that happens within two seconds, and none after a stop', async () => {
    const here = counted();
    here.start();
    await desk.rest();
    await die('a1');
    const facts = await desk.facts();
    turns = 0;
    for (let count = 0; count < 3; count += 1) {
      here.onFacts(facts);
      await desk.pass(500);
    }
    await desk.pass(2000);
    expect(turns).toBe(1);
    await here.stop();
    turns = 0;
    await desk.pass(60_000);
    expect(turns).toBe(0);
  });

  it('that come too early wait for the rest of the time that was asked for', async () => {
    const here = counted();
    here.start();
    await desk.rest();
    await die('a1');
    trouble = Object.assign(new Error('away'), { retryAfterMs: 50_000 });
    await desk.pass(16_000);
    trouble = null;
    here.kick();
    await desk.rest();
    expect(sent).toEqual([]);
    await desk.pass(50_000);
    expect(sent).toHaveLength(1);
    await here.stop();
  });
});
