import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeWholeBroker,
  REPOSITORY,
  type WholeBroker,
} from '../../../test/support/whole-broker.ts';
import type { Forge } from '../../core/forge.ts';
import type { TaskKind } from '../../core/task.ts';
import type { Broker } from '../broker.ts';

let whole: WholeBroker;
let broker: Broker;
let away = false;
beforeEach(() => open());
afterEach(async () => {
  await whole.broker.stop();
  await whole.close();
});

function open(forge: Partial<Forge> = {}): void {
  away = false;
  whole = makeWholeBroker({
    policy: { reviewDelaySeconds: 0, maxCostPerDayUsd: 1 },
    forge: {
      async defaultBranch() {
        if (away) throw new Error('away');
        return 'main';
      },
      ...forge,
    },
  });
  ({ broker } = whole);
}

const idOf = (number: number, kind: TaskKind = 'implement') => `octo~park~${number}~${kind}.1`;

async function give(agentId: string, over: Parameters<WholeBroker['request']>[1] = {}) {
  const given = await whole.request(agentId, over);
  return given ?? expect.fail(`${agentId} got nothing`);
}
async function finish(agentId: string, verdict: 'approve' | null = null) {
  const { task, lease } = await give(agentId, {
    capabilities: [verdict === null ? 'python' : 'review'],
  });
  const report = { summary: null, prNumber: null, verdict, comments: [] };
  await broker.complete({ taskId: task.id, token: lease.token, ...report });
}

describe('tasks', () => {
  beforeEach(async () => {
    for (const number of [1, 2, 3]) whole.put(number, { title: `Title ${number}` });
    await whole.idle();
    await finish('hana');
    await give('kenji');
  });

  it('are listed with the words of their issues, a page at a time', async () => {
    const page = await broker.tasks({ limit: 3 });
    expect(page.tasks).toHaveLength(3);
    const rest = await broker.tasks({ limit: 3, cursor: page.nextCursor ?? '' });
    const all = [...page.tasks, ...rest.tasks];
    expect(all.map(({ task, issue }) => `${task.id} ${issue.title}`).sort()).toEqual([
      `${idOf(1)} Title 1`,
      `${idOf(1, 'review')} Title 1`,
      `${idOf(2)} Title 2`,
      `${idOf(3)} Title 3`,
    ]);
    expect(rest.nextCursor).toBeNull();
  });

  it.each<[string, object, string[]]>([
    ['all', {}, [idOf(1, 'review'), idOf(1)]],
    ['of a kind', { kind: 'review' }, [idOf(1, 'review')]],
    ['in a state', { state: 'done' }, [idOf(1)]],
    ['of a holder', { agent: 'kenji' }, []],
    ['of the repository', { repository: REPOSITORY }, [idOf(1, 'review'), idOf(1)]],
    ['of another repository', { repository: 'octo/zoo' }, []],
    ['at most one', { limit: 1 }, [idOf(1, 'review')]],
  ])('of an issue are found by its number: %s', async (_title, filter, ids) => {
    const found = await broker.tasks({ limit: 10, issue: 1, ...filter });
    expect(found.tasks.map(({ task }) => task.id)).toEqual(ids);
    expect(found.nextCursor).toBeNull();
  });

  it('of an issue are found by their holder', async () => {
    const found = await broker.tasks({ limit: 10, issue: 2, agent: 'kenji' });
    expect(found.tasks.map(({ task, issue }) => [task.id, issue.title])).toEqual([
      [idOf(2), 'Title 2'],
    ]);
  });

  it('are found by name', async () => {
    const found = await broker.tasksNamed([idOf(1), idOf(3), idOf(9), 'nonsense']);
    expect(found.map(({ task, issue }) => [task.id, issue.title])).toEqual([
      [idOf(1), 'Title 1'],
      [idOf(3), 'Title 3'],
    ]);
  });

  it('that nobody knows are refused', async () => {
    await expect(broker.task(idOf(9))).rejects.toMatchObject({ code: 'not_found' });
    await expect(broker.why(idOf(9), null)).rejects.toMatchObject({ code: 'not_found' });
    expect((await broker.task(idOf(1))).task.state).toBe('done');
  });
});

