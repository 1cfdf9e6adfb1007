import { afterEach, describe, expect, it } from 'vitest';
import type { DeskOptions } from '../../test/support/desk.ts';
import { makeWholeBroker, type WholeBroker } from '../../test/support/whole-broker.ts';
import type { Fact } from '../core/facts.ts';
import type { Message } from '../core/reporting/notices.ts';
import type { Flags } from './broker.ts';
import type { BrokerOptions } from './create-broker.ts';

let whole: WholeBroker;
afterEach(async () => {
  await whole.broker.stop();
  await whole.close();
});
async function start(options: DeskOptions = {}, broker: Partial<BrokerOptions> = {}) {
  whole = makeWholeBroker(options, broker);
  await whole.broker.start();
  await whole.pass(1000);
  return whole.broker;
}
const idOf = (number: number) => `octo~park~${number}~implement.1`;
const stateOf = async (number: number) => (await whole.store.task(idOf(number)))?.task.state;

describe('a broker that was started', () => {
  it('mirrors, hands out, writes the ledger and expires leases by itself', async () => {
    whole = makeWholeBroker({ policy: { leaseSeconds: 60 } });
    whole.put(1);
    await whole.broker.start();
    await whole.pass(1000);
    expect(await stateOf(1)).toBe('ready');
    await whole.request('hana');
    expect(whole.issues.get(1)?.labels).toEqual(['python', 'in-progress', 'hana']);
    await whole.pass(61_000);
    expect(await stateOf(1)).not.toBe('leased');
    await whole.pass(2000);
    expect(whole.issues.get(1)?.labels).toEqual(['python']);
  });

  it('takes in what the forge tells, until it is stopped', async () => {
    await start();
    whole.tell({ issues: [whole.put(1)] });
    await whole.rest();
    expect(await stateOf(1)).toBe('ready');
    await whole.broker.stop();
    whole.tell({ issues: [whole.put(2)] });
    await whole.rest();
    expect(await stateOf(2)).toBeUndefined();
  });

  it.each<[string, object, boolean]>([
    ['a comment alone', { commented: [1] }, false],
    ['a comment and an issue that is gone', { commented: [1], gone: [1] }, true],
    ['a comment and a lost label', { commented: [1], lostLabels: ['x'] }, true],
    ['a comment in a repository that was taken away', { commented: [1], unreachable: true }, true],
    ['nothing but that something happened', {}, false],
  ])('looks at its backlog for %s: %s', async (_title, change, looks) => {
    let looked = 0;
    await start({
      wrapStore: (store) => ({
        ...store,
        openIssues(...call) {
          looked += 1;
          return store.openIssues(...call);
        },
        issuesNumbered(...call) {
          looked += 1;
          return store.issuesNumbered(...call);
        },
      }),
    });
    await whole.broker.loops.mirror.take({
      repository: 'octo/park',
      issues: [whole.put(1)],
      gone: [],
    });
    looked = 0;
    whole.tell(change);
    await whole.rest();
    expect(looked > 0).toBe(looks);
  });

  it('ends the waiting of an agent when a flag is taken back', async () => {
    const flags: Flags[] = [];
    const broker = await start({}, { onFlags: (now) => flags.push(now) });
    let given: unknown = null;
    const wait = async () => {
      given = await whole.request('hana', { waitSeconds: 60 });
    };
    void wait();
    await whole.rest();
    await broker.putFlag('maintenance:octo/park', true);
    whole.tell({ issues: [whole.put(1)] });
    await whole.pass(2000);
    expect(given).toBeNull();
    await broker.putFlag('maintenance:octo/park', false);
    await whole.pass(500);
    expect(given).not.toBeNull();
    expect(flags.some(({ paused }) => paused.includes('octo/park'))).toBe(true);
  });

  it('follows settings that another instance changed', async () => {
    const broker = await start();
    await whole.store.putSetting('config:broker:max_attempts', 9);
    await whole.rest();
    expect((await broker.config()).maxAttempts).toBe(9);
  });

  it('tells its listeners every fact once and in order, and people what needs them', async () => {
    const told: Fact[] = [];
    const sent: Message[] = [];
    const results: string[] = [];
    const broker = await start(
      { policy: { maxAttempts: 1 } },
      {
        listeners: [(facts) => void told.push(...facts)],
        notify: {
          send: async (message) => void sent.push(message),
          sent: (result) => results.push(result),
        },
      },
    );
    whole.tell({ issues: [whole.put(1)] });
    await whole.rest();
    const given = await whole.request('hana');
    await broker.fail({
      taskId: idOf(1),
      token: given?.lease.token ?? '',
      reason: 'broken',
      retryable: false,
      delaySeconds: null,
    });
    await broker.catchUp();
    const seqs = told.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(told.map(({ type }) => type)).toEqual(expect.arrayContaining(['leased', 'dead']));
    await whole.pass(2500);
    expect(sent.map(({ notices }) => notices.map(({ kind }) => kind))).toEqual([['dead']]);
    expect(results).toEqual(['sent']);
    expect(await broker.events(0, 1000)).toHaveLength(await broker.lastSeq());
  });

  it('says how long branch and labels kept a new lease from its answer', async () => {
    const took: number[] = [];
    await start({}, { handedOut: (ms) => took.push(ms) });
    whole.tell({ issues: [whole.put(1)] });
    await whole.rest();
    await whole.request('hana');
    expect(took).toHaveLength(1);
  });
});

