// A Sentinel failover that loses the last writes: the replica that is promoted never saw them.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { judge } from '../support/roaming-agent.ts';
import {
  completed,
  makeSharedBanto,
  type SharedBanto,
  untilCompleted,
} from '../support/shared-banto.ts';

const TASKS = 40;

let banto: SharedBanto;
const servers: RedisServer[] = [];

beforeEach(async () => {
  banto = await makeSharedBanto();
  await banto.writeIssues(1, TASKS);
});

afterEach(async () => {
  await banto.stop();
  for (const server of servers.splice(0).reverse()) await server.stop();
});

async function start(options: Parameters<typeof startRedisServer>[0]): Promise<RedisServer> {
  const server = await startRedisServer(options);
  servers.push(server);
  return server;
}

describe('a Sentinel failover that loses the last writes', () => {
  it('lets no fence fall and no stale holder finish; everything is done in the end', async () => {
    const primary = await start({});
    await primary.raw.acl('SETUSER', 'copy', 'on', '>copy', '+psync', '+replconf', '+ping');
    const replica = await start({
      replicaOf: primary,
      args: ['--masteruser', 'copy', '--masterauth', 'copy'],
    });
    await eventually(
      () => replica.raw.info('replication'),
      (info) => info.includes('master_link_status:up'),
    );
    const sentinel = await startSentinel(primary.port);
    const env = {
      REDIS_SENTINELS: `127.0.0.1:${sentinel.port}`,
      REDIS_SENTINEL_NAME: 'park',
    };
    await banto.start(2, env);
    const fleet = banto.work();
    await untilCompleted(fleet, 8);

    // From here on the replica hears nothing more, and what is acknowledged is acknowledged by the primary.
    await primary.raw.acl('SETUSER', 'copy', 'off');
    await primary.raw.call('CLIENT', 'KILL', 'TYPE', 'replica');
    const cutAt = Date.now();
    const leasedSince = () => fleet.held.filter(({ fence }) => fence / 1000 > cutAt);
    await eventually(
      async () => leasedSince().length,
      (count) => count >= 5,
    );
    await primary.kill();
    const lost = new Set(leasedSince().map(({ fence }) => fence));
    await eventually(
      () => replica.raw.info('replication'),
      (info) => info.includes('role:master'),
      30_000,
    );
    const failedOverAt = Date.now();
    await eventually(
      async () => completed(fleet).size,
      (count) => count === TASKS,
      60_000,
    );
    expect(judge(fleet.held)).toEqual([]);
    // They were lost indeed: the facts of the new primary know nothing of these leases.
    const kept = (await replica.raw.xrange('banto:facts', '-', '+')).map(([, fields]) =>
      fields.join(),
    );
    expect([...lost].filter((fence) => kept.some((fact) => fact.includes(String(fence))))).toEqual(
      [],
    );
    expect(lost.size).toBeGreaterThan(0);
    const stale = fleet.held.filter(
      ({ fence, end, endSentAt }) =>
        lost.has(fence) && end === 'completed' && (endSentAt ?? 0) > failedOverAt,
    );
    expect(stale).toEqual([]);
  }, 120_000);
});

async function startSentinel(port: number): Promise<RedisServer> {
  const sentinel = await start({ sentinel: true });
  const raw = sentinel.raw;
  await raw.connect().catch(() => undefined);
  await raw.call('SENTINEL', 'MONITOR', 'park', '127.0.0.1', String(port), '1');
  await raw.call('SENTINEL', 'SET', 'park', 'down-after-milliseconds', '1000');
  await raw.call('SENTINEL', 'SET', 'park', 'failover-timeout', '5000');
  return sentinel;
}
