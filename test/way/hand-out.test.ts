// An exclusive and honest hand-out, seen through the real HTTP door: clients that give up and ask again, two
// processes with one agent id, several requests that wait, and maintenance in between.

import { afterEach, describe, expect, it } from 'vitest';
import type { Forge } from '../../src/core/forge.ts';
import { eventually } from '../support/eventually.ts';
import { checkInvariants } from '../support/invariants.ts';
import { type HttpAnswer, type OpenHttp, openHttp } from '../support/open-http.ts';
import { makeWorld, type World, type WorldOptions } from '../support/world.ts';

let world: World;
let http: OpenHttp;

async function open(options: WorldOptions = {}, issues = [1, 2]): Promise<void> {
  world = await makeWorld(options);
  http = await openHttp(world.broker);
  for (const number of issues) await world.repository.write(number);
  await world.runUntilIdle();
}

afterEach(async () => {
  expect(checkInvariants(await world.store.facts(0, 100_000))).toEqual([]);
  await http.close();
  await world.close();
});

const ONE = 'repo~1~implement.1';
const TWO = 'repo~2~implement.1';

const stateOf = async (id: string) => (await world.broker.task(id)).task.state;
const tickets = (count: number) =>
  eventually(
    () => world.store.tickets.count(),
    (found) => found === count,
  );
const flag = (name: string, value: boolean) =>
  http.call('PUT', `/flags/${encodeURIComponent(name)}`, { value });
const end = (verb: string, { body }: HttpAnswer, said: object = {}) =>
  http.call('POST', `/tasks/${body.task_id}/${verb}`, { lease_token: body.lease.token, ...said });

/** Branches are made only when the test lets them. */
function slowForge() {
  const asked = Promise.withResolvers<void>();
  const allowed = Promise.withResolvers<void>();
  const wrapForge = (forge: Forge): Forge => ({
    ...forge,
    async createBranch(...args) {
      asked.resolve();
      await allowed.promise;
      return forge.createBranch(...args);
    },
  });
  return { wrapForge, asked: asked.promise, allow: allowed.resolve };
}

describe('a client that gives up before the answer and asks again', () => {
  it.each([
    ['without naming its requests', {}, {}],
    ['with another request id', { request_id: 'r1' }, { request_id: 'r2' }],
    ['with the same request id', { request_id: 'r1' }, { request_id: 'r1' }],
    ['to release what it holds', {}, { on_unfinished: 'release' }],
  ])('gets that very task %s, and nothing is reported as done', async (_, first, second) => {
    const forge = slowForge();
    await open(forge);
    const gone = new AbortController();
    const lost = http.ask('hana', first, gone.signal).catch(() => 'gone');
    await forge.asked;
    gone.abort();
    expect(await lost).toBe('gone');
    const again = await http.ask('hana', second);
    expect([again.status, again.body.task_id]).toEqual([200, ONE]);
    expect(again.body.completed_task_id).toBeNull();
    forge.allow();
    await eventually(
      () => world.repository.branches(),
      (branches) => branches.includes('feature/issue-1'),
    );
    // The first request ends only now; what it claimed belongs to the second one.
    const beat = await end('heartbeat', again);
    expect(beat.status).toBe(200);
    const types = (await world.store.facts(0, 1000)).map(({ type }) => type);
    expect(types.filter((type) => type === 'leased')).toHaveLength(1);
    expect(types).not.toContain('completed');
    expect(types).not.toContain('released');
  });

  it('lets somebody else have the task when it never asks again', async () => {
    const forge = slowForge();
    await open(forge, [1]);
    const gone = new AbortController();
    const lost = http.ask('hana', {}, gone.signal).catch(() => 'gone');
    await forge.asked;
    gone.abort();
    await lost;
    forge.allow();
    await eventually(
      () => stateOf(ONE),
      (state) => state === 'ready',
    );
    expect((await http.ask('kenji')).body.task_id).toBe(ONE);
  });
});

