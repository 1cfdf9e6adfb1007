// Every figure that people see comes from the facts: after a run with failures, expiry and a restart they are equal.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Config } from '../../src/config/shape.ts';
import { COUNTED_FACTS } from '../../src/core/facts.ts';
import type { Event } from '../../src/doors/schema/events.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { configFor } from '../support/serve-config.ts';

let redis: RedisServer;
let repository: BacklogRepository;
let served: Served | null = null;

beforeAll(async () => {
  redis = await startRedisServer();
});
afterAll(() => redis.stop());
afterEach(async () => {
  await served?.stop();
  served = null;
  await repository.remove();
});

function storeOf(kind: 'sqlite' | 'redis'): Config['store'] {
  if (kind === 'sqlite') return { kind };
  return {
    kind,
    connection: { url: redis.url },
    tls: null,
    namespace: 'figures',
    keyPatterns: {},
    ttls: { heartbeat: 1800, temp_data: 3600, stats: 604_800 },
  };
}

async function allEvents(client: Client): Promise<Event[]> {
  // Something that can be recognised as the end.
  const mark = `maintenance:end-${Math.random().toString(36).slice(2)}`;
  await client.putFlag(mark, true);
  const events: Event[] = [];
  for await (const item of client.events({ lastEventId: 0 })) {
    if (item.kind !== 'event') continue;
    if (JSON.stringify(item.event).includes(mark.slice('maintenance:'.length))) return events;
    events.push(item.event);
  }
  return events;
}

function counted(events: readonly Event[]): Record<string, number> {
  const names = COUNTED_FACTS as Partial<Record<string, string>>;
  const counters = events.flatMap(({ type }) => names[type] ?? []);
  const waited = events.reduce((sum, event) => sum + Number(event['waited_ms'] ?? 0), 0);
  const worked = events.reduce((sum, event) => sum + Number(event['worked_ms'] ?? 0), 0);
  return {
    ...Object.fromEntries(
      [...Map.groupBy(counters, (name) => name)].map(([name, list]) => [name, list.length]),
    ),
    waited_ms: waited,
    worked_ms: worked,
  };
}

function sumRows(rows: readonly { counters: Record<string, number> }[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { counters } of rows) {
    for (const [name, value] of Object.entries(counters)) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
}

async function metricsOf(url: string): Promise<{ text: string; counters: Record<string, number> }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counters: Record<string, number> = {};
  for (const [, event = '', value] of text.matchAll(
    /^banto_task_events_total\{event="(\w+)"[^}]*\} (\d+)$/gm,
  )) {
    counters[event] = (counters[event] ?? 0) + Number(value);
  }
  const sumOf = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}_sum(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  return {
    text,
    counters: {
      ...counters,
      waited_ms: Math.round(sumOf('banto_task_waiting_seconds') * 1000),
      worked_ms: Math.round(sumOf('banto_task_working_seconds') * 1000),
    },
  };
}

describe.each(['sqlite', 'redis'] as const)('on %s', (kind) => {
  async function start(): Promise<{ client: Client; url: string }> {
    const policy = { reviewDelaySeconds: 0, leaseSeconds: 1 };
    const config = { ...configFor(repository, policy), store: storeOf(kind) };
    served = await serve(config, createTelemetry({ level: 'silent' }));
    const client = createClient({ url: served.url });
    await eventually(
      () => client.ready(),
      ({ mirrored }) => mirrored,
    );
    return { client, url: served.url };
  }

  const ask = async (client: Client, agent_id: string) => {
    const task = await client.requestTask({ agent_id, capabilities: ['python'], wait_seconds: 5 });
    if (task === null) throw new Error('There was no task.');
    return { task, lease_token: task.lease.token };
  };

  it('statistics and metrics say what the facts say, before and after a restart', async () => {
    repository = await makeBacklogRepository();
    for (const number of [1, 2, 3, 4]) await repository.write(number);
    const first = await start();
    const done = await ask(first.client, 'a1');
    await first.client.complete(done.task.task_id, { lease_token: done.lease_token });
    const failed = await ask(first.client, 'a1');
    await first.client.fail(failed.task.task_id, {
      lease_token: failed.lease_token,
      reason: 'it rained',
      retryable: false,
    });
    const expiring = await ask(first.client, 'a2');
    await eventually(
      () => first.client.task(expiring.task.task_id),
      ({ state }) => state === 'ready',
    );
    const before = await allEvents(first.client);
    expect(counted(before)).toMatchObject({ completed: 1, failed: 1, dead: 1, expired: 1 });
    const now = await metricsOf(first.url);
    expect(now.counters).toEqual(counted(before));
    expect(now.text).toMatch(/banto_hand_out_duration_seconds_count 3/);
    expect(now.text).toMatch(/banto_store_call_duration_seconds_count\{call="claim"\} [1-9]/);
    expect(now.text).toMatch(/banto_forge_call_duration_seconds_count\{call="set_labels"\} [1-9]/);
    expect(now.text).toMatch(/banto_agents\{status="\w+"\} [1-9]/);
    await served?.stop();

    const second = await start();
    const again = await ask(second.client, 'a3');
    await second.client.release(again.task.task_id, { lease_token: again.lease_token });
    const last = await ask(second.client, 'a3');
    await second.client.complete(last.task.task_id, { lease_token: last.lease_token });
    const all = await allEvents(second.client);
    expect(counted(all)).toMatchObject({ completed: 2, released: 1, handed_out: 5 });
    for (const period of ['daily', 'hourly'] as const) {
      const { rows } = await second.client.stats(period);
      expect(sumRows(rows)).toEqual(counted(all));
    }
    const lastBefore = before.at(-1)?.seq ?? 0;
    const since = all.filter(({ seq }) => seq > lastBefore);
    expect((await metricsOf(second.url)).counters).toEqual(counted(since));
  });
});