describe('agents', () => {
  it('are shown with what they hold, and whether they wait', async () => {
    whole.put(1);
    await whole.idle();
    await give('hana');
    await whole.broker.start();
    const waiting = whole
      .request('kenji', { waitSeconds: 60, capabilities: ['css'] })
      .catch(() => null);
    await whole.rest();
    expect(await broker.agent('hana')).toMatchObject({
      capabilities: ['python'],
      holds: [idOf(1)],
      waiting: false,
      status: 'active',
      firstSeenAt: whole.time.now(),
    });
    expect(await broker.agent('kenji')).toMatchObject({
      holds: [],
      waiting: true,
      status: 'active',
    });
    expect((await broker.queue()).waiting).toBe(1);
    expect((await broker.why(idOf(1), null)).rivals).toEqual({ ahead: 0, waitingAgents: 1 });
    await expect(broker.agent('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await whole.broker.stop();
    await waiting;
  });
});

describe('why', () => {
  const rule = async (number: number, name: string, agentId: string | null = null) => {
    const { rules } = await broker.why(idOf(number), agentId);
    return rules.find((one) => one.rule === name) ?? null;
  };

  it('counts what an agent would get first: by priority, by labels, by age', async () => {
    whole.put(1, { labels: ['python'] });
    whole.put(2, { labels: ['python', 'css'] });
    whole.put(3, { labels: ['python', 'priority:high'] });
    whole.put(4, { labels: ['python', 'docs'] });
    whole.put(5, { labels: ['python', 'priority:low'] });
    whole.put(6, { labels: ['ruby'] });
    for (const number of [1, 2, 3, 4, 5, 6]) {
      await whole.broker.loops.mirror.take({
        repository: REPOSITORY,
        issues: [whole.put(number)],
        gone: [],
      });
      whole.time.advance(10);
    }
    const held = await give('hana', { capabilities: ['python', 'css'] });
    await broker.release({ taskId: held.task.id, token: held.lease.token, reason: null });
    const ahead = async (number: number) => (await broker.why(idOf(number), 'hana')).rivals?.ahead;
    expect(held.task.number).toBe(3);
    expect([
      await ahead(3),
      await ahead(2),
      await ahead(1),
      await ahead(4),
      await ahead(5),
    ]).toEqual([0, 1, 2, 3, 4]);
    expect(await broker.why(idOf(4), 'hana')).toMatchObject({ offered: true });
    expect(await broker.why(idOf(6), 'hana')).toMatchObject({ offered: false });
    expect((await broker.why(idOf(4), null)).rivals?.ahead).toBe(0);
  });

  it('counts nothing ahead of a task that is not ready, and says what else the agent holds', async () => {
    whole.put(1);
    whole.put(2);
    whole.put(3, { body: 'nothing' });
    await whole.idle();
    await give('hana');
    const own = await broker.why(idOf(1), 'hana');
    expect(own.rivals?.ahead).toBe(0);
    expect(own.rules.find((one) => one.rule === 'agent_free')?.ok).toBe(true);
    expect((await rule(2, 'agent_free', 'hana'))?.detail).toBe(`hana still holds ${idOf(1)}.`);
    expect((await broker.why(idOf(3), 'hana')).rivals?.ahead).toBe(0);
  });

  it.each<[string, string | null, boolean]>([
    ['maintenance', null, false],
    ['maintenance:hana', 'hana', false],
    ['maintenance:hana', 'kenji', true],
    ['maintenance:hana', null, true],
    [`maintenance:${REPOSITORY}`, null, false],
    ['maintenance:octo/zoo', null, true],
    ['debug', null, true],
  ])('%s keeps a task from %s: %s', async (flag, agentId, ok) => {
    whole.put(1, { labels: ['css'] });
    whole.put(2, { labels: ['ruby'] });
    await whole.idle();
    for (const agent of ['hana', 'kenji']) await whole.request(agent);
    await broker.putFlag(flag, true);
    expect((await rule(1, 'maintenance', agentId))?.ok).toBe(ok);
    for (const name of (await whole.store.settings('flags:')).keys()) {
      await whole.store.putSetting(name, false);
    }
    expect((await rule(1, 'maintenance', agentId))?.ok).toBe(true);
  });

  it('says which branch is used and why not the one that was asked for', async () => {
    const body = (branch: string) => `## Deliverables\nx\n\nBranch: ${branch}\n`;
    whole.put(1, { body: body('login') });
    whole.put(2, { body: body('login') });
    whole.put(3);
    await whole.idle();
    expect((await rule(1, 'branch'))?.detail).toBe('The branch is login, as the issue asks.');
    expect((await rule(2, 'branch'))?.detail).toContain('#1');
    whole.branches.add('taken');
    whole.put(4, { body: body('taken') });
    await whole.idle();
    expect((await rule(4, 'branch'))?.detail).toContain('exists and was not made for this issue');
    expect(await rule(3, 'branch')).toBeNull();
    away = true;
    expect((await rule(2, 'branch'))?.detail).not.toContain('#1');
  });

  it('says that the budget of the day is used up', async () => {
    whole.put(1);
    whole.put(2);
    await whole.idle();
    const { task, lease } = await give('hana');
    const usage = {
      model: null,
      inputTokens: 1,
      outputTokens: 1,
      cachedTokens: null,
      costUsd: 2,
      turns: 1,
      sessionId: null,
    };
    expect(await rule(2, 'budget')).toBeNull();
    await broker.heartbeat({ taskId: task.id, token: lease.token, progress: null, usage });
    whole.time.advance(60_000);
    expect((await rule(2, 'budget'))?.ok).toBe(false);
  });

  it('tells of dependencies that can never be met', async () => {
    whole.put(1, { blockedBy: [2] });
    whole.put(2, { blockedBy: [3] });
    whole.put(3, { blockedBy: [1] });
    whole.put(4, { blockedBy: [99] });
    whole.put(5, { blockedBy: [6] });
    whole.put(6, { state: 'closed', blockedBy: [5] });
    whole.put(7, { blockedBy: [8] });
    whole.put(8);
    await whole.idle();
    const issues = [whole.put(6)];
    await whole.broker.loops.mirror.take({ repository: REPOSITORY, issues, gone: [] });
    const circle = await rule(1, 'dependencies');
    expect(circle?.ok).toBe(false);
    expect(circle?.detail).toContain('#2');
    expect((await rule(4, 'dependencies'))?.detail).toContain('#99');
    expect((await rule(4, 'dependencies'))?.ok).toBe(true);
    expect(await rule(5, 'dependencies')).toBeNull();
    expect(await rule(7, 'dependencies')).toBeNull();
    expect(await rule(8, 'dependencies')).toBeNull();
  });

  it('accuses nobody where the forge cannot be asked', async () => {
    await whole.close();
    open({
      async read() {
        throw new Error('away');
      },
    });
    whole.put(4, { blockedBy: [99] });
    await whole.idle();
    expect(await rule(4, 'dependencies')).toBeNull();
  });
});

describe('the queue and the statistics', () => {
  it('show what is there', async () => {
    whole.put(1);
    whole.put(2, { body: 'nothing' });
    await whole.idle();
    await finish('hana');
    const { waiting, counts } = await broker.queue();
    expect(waiting).toBe(0);
    expect(counts.map(({ state, count }) => [state, count]).sort()).toEqual([
      ['done', 1],
      ['held', 1],
      ['ready', 1],
    ]);
    const [hour] = await broker.stats('hourly');
    expect(hour?.counters).toMatchObject({ completed: 1, handed_out: 1, accepted: 3 });
    expect(await broker.stats('daily')).toHaveLength(1);
  });

  it('go back a day of hours, and a week of days', async () => {
    whole.put(1);
    await whole.idle();
    for (let hour = 0; hour < 24 * 9; hour += 1) {
      whole.time.advance(3_600_000);
      const issues = [whole.put(hour + 10)];
      await whole.broker.loops.mirror.take({ repository: REPOSITORY, issues, gone: [] });
    }
    expect(await broker.stats('hourly')).toHaveLength(24);
    expect(await broker.stats('daily')).toHaveLength(7);
  });
});

it('a task whose issue was forgotten meanwhile is left out, and the page goes on', async () => {
  await whole.close();
  whole = makeWholeBroker({
    wrapStore: (store) => ({
      ...store,
      issueTexts: (repository, numbers) =>
        store.issueTexts(
          repository,
          numbers.filter((number) => number !== 2),
        ),
    }),
  });
  for (const number of [1, 2, 3]) whole.put(number);
  await whole.idle();
  const { tasks, nextCursor } = await whole.broker.tasks({ limit: 3 });
  expect(tasks.map(({ task }) => task.number).sort()).toEqual([1, 3]);
  expect(nextCursor).toBeNull();
});

it('an agent that waits is active for as long as it does, and idle some time afterwards', async () => {
  await whole.broker.start();
  const waiting = whole.request('kenji', { waitSeconds: 200 }).catch(() => null);
  await whole.request('mio');
  await whole.pass(130_000);
  const status = async (agentId: string) => (await broker.agent(agentId)).status;
  expect([await status('kenji'), await status('mio')]).toEqual(['active', 'idle']);
  await whole.broker.stop();
  await waiting;
});