describe('an agent that was answered and asks for more', () => {
  it('has completed its task on bare HTTP, and is told which', async () => {
    await open();
    expect((await http.ask('hana')).body.completed_task_id).toBeNull();
    const next = await http.ask('hana');
    expect(next.body).toMatchObject({ task_id: TWO, completed_task_id: ONE });
    const nothing = await http.ask('hana');
    expect([nothing.status, nothing.headers.get('banto-completed-task')]).toEqual([204, TWO]);
    expect(await stateOf(TWO)).toBe('done');
  });

  it('is told so too when hand-out is paused', async () => {
    await open();
    await http.ask('hana');
    await flag('maintenance', true);
    const refused = await http.ask('hana');
    expect([refused.status, refused.headers.get('banto-completed-task')]).toEqual([503, ONE]);
  });

  it('is given the same task by resume', async () => {
    await open();
    const first = await http.ask('hana');
    const again = await http.ask('hana', { on_unfinished: 'resume' });
    expect(again.body.lease.token).toBe(first.body.lease.token);
  });
});

describe('two processes with one agent id', () => {
  it('do not lose each other’s reports: other content is a conflict', async () => {
    await open();
    const first = await http.ask('hana');
    await http.ask('hana');
    const report = await end('complete', first, { summary: 'mine', pr_number: 4 });
    expect([report.status, report.body.code]).toEqual([409, 'conflict']);
    expect((await world.broker.task(ONE)).task.result?.summary).toMatch(/asked for another task/);
  });

  it.each([
    ['complete', { summary: 'a' }, { summary: 'b' }],
    ['complete', { summary: 'a' }, { summary: 'a', pr_number: 3 }],
    ['fail', { reason: 'a' }, { reason: 'a', retryable: false }],
    ['release', { reason: 'a' }, {}],
  ])('may repeat %s %o, and not say %o', async (verb, said, otherwise) => {
    await open();
    const task = await http.ask('hana');
    const once = await end(verb, task, said);
    const twice = await end(verb, task, said);
    expect([twice.status, twice.body]).toEqual([200, once.body]);
    const other = await end(verb, task, otherwise);
    expect([other.status, other.body.code]).toEqual([409, 'conflict']);
  });
});

describe('several requests that wait', () => {
  it('of an agent that holds a task starve nobody', async () => {
    await open({}, []);
    const first = http.ask('hana', { wait_seconds: 60 });
    await tickets(1);
    world.time.advance(1000);
    const second = http.ask('hana', { wait_seconds: 60 });
    await tickets(2);
    await world.repository.write(1);
    await world.runUntilIdle();
    const served = await Promise.race([first, second]);
    expect(served.body.task_id).toBe(ONE);
    world.time.advance(1000);
    const free = http.ask('kenji', { wait_seconds: 60 });
    await tickets(2);
    await world.repository.write(2);
    await world.runUntilIdle();
    // In the same turn: the time does not move on.
    expect((await free).body.task_id).toBe(TWO);
    await end('complete', served);
    await world.repository.write(3);
    await world.runUntilIdle();
    const both = await Promise.all([first, second]);
    expect(both.map(({ body }) => body.issue_id).sort()).toEqual([1, 3]);
  });

  it('with the same request id are all answered, with one task', async () => {
    await open({}, []);
    const polls = [1, 2, 3].map(() => http.ask('hana', { wait_seconds: 60, request_id: 'r1' }));
    await tickets(3);
    await world.repository.write(1);
    await world.runUntilIdle();
    const answers = await Promise.all(polls);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.lease.token)).size).toBe(1);
    expect(await world.store.tickets.count()).toBe(0);
  });

  it('of two agents that chose the same request id are two requests', async () => {
    await open({}, []);
    const polls = ['hana', 'kenji'].map((agent) =>
      http.ask(agent, { wait_seconds: 60, request_id: '1' }),
    );
    await tickets(2);
    await world.repository.write(1);
    await world.repository.write(2);
    await world.runUntilIdle();
    const answers = await Promise.all(polls);
    expect(new Set(answers.map(({ body }) => body.task_id))).toEqual(new Set([ONE, TWO]));
  });
});