describe('readiness', () => {
  it('is good once everything was listed', async () => {
    const broker = await start();
    const fine = { ok: true, error: null };
    expect(await broker.readiness()).toEqual({ store: fine, forge: fine, mirrored: true });
  });

  it('says what cannot be reached', async () => {
    whole = makeWholeBroker({
      forge: {
        async check() {
          throw new Error('no token');
        },
      },
      wrapStore: (store) => ({
        ...store,
        async ping() {
          throw new Error('no store');
        },
        listed: async () => true,
      }),
    });
    expect(await whole.broker.readiness()).toEqual({
      store: { ok: false, error: 'no store' },
      forge: { ok: false, error: 'no token' },
      mirrored: false,
    });
  });

  it('is not yet there before the first listing', async () => {
    whole = makeWholeBroker();
    expect((await whole.broker.readiness()).mirrored).toBe(false);
  });
});

describe('the budget of the forge', () => {
  it('is what the forge says, and remembered by the minute', async () => {
    const budget = { limit: 5000, remaining: 4000, resetAt: 0, blockedUntil: null };
    const broker = await start({ forge: { budget: async () => budget } });
    expect(await broker.budget()).toEqual(budget);
    await whole.pass(120_000);
    const history = await broker.budgetHistory(0);
    expect(history.length).toBeGreaterThan(1);
    expect(history[0]).toMatchObject({ limit: 5000, remaining: 4000 });
  });

  it('is nothing where the forge has none', async () => {
    const broker = await start();
    expect(await broker.budget()).toBeNull();
    expect(await broker.budgetHistory(0)).toEqual([]);
    expect(broker).not.toHaveProperty('webhook');
  });
});

describe('a broker that was stopped', () => {
  it('gives its roles up, hears of nothing and does nothing any more', async () => {
    const told: Fact[] = [];
    let asked = 0;
    const sent: Message[] = [];
    const broker = await start(
      {
        forge: {
          budget: async () => {
            asked += 1;
            return null;
          },
        },
      },
      {
        listeners: [(facts) => void told.push(...facts)],
        notify: { send: async (message) => void sent.push(message) },
      },
    );
    expect(await whole.store.lead('leader', 'another', 1000)).toBe(false);
    await broker.stop();
    expect(await whole.store.lead('leader', 'another', 1000)).toBe(true);
    expect(await whole.store.lead('notify', 'another', 1000)).toBe(true);
    told.length = 0;
    asked = 0;
    await whole.store.putSetting('config:broker:max_attempts', 9);
    whole.put(1);
    await whole.pass(400_000);
    expect(told).toEqual([]);
    expect(asked).toBe(0);
    expect((await broker.config()).maxAttempts).toBe(3);
    expect(await stateOf(1)).toBeUndefined();
  });

  it('leaves leases as they are', async () => {
    whole = makeWholeBroker({ policy: { leaseSeconds: 60 } });
    whole.put(1);
    await whole.broker.start();
    await whole.pass(1000);
    await whole.request('hana');
    await whole.broker.stop();
    await whole.pass(61_000);
    expect(await stateOf(1)).toBe('leased');
  });
});

