// A real Banto for the tests of its page, on either store, that can be stopped and started at the same address.

import { type Client, createClient } from '../../src/client/client.ts';
import type { Config } from '../../src/config/shape.ts';
import type { Policy } from '../../src/core/settings.ts';
import type { AssignmentAnswer } from '../../src/doors/schema/request-task.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from './backlog-repository.ts';
import { eventually } from './eventually.ts';
import { freePort, type RedisServer, startRedisServer } from './redis-server.ts';
import { configFor } from './serve-config.ts';

export interface PageStage {
  readonly url: string;
  readonly client: Client;
  readonly repository: BacklogRepository;
  /** Takes the next task for an agent; there must be one. */
  take(agent: string, capabilities?: readonly string[]): Promise<AssignmentAnswer>;
  /** Until the issue's first task is known. */
  known(number: number): Promise<string>;
  halt(): Promise<void>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

function redisStore(redis: RedisServer): Config['store'] {
  return {
    kind: 'redis',
    connection: { url: redis.url },
    tls: null,
    namespace: 'page',
    keyPatterns: {},
    ttls: { heartbeat: 1800, temp_data: 3600, stats: 604_800 },
  };
}

export async function openPageStage(
  store: 'sqlite' | 'redis',
  policy: Partial<Policy> = {},
): Promise<PageStage> {
  const repository = await makeBacklogRepository();
  const redis = store === 'redis' ? await startRedisServer() : null;
  const config: Config = {
    ...configFor(repository, policy),
    port: await freePort(),
    ...(redis === null ? {} : { store: redisStore(redis) }),
  };
  let served: Served | null = await serve(config, createTelemetry({ level: 'silent' }));
  const { url } = served;
  const client = createClient({ url });

  async function halt(): Promise<void> {
    await served?.stop();
    served = null;
  }

  return {
    url,
    client,
    repository,
    async take(agent, capabilities = ['python']) {
      const body = { agent_id: agent, capabilities: [...capabilities], wait_seconds: 10 };
      const task = await client.requestTask(body);
      if (task === null) throw new Error(`There was no task for ${agent}.`);
      return task;
    },
    async known(number) {
      const found = await eventually(
        async () => (await client.tasks({ limit: 200 })).tasks.find((t) => t.issue_id === number),
        (task) => task !== undefined,
      );
      return found?.task_id ?? '';
    },
    halt,
    async resume() {
      served = await serve(config, createTelemetry({ level: 'silent' }));
    },
    async close() {
      await halt();
      await redis?.stop();
      await repository.remove();
    },
  };
}
