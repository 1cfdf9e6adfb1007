// An exclusive and honest hand-out over two instances on one Redis, each with its own HTTP door.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBroker, type RunningBroker } from '../../src/broker/create-broker.ts';
import type { Forge } from '../../src/core/forge.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { openRedisStore, type RedisStore } from '../../src/store/redis/redis-store.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenHttp, openHttp } from '../support/open-http.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { silentLog } from '../support/world.ts';

interface Member {
  readonly broker: RunningBroker;
  readonly store: RedisStore;
  readonly http: OpenHttp;
  leave(): Promise<void>;
}

let redis: RedisServer;
let repository: BacklogRepository;
let members: Member[] = [];

beforeEach(async () => {
  redis = await startRedisServer();
  repository = await makeBacklogRepository();
});

afterEach(async () => {
  await Promise.all(members.map((member) => member.leave()));
  members = [];
  await redis.stop();
  await repository.remove();
});

async function join(wrapForge = (forge: Forge) => forge): Promise<Member> {
  const store = await openRedisStore({ connection: { url: redis.url }, commandTimeoutMs: 1000 });
  const local = await openLocalForge({ repoDir: repository.repoDir, backlogDir: 'backlog' });
  const broker = createBroker({
    store,
    forge: wrapForge(local),
    policy: DEFAULT_POLICY,
    log: silentLog,
    pollMs: 500,
  });
  await broker.start();
  const http = await openHttp(broker);
  const member: Member = {
    broker,
    store,
    http,
    async leave() {
      await http.close();
      await broker.stop();
      await local.close();
      await store.close();
    },
  };
  members.push(member);
  return member;
}

const ready = (member: Member, count: number) =>
  eventually(
    () => member.store.tasks({ state: 'ready', limit: 10 }),
    ({ tasks }) => tasks.length === count,
  );
const waiting = (member: Member, count: number) =>
  eventually(
    () => member.store.tickets.count(),
    (found) => found === count,
  );

describe('two instances on one Redis', () => {
  it('answer at the one what a client gave up at the other, and complete it only once it was told', async () => {
    const asked = Promise.withResolvers<void>();
    const allowed = Promise.withResolvers<void>();
    const slow = await join((forge) => ({
      ...forge,
      async createBranch(...args) {
        asked.resolve();
        await allowed.promise;
        return forge.createBranch(...args);
      },
    }));
    const other = await join();
    await repository.write(1);
    await repository.write(2);
    await ready(other, 2);
    const gone = new AbortController();
    const lost = slow.http.ask('hana', {}, gone.signal).catch(() => 'gone');
    await asked.promise;
    gone.abort();
    await lost;
    const again = await other.http.ask('hana', {});
    expect(again.body).toMatchObject({ issue_id: 1, completed_task_id: null });
    allowed.resolve();
    await eventually(
      () => repository.branches(),
      (branches) => branches.includes('feature/issue-1'),
    );
    const beat = { lease_token: again.body.lease.token };
    const path = `/tasks/${again.body.task_id}/heartbeat`;
    expect((await slow.http.call('POST', path, beat)).status).toBe(200);
    const next = await slow.http.ask('hana', {});
    expect(next.body).toMatchObject({ issue_id: 2, completed_task_id: again.body.task_id });
  });

  it('both answer the same request that waits at both', async () => {
    const [one, other] = [await join(), await join()];
    const polls = [one, other, one].map(({ http }) =>
      http.ask('hana', { wait_seconds: 60, request_id: 'r1' }),
    );
    await waiting(one, 3);
    await repository.write(1);
    const startedAt = performance.now();
    const answers = await Promise.all(polls);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(new Set(answers.map(({ body }) => body.lease?.token)).size).toBe(1);
    await waiting(other, 0);
  });

  it('keep apart two agents that chose the same request id', async () => {
    const [one, other] = [await join(), await join()];
    const polls = [
      one.http.ask('hana', { wait_seconds: 60, request_id: '1' }),
      other.http.ask('kenji', { wait_seconds: 60, request_id: '1' }),
      one.http.ask('taro', { wait_seconds: 60, request_id: '1' }),
    ];
    await waiting(one, 3);
    for (const number of [1, 2, 3]) await repository.write(number);
    const answers = await Promise.all(polls);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.issue_id))).toEqual(new Set([1, 2, 3]));
  });

  it('serve who is free although a holder waits at the other', async () => {
    const [one, other] = [await join(), await join()];
    const polls = [one, other].map(({ http }) => http.ask('hana', { wait_seconds: 60 }));
    await waiting(one, 2);
    await repository.write(1);
    const held = await Promise.race(polls);
    expect(held.body.issue_id).toBe(1);
    const free = one.http.ask('kenji', { wait_seconds: 60 });
    await waiting(one, 2);
    await repository.write(2);
    expect((await free).body.issue_id).toBe(2);
    await one.http.call('POST', `/tasks/${held.body.task_id}/complete`, {
      lease_token: held.body.lease.token,
    });
    await repository.write(3);
    const both = await Promise.all(polls);
    expect(both.map(({ body }) => body.issue_id).sort()).toEqual([1, 3]);
  });

  it('stop hand-out at both by a flag that was set at one, from that moment', async () => {
    const [one, other] = [await join(), await join()];
    for (const number of [1, 2]) await repository.write(number);
    await ready(other, 2);
    await other.http.ask('warm', { kinds: ['fix'] });
    await one.http.call('PUT', `/flags/${encodeURIComponent('maintenance:repo')}`, { value: true });
    expect((await other.http.ask('hana')).status).toBe(204);
    await one.http.call('PUT', '/flags/maintenance:hana', { value: true });
    expect((await other.http.ask('hana')).body.code).toBe('maintenance');
    await one.http.call('PUT', `/flags/${encodeURIComponent('maintenance:repo')}`, {
      value: false,
    });
    expect((await other.http.ask('kenji')).status).toBe(200);
  });

  it('say since when Redis is away', async () => {
    const one = await join();
    await redis.stop();
    const refused = await eventually(
      () => one.http.ask('hana'),
      ({ body }) => /away since/.test(body.detail ?? ''),
    );
    expect(refused).toMatchObject({
      status: 503,
      body: {
        error: 'Server is busy. Please try again later.',
        code: 'busy',
        detail: expect.stringMatching(/^Redis is away since \d+ s\.$/),
      },
    });
  });
});
