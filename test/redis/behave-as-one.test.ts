// Brokers of several instances on one Redis: who waits at one is served by what arrives at another, and
// no message is needed for it to come right in the end.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Assignment, TaskRequest } from '../../src/broker/broker.ts';
import { createBroker, type RunningBroker } from '../../src/broker/create-broker.ts';
import type { Fact } from '../../src/core/facts.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import type { Store } from '../../src/core/store.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { openRedisStore, type RedisStore } from '../../src/store/redis/redis-store.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { silentLog } from '../support/world.ts';

interface Member {
  readonly broker: RunningBroker;
  readonly store: RedisStore;
  ask(
    agentId: string,
    over?: Partial<TaskRequest>,
    signal?: AbortSignal,
  ): Promise<Assignment | null>;
  leave(): Promise<void>;
  /** Its loops stop and its roles lapse, as if it had been killed. */
  die(): Promise<void>;
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

async function join(wrap: (store: RedisStore) => Store = (store) => store): Promise<Member> {
  const store = await openRedisStore({ connection: { url: redis.url } });
  const forge = await openLocalForge({ repoDir: repository.repoDir, backlogDir: 'backlog' });
  const broker = createBroker({
    store: wrap(store),
    forge,
    policy: DEFAULT_POLICY,
    log: silentLog,
    pollMs: 500,
  });
  await broker.start();
  let left = false;
  const leave = async () => {
    if (left) return;
    left = true;
    await broker.stop();
    await forge.close();
    await store.close();
  };
  const member: Member = {
    broker,
    store,
    leave,
    async die() {
      await store.close();
      await leave();
    },
    ask: (agentId, over = {}, signal) =>
      broker.requestTask(
        {
          agentId,
          capabilities: ['python'],
          waitSeconds: 0,
          leaseSeconds: null,
          requestId: null,
          kinds: null,
          repositories: null,
          onUnfinished: 'resume',
          ...over,
        },
        signal,
      ),
  };
  members.push(member);
  return member;
}

const waiting = (member: Member, count: number) =>
  eventually(
    () => member.store.tickets.count(),
    (found) => found === count,
  );

const leasedNow = (member: Member) =>
  member.store.tasks({ state: 'leased', limit: 100 }).then(({ tasks }) => tasks.length);

/** A subscription whose messages are all lost. */
const deaf = (store: RedisStore): Store => ({ ...store, subscribe: () => () => undefined });

describe('instances on one Redis', () => {
  it('wake who waits at one for work that arrives at another, exactly one of them', async () => {
    const one = await join();
    const other = await join();
    const polls = [
      one.ask('a1', { waitSeconds: 20 }),
      other.ask('a2', { waitSeconds: 20 }),
      one.ask('a3', { waitSeconds: 20 }),
    ];
    await waiting(one, 3);
    await repository.write(1);
    const first = await Promise.race(polls);
    expect(first?.issue.number).toBe(1);
    await repository.write(2);
    await repository.write(3);
    const answers = await Promise.all(polls);
    expect(new Set(answers.map((answer) => answer?.issue.number))).toEqual(new Set([1, 2, 3]));
  });

  it('serve who waits also when every message is lost', async () => {
    const hearing = await join();
    const still = await join(deaf);
    const poll = still.ask('a1', { waitSeconds: 20 });
    await waiting(hearing, 1);
    // Somebody waits there too, so that it is the other instance that matches and claims.
    const other = hearing.ask('a2', { waitSeconds: 20, capabilities: ['docs'] });
    await waiting(hearing, 2);
    await repository.write(1);
    expect((await poll)?.issue.number).toBe(1);
    await repository.write(2, { labels: ['docs'] });
    expect((await other)?.issue.number).toBe(2);
  });

  it('count who waits together, show it alike, and forget those of an instance that died', async () => {
    const one = await join();
    const other = await join();
    const dying = await join();
    const ended = new AbortController();
    const polls = [one, one, other].map((member) =>
      member.ask('a1', { waitSeconds: 30 }, ended.signal),
    );
    const lost = dying.ask('a1', { waitSeconds: 30 }).catch(() => null);
    await waiting(one, 4);
    for (const member of [one, other]) {
      await expect(member.ask('a1', { waitSeconds: 30 })).rejects.toMatchObject({
        code: 'too_many_requests',
      });
      expect(await member.broker.agent('a1')).toMatchObject({ waiting: true });
    }
    await waiting(one, 4);
    await dying.die();
    await lost;
    // Refused at once, or it waits: then it is one of four again.
    const admitted = async () => {
      const poll = other.ask('a1', { waitSeconds: 30 }, ended.signal);
      polls.push(poll.catch(() => null));
      return Promise.race([poll.then(() => true).catch(() => false), waiting(one, 4)]);
    };
    await waiting(one, 3);
    expect(await admitted()).toBe(4);
    ended.abort();
    await Promise.all(polls);
  });

  it('list a ticket again that vanished while somebody waits for it', async () => {
    const one = await join();
    const poll = one.ask('a1', { waitSeconds: 20 });
    await waiting(one, 1);
    await redis.raw.del('banto:tickets:index', 'banto:tickets:pending');
    await waiting(one, 1);
    await repository.write(1);
    expect((await poll)?.issue.number).toBe(1);
  });

  it('give back what was claimed for somebody who had just gone', async () => {
    const owner = await join();
    const matcher = await join();
    const gone = new AbortController();
    const poll = owner.ask('a1', { waitSeconds: 20 }, gone.signal);
    await waiting(owner, 1);
    const [id = ''] = await owner.store.tickets.listActive(1, 60_000);
    const ticket = await owner.store.tickets.get(id);
    gone.abort();
    expect(await poll).toBeNull();
    await repository.write(1);
    await eventually(
      () => matcher.store.tasks({ state: 'ready', limit: 1 }),
      ({ tasks }) => tasks.length === 1,
    );
    // The matcher of another instance read the ticket before it was deleted, and claims only now.
    if (ticket === null) throw new Error('there was no ticket');
    await claimAs(matcher.store, ticket.agentId, ticket.requestId);
    await eventually(
      () => matcher.store.facts(0, 100),
      (facts) => facts.some(({ type }) => type === 'released'),
    );
    expect(await leasedNow(matcher)).toBe(0);
    expect((await matcher.ask('a2'))?.issue.number).toBe(1);
  });

  it('keep what was claimed for an agent that named its request: it asks again', async () => {
    const owner = await join();
    const matcher = await join();
    const gone = new AbortController();
    const poll = owner.ask('a1', { waitSeconds: 20, requestId: 'mine' }, gone.signal);
    await waiting(owner, 1);
    gone.abort();
    expect(await poll).toBeNull();
    await repository.write(1);
    await eventually(
      () => matcher.store.tasks({ state: 'ready', limit: 1 }),
      ({ tasks }) => tasks.length === 1,
    );
    await claimAs(matcher.store, 'a1', 'mine');
    const again = await owner.ask('a1', { requestId: 'mine' });
    expect(again?.issue.number).toBe(1);
    expect(await leasedNow(matcher)).toBe(1);
  });

  it('follow a leader that died within seconds, and pass over its tickets', async () => {
    const leader = await join();
    const follower = await join();
    await repository.write(1, { labels: ['docs'] });
    await eventually(
      () => follower.broker.readiness(),
      ({ mirrored }) => mirrored,
    );
    const poll = leader.ask('a1', { waitSeconds: 60 }).catch((error: unknown) => error);
    await waiting(follower, 1);
    const before = await redis.raw.get('banto:lock:process:leader');
    await leader.die();
    expect(await poll).toMatchObject({ code: 'stopping' });
    await eventually(
      () => redis.raw.get('banto:lock:process:leader'),
      (owner) => owner !== null && owner !== before,
    );
    await repository.write(2);
    const answer = await follower.ask('a2', { waitSeconds: 20 });
    expect(answer?.issue.number).toBe(2);
    expect(await follower.store.tickets.count()).toBe(0);
  }, 60_000);

  it('see settings of each other, and those set by hand, within a second or so', async () => {
    const one = await join();
    const other = await join();
    await one.broker.putConfig('max_attempts', 7);
    await eventually(
      () => other.broker.config(),
      ({ maxAttempts }) => maxAttempts === 7,
      2000,
    );
    await redis.raw.set('banto:flags:debug:enabled', 'true');
    for (const { broker } of [one, other]) {
      await eventually(
        () => broker.flags(),
        ({ debug }) => debug,
        2500,
      );
    }
  });

  it('show every fact at every instance', async () => {
    const one = await join();
    const other = await join();
    const heard: Fact[] = [];
    other.broker.subscribe((facts) => heard.push(...facts));
    await repository.write(1);
    await one.ask('a1', { waitSeconds: 20 });
    await eventually(
      async () => heard.map(({ type }) => type),
      (types) => types.includes('accepted') && types.includes('leased'),
    );
  });
});

async function claimAs(store: Store, agentId: string, requestId: string): Promise<void> {
  await store.learn(['python']);
  const registry = await store.registry();
  const result = await store.claim({
    agentId,
    capabilities: ['python'],
    requestId,
    token: 'banto_of-another-instance',
    leaseSeconds: 600,
    groups: [registry.buckets],
    registryVersion: registry.version,
    writeLockMs: 1000,
  });
  expect(result.outcome).toBe('leased');
}
