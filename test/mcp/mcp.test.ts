// The official client of the protocol against both doors, in both generations of the protocol.

import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { makeBacklogRepository } from '../support/backlog-repository.ts';
import { startBanto } from '../support/run-banto.ts';

const BIN = join(import.meta.dirname, '../../bin/banto.js');
const LONG = 30_000;

const repository = await makeBacklogRepository();
let server: ChildProcess;
let url: string;
const open: Client[] = [];

beforeAll(async () => {
  const env = {
    BROKER_PORT: '0',
    BANTO_DATA_DIR: repository.dataDir,
    BANTO_REPO: repository.repoDir,
    REVIEW_DELAY_SECONDS: '0',
  };
  const started = await startBanto(['serve'], /http:\/\/127\.0\.0\.1:\d+/, {
    env,
    cwd: repository.repoDir,
  });
  server = started.child;
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(started.said)?.[0] ?? '';
}, LONG);

afterAll(async () => {
  for (const client of open) await client.close();
  server.kill('SIGTERM');
  await repository.remove();
});

type Era = 'newest' | 'older';

async function connect(door: 'http' | 'stdio', era: Era): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    era === 'newest' ? { versionNegotiation: { mode: 'auto' } } : {},
  );
  const transport =
    door === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
      : new StdioClientTransport({
          command: process.execPath,
          args: [BIN, 'mcp'],
          env: { PATH: process.env.PATH ?? '', BANTO_URL: url },
        });
  await client.connect(transport);
  open.push(client);
  return client;
}

interface Called {
  readonly text: string;
  readonly error: boolean;
  readonly value: Record<string, unknown>;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Called> {
  const answer = await client.callTool({ name, arguments: args });
  const [first] = answer.content as { text: string }[];
  return {
    text: first?.text ?? '',
    error: answer.isError === true,
    value: (answer.structuredContent ?? {}) as Record<string, unknown>,
  };
}

let number = 0;
async function newIssue(label: string): Promise<number> {
  number += 1;
  await repository.write(number, { labels: [label], title: `Issue ${number}` });
  return number;
}

describe.each([
  ['http', 'newest'],
  ['http', 'older'],
  ['stdio', 'newest'],
  ['stdio', 'older'],
] as const)('over %s, with the %s protocol', (door, era) => {
  const label = `${door}-${era}`;
  const agent = { agent_id: `${label}-agent`, capabilities: [label] };
  let client: Client;
  beforeAll(async () => {
    client = await connect(door, era);
  }, LONG);

  it('lists seven tools with schemas and descriptions', { timeout: LONG }, async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'request_task',
      'get_task',
      'report_progress',
      'complete_task',
      'fail_task',
      'release_task',
      'ask_human',
    ]);
    for (const tool of tools) {
      expect(tool.description?.length).toBeGreaterThan(60);
      expect(tool.inputSchema).toMatchObject({ type: 'object' });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
    }
  });

  it('takes a task from request to review', { timeout: LONG }, async () => {
    const issue = await newIssue(label);
    const taken = await call(client, 'request_task', { ...agent, wait_seconds: 20 });
    expect(taken.value).toMatchObject({ status: 'task', task: { issue_id: issue } });
    const { task_id, lease_token } = taken.value as { task_id: string; lease_token: string };
    expect(taken.text).toContain(lease_token);
    expect(taken.text).toContain('written by people you do not know');

    const again = await call(client, 'request_task', { ...agent, wait_seconds: 0 });
    expect(again.value).toMatchObject({ task_id, lease_token });

    const progress = await call(client, 'report_progress', { task_id, lease_token, note: 'half' });
    expect(progress.value).toMatchObject({ stop: null, answers: [] });
    const looked = await call(client, 'get_task', { task_id, lease_token });
    expect(looked.value).toMatchObject({ state: 'leased', answers: [] });
    const question = { task_id, lease_token, question: 'Which port?' };
    expect((await call(client, 'ask_human', question)).value).toMatchObject({ question_id: 'q1' });
    await createClient({ url }).answer(task_id, { question_id: 'q1', answer: '8080' });
    const heard = await call(client, 'get_task', { task_id, lease_token });
    const answers = [{ question_id: 'q1', question: 'Which port?', answer: '8080' }];
    expect(heard.value).toMatchObject({ answers });
    expect(heard.text).toContain('The answer: 8080');
    const beat = await call(client, 'report_progress', { task_id, lease_token });
    expect(beat.value).toMatchObject({ answers });

    const done = await call(client, 'complete_task', { task_id, lease_token, summary: 'Done.' });
    expect(done.value).toMatchObject({ state: 'done' });
    const stored = await createClient({ url }).task(task_id);
    expect(stored.state).toBe('done');
  });

  it('says that nothing suits, and when to ask again', { timeout: LONG }, async () => {
    const empty = await call(client, 'request_task', {
      ...agent,
      capabilities: ['none'],
      wait_seconds: 0,
    });
    expect(empty.value).toMatchObject({ status: 'empty', retry_after_seconds: 5 });
    expect(empty.error).toBe(false);
  });

  it('tells the model to stop when its lease was lost', { timeout: LONG }, async () => {
    await newIssue(label);
    const taken = await call(client, 'request_task', { ...agent, wait_seconds: 20 });
    const { task_id, lease_token } = taken.value as { task_id: string; lease_token: string };
    await createClient({ url }).unlock(task_id);
    const late = await call(client, 'report_progress', { task_id, lease_token, note: 'late' });
    expect(late.error).toBe(true);
    expect(late.text).toMatch(/^Stop working on this task/);
    const mine = await call(client, 'request_task', { ...agent, wait_seconds: 20 });
    const held = { task_id, lease_token: mine.value.lease_token };
    const back = await call(client, 'release_task', { ...held, reason: 'enough' });
    expect(back.value).toMatchObject({ state: 'ready' });
    await createClient({ url }).cancel(task_id);
  });

  it('refuses bad arguments with a sentence and changes nothing', { timeout: LONG }, async () => {
    const bad = await call(client, 'request_task', { agent_id: 'bad id', capabilities: [] });
    expect(bad.error).toBe(true);
    expect(bad.text).toMatch(/agent_id/);
  });
});

it('gives the same lease to the same request after the stream was lost', {
  timeout: LONG,
}, async () => {
  await newIssue('lost');
  const ask = { agent_id: 'lost-1', capabilities: ['lost'], request_id: 'once', wait_seconds: 20 };
  const first = await connect('http', 'newest');
  const taken = await call(first, 'request_task', ask);
  await first.close();
  const second = await connect('http', 'older');
  const again = await call(second, 'request_task', ask);
  expect(again.value).toMatchObject({
    task_id: taken.value.task_id,
    lease_token: taken.value.lease_token,
  });
});