describe('settings of the start', () => {
  it('are read before anything is handed out', async () => {
    whole = makeWholeBroker();
    await whole.store.putSetting('config:broker:max_attempts', 9);
    await whole.store.putSetting('flags:debug:enabled', true);
    await whole.broker.start();
    expect((await whole.broker.config()).maxAttempts).toBe(9);
    expect((await whole.broker.flags()).debug).toBe(true);
  });

  it.each<[string, object, object, number]>([
    ['its own', { pollMs: 2000 }, { pollMs: 7000, fullPassMs: 1e9 }, 2000],
    ['the forge’s', {}, { pollMs: 7000, fullPassMs: 1e9 }, 7000],
    ['five seconds', {}, {}, 5000],
  ])('say how often to ask for changes: %s', async (_title, own, rhythm, pollMs) => {
    const polled: number[] = [];
    await start(
      {
        forge: {
          ...('pollMs' in rhythm
            ? { rhythm: rhythm as { pollMs: number; fullPassMs: number } }
            : {}),
          async changes(repository) {
            polled.push(whole.time.now());
            return { change: { repository, issues: [], gone: [] }, cursor: null };
          },
        },
      },
      own,
    );
    await whole.pass(21_000);
    expect((polled[1] ?? 0) - (polled[0] ?? 0)).toBe(pollMs);
  });

  it('say how often to list everything: five minutes, where nobody says otherwise', async () => {
    let lists = 0;
    await start({
      forge: {
        async *list() {
          lists += 1;
          yield [];
        },
      },
    });
    await whole.pass(298_000);
    expect(lists).toBe(1);
    await whole.pass(8000);
    expect(lists).toBe(2);
  });

  it('bring the deliveries of a forge that has them', () => {
    const webhook = { verify: async () => true, receive: () => undefined };
    whole = makeWholeBroker({ forge: { webhook } });
    expect(whole.broker.webhook).toBe(webhook);
  });
});

describe('what another instance did', () => {
  it('has its labels written: an ended lease left them behind', async () => {
    const broker = await start();
    whole.tell({ issues: [whole.put(1)] });
    await whole.rest();
    const given = await whole.request('hana');
    await whole.rest();
    await whole.store.release({
      taskId: idOf(1),
      token: given?.lease.token ?? '',
      reason: null,
      ledger: [],
    });
    await whole.rest();
    expect(whole.issues.get(1)?.labels).toEqual(['python']);
    expect((await broker.queue()).outbox.pending).toBe(0);
  });

  it('leads to nothing where it was a lease, or not about a task', async () => {
    let turns = 0;
    await start({
      wrapStore: (store) => ({
        ...store,
        takeWrites(...call) {
          turns += 1;
          return store.takeWrites(...call);
        },
      }),
    });
    await whole.mirror();
    turns = 0;
    await whole.store.putSetting('config:x', 1);
    await whole.rest();
    expect(turns).toBe(0);
  });
});

describe('a store that lost its data', () => {
  it('is filled again from the forge at once', async () => {
    let generation = 'one';
    let lists = 0;
    await start({
      wrapStore: (store) => ({ ...store, generation: () => generation }),
      forge: {
        async *list() {
          lists += 1;
          yield [];
        },
      },
    });
    expect(lists).toBe(1);
    generation = 'two';
    await whole.pass(1500);
    expect(lists).toBe(2);
  });
});

describe('an instance among others', () => {
  it('lists everything again when it leads again', async () => {
    let lists = 0;
    let away = false;
    await start({
      wrapStore: (store) => ({
        ...store,
        lead: (role, ...rest) =>
          role === 'leader' && away ? Promise.resolve(false) : store.lead(role, ...rest),
      }),
      forge: {
        async *list() {
          lists += 1;
          yield [];
        },
      },
    });
    expect(lists).toBe(1);
    away = true;
    await whole.pass(7000);
    away = false;
    await whole.pass(2500);
    expect(lists).toBe(2);
  });

  it('that does not lead leaves it to the leader to plan again', async () => {
    let visited = 0;
    whole = makeWholeBroker({
      wrapStore: (store) => ({
        ...store,
        openIssues(...call) {
          visited += 1;
          return store.openIssues(...call);
        },
      }),
    });
    await whole.store.lead('leader', 'another', 600_000);
    await whole.store.markListed(600_000);
    await whole.broker.start();
    await whole.broker.putConfig('max_attempts', 9);
    await whole.rest();
    expect(visited).toBe(0);
  });

  it('plans nothing again when a setting changes that is not of the policy', async () => {
    let visited = 0;
    await start({
      wrapStore: (store) => ({
        ...store,
        openIssues(...call) {
          visited += 1;
          return store.openIssues(...call);
        },
      }),
    });
    visited = 0;
    await whole.broker.putFlag('debug', true);
    await whole.rest();
    expect(visited).toBe(0);
    await whole.broker.putConfig('max_attempts', 9);
    await whole.rest();
    expect(visited).toBeGreaterThan(0);
  });
});
