// 1,000 agents ask at once for 200 tasks, over real HTTP.

import { Agent, request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { configFor } from '../support/serve-config.ts';

const AGENTS = 1000;
const TASKS = 200;
const LABELS = ['python', 'docs', 'web', 'rust'];

interface Answer {
  readonly status: number;
  readonly agent: string;
  readonly taskId: string | null;
}

let repository: BacklogRepository;
let served: Served;
let sockets: Agent;

beforeEach(async () => {
  repository = await makeBacklogRepository();
  sockets = new Agent({ keepAlive: true, maxSockets: AGENTS });
});

afterEach(async () => {
  sockets.destroy();
  await served.stop();
  await repository.remove();
});

function ask(agent: string, waitSeconds: number): Promise<Answer> {
  const body = JSON.stringify({
    agent_id: agent,
    capabilities: LABELS,
    wait_seconds: waitSeconds,
    request_id: `r-${agent}`,
  });
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${served.url}/api/v1/request-task`,
      { method: 'POST', agent: sockets, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          const status = response.statusCode ?? 0;
          const parsed = status === 200 ? (JSON.parse(text) as { task_id: string }) : null;
          resolve({ status, agent, taskId: parsed?.task_id ?? null });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function writeBacklog(): Promise<void> {
  await Promise.all(
    Array.from({ length: TASKS }, (_, index) =>
      repository.write(index + 1, { labels: [LABELS[index % LABELS.length] ?? ''] }),
    ),
  );
}

async function start(): Promise<ReturnType<typeof createClient>> {
  served = await serve(configFor(repository), createTelemetry({ level: 'silent' }));
  const client = createClient({ url: served.url });
  await eventually(
    () => client.ready(),
    (ready) => ready.mirrored,
  );
  return client;
}

function expectEachOnce(answers: readonly Answer[]): void {
  const statuses = Map.groupBy(answers, (answer) => answer.status);
  expect(new Set(statuses.keys())).toEqual(new Set([200, 204]));
  const handed = answers.flatMap((answer) => (answer.taskId === null ? [] : [answer.taskId]));
  expect(handed).toHaveLength(TASKS);
  expect(new Set(handed).size).toBe(TASKS);
}

describe('1,000 agents and 200 tasks', () => {
  it('hands out each task exactly once when all ask at the same time', async () => {
    await writeBacklog();
    await start();
    const answers = Array.from({ length: AGENTS }, (_, index) => ask(`a${index}`, 0));
    expectEachOnce(await Promise.all(answers));
  }, 120_000);

  it('does so too when half of them were waiting beforehand', async () => {
    const client = await start();
    const waiting = Array.from({ length: AGENTS / 2 }, (_, index) => ask(`w${index}`, 30));
    await eventually(
      () => client.queue(),
      (queue) => queue.waiting === AGENTS / 2,
    );
    const writing = writeBacklog();
    const asking = Array.from({ length: AGENTS / 2 }, (_, index) => ask(`a${index}`, 20));
    await writing;
    expectEachOnce(await Promise.all([...waiting, ...asking]));
  }, 120_000);
});