describe('maintenance', () => {
  it('stops hand-out and says so, and hides no living lease', async () => {
    await open();
    const task = await http.ask('hana', { request_id: 'r1' });
    await flag('maintenance', true);
    expect(await http.ask('kenji')).toMatchObject({
      status: 503,
      body: {
        error: 'Server is busy. Please try again later.',
        code: 'maintenance',
        detail: 'Hand-out is paused by an operator.',
      },
    });
    for (const how of [{ request_id: 'r1' }, { on_unfinished: 'resume' }]) {
      const again = await http.ask('hana', how);
      expect([again.status, again.body.lease?.token]).toEqual([200, task.body.lease.token]);
    }
    expect((await end('heartbeat', task)).status).toBe(200);
    expect((await end('complete', task)).status).toBe(200);
  });

  it('does not keep what was claimed for a request that was given up', async () => {
    await open();
    const gone = new AbortController();
    const asks = { wait_seconds: 60, kinds: ['review'] };
    const lost = http.ask('hana', asks, gone.signal).catch(() => 'gone');
    await tickets(1);
    const [id = ''] = await world.store.tickets.listActive(1, 60_000);
    const ticket = await world.store.tickets.get(id);
    if (ticket === null) throw new Error('there was no ticket');
    // Another matcher read the ticket, and claims before maintenance begins.
    const registry = await world.store.registry();
    const claimed = await world.store.claim({
      ...ticket,
      token: 'banto_of-another-matcher',
      groups: [registry.buckets],
      registryVersion: registry.version,
      writeLockMs: 1000,
    });
    expect(claimed.outcome).toBe('leased');
    await flag('maintenance', true);
    gone.abort();
    await lost;
    await eventually(
      () => stateOf(ONE),
      (state) => state === 'ready',
    );
  });

  it('of one agent stops hand-out to it alone, while it keeps what it holds', async () => {
    await open();
    const held = await http.ask('hana');
    expect((await flag('maintenance:hana', true)).body).toMatchObject({ 'maintenance:hana': true });
    const again = await http.ask('hana', { on_unfinished: 'resume' });
    expect(again.body.lease.token).toBe(held.body.lease.token);
    await end('complete', held);
    expect(await http.ask('hana')).toMatchObject({
      status: 503,
      body: { code: 'maintenance', detail: 'Hand-out to hana is paused by an operator.' },
    });
    expect((await http.call('GET', `/tasks/${TWO}/why?agent=hana`)).body.summary).toMatch(
      /to hana is paused/,
    );
    expect((await http.ask('kenji')).body.task_id).toBe(TWO);
    expect((await flag('maintenance:hana', false)).body).not.toHaveProperty('maintenance:hana');
    expect((await http.ask('hana')).status).toBe(204);
  });

  it('of one agent leaves its waiting request waiting, and who waits beside it is served', async () => {
    await open({}, []);
    const paused = http.ask('hana', { wait_seconds: 60 });
    await tickets(1);
    world.time.advance(1000);
    const other = http.ask('kenji', { wait_seconds: 60 });
    await tickets(2);
    await flag('maintenance:hana', true);
    await world.repository.write(1);
    await world.runUntilIdle();
    expect((await other).body.task_id).toBe(ONE);
    await flag('maintenance:hana', false);
    await world.repository.write(2);
    await world.runUntilIdle();
    expect((await paused).body.task_id).toBe(TWO);
  });

  it('of one repository stops hand-out from it, whatever was ranked before', async () => {
    await open();
    expect((await http.ask('taro', { kinds: ['fix'] })).status).toBe(204);
    await flag('maintenance:repo', true);
    expect((await http.ask('hana')).status).toBe(204);
    expect((await http.call('GET', `/tasks/${ONE}/why`)).body.summary).toMatch(/repo is paused/);
    expect((await http.ask('hana', { repositories: ['repo'] })).body).toMatchObject({
      code: 'maintenance',
      detail: 'Hand-out from repo is paused by an operator.',
    });
    await flag('maintenance:repo', false);
    expect((await http.ask('hana')).body.task_id).toBe(ONE);
  });

  it.each(['maintenance:', 'maintenance:a b', 'maintenance:../x/y/z', 'debug:x'])(
    'is not known by the name %s',
    async (name) => {
      await open({}, []);
      expect([400, 404]).toContain((await flag(name, true)).status);
    },
  );
});
