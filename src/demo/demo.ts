// `banto demo`: a real Banto on a real repository with a scripted fleet, in one command and a few seconds.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../client/client.ts';
import type { Config } from '../config.ts';
import { DEFAULT_POLICY } from '../core/settings.ts';
import { closedText, makeRepository } from './backlog.ts';
import { FLEET, runAgent } from './fleet.ts';
import { narrate } from './narrator.ts';

export interface DemoOptions {
  readonly serve: (config: Config) => Promise<{ url: string; stop(): Promise<void> }>;
  readonly port: number;
  /** Keep serving after the story, so that people can look around. */
  readonly stay: boolean;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** The life of a task in seconds instead of minutes. */
const DEMO_POLICY = {
  ...DEFAULT_POLICY,
  leaseSeconds: 3,
  reviewDelaySeconds: 1,
  authorFirstSeconds: 5,
};

const ARRIVAL_MS = 100;

/** Whatever goes wrong, the story ends. */
const STORY_MS = 60_000;

function demoConfig(folder: string, port: number): Config {
  return {
    host: '127.0.0.1',
    port,
    tokensRequired: false,
    logLevel: 'silent',
    dataDir: join(folder, '.banto'),
    forge: { kind: 'local', repoDir: join(folder, 'shop'), backlogDir: 'backlog' },
    store: { kind: 'sqlite' },
    policy: DEMO_POLICY,
  };
}

async function readTitles(backlog: string): Promise<Map<number, string>> {
  const titles = new Map<number, string>();
  for (const file of await readdir(backlog)) {
    const number = Number.parseInt(file, 10);
    const title = /^# (.+)$/m.exec(await readFile(join(backlog, file), 'utf8'))?.[1];
    if (title !== undefined) titles.set(number, title);
  }
  return titles;
}

/** A person: closes the login issue once it is approved, which frees the issue that waits for it. */
async function closeIssue(backlog: string, number: number): Promise<void> {
  const files = await readdir(backlog);
  const file = files.find((name) => Number.parseInt(name, 10) === number);
  if (file === undefined) return;
  const path = join(backlog, file);
  await writeFile(path, closedText(await readFile(path, 'utf8')));
}

export async function runDemo(options: DemoOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'banto-demo-'));
  try {
    return await play(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function play(folder: string, options: DemoOptions): Promise<number> {
  const repository = join(folder, 'shop');
  const backlog = join(repository, 'backlog');
  await makeRepository(repository);
  const titles = await readTitles(backlog);
  const server = await options.serve(demoConfig(folder, options.port));
  const startedAt = Date.now();
  const say = (line: string) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(5);
    options.print(`${seconds}s  ${line}`);
  };
  options.print(`Banto is at ${server.url}  (API description: ${server.url}/docs)`);
  options.print(
    `Fleet: ${FLEET.map((a) => `${a.id} [${a.capabilities.join(', ')}]`).join(' · ')}\n`,
  );

  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal, AbortSignal.timeout(STORY_MS)]);
  const client = createClient({ url: server.url });
  await backlogRead(client);
  // One after the other: whoever is to die must get a task first.
  const agents = FLEET.map(async (agent, index) => {
    try {
      await sleep(index * ARRIVAL_MS, undefined, { signal });
      await runAgent(agent, { client, signal, say });
    } catch (error) {
      if (!signal.aborted) say(`${agent.id} stopped: ${String(error)}`);
    }
  });
  let told = false;
  try {
    told = await tell(client, backlog, titles, say, signal);
  } finally {
    ended.abort();
    await Promise.all(agents);
  }
  if (told) await summarize(client, options.print);
  if (told && options.stay && !options.signal.aborted) {
    options.print(`\nBanto keeps running at ${server.url}. Ctrl+C ends it and removes everything.`);
    await new Promise((resolve) =>
      options.signal.addEventListener('abort', resolve, { once: true }),
    );
  }
  await server.stop();
  return told || options.signal.aborted ? 0 : 1;
}

async function backlogRead(client: ReturnType<typeof createClient>): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if ((await client.ready()).mirrored) return;
    await sleep(50);
  }
}

/** True when every issue that can be worked on was approved. */
async function tell(
  client: ReturnType<typeof createClient>,
  backlog: string,
  titles: ReadonlyMap<number, string>,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const approved = new Set<string>();
  const expected = titles.size - 1;
  for await (const item of client.events({ lastEventId: 0, signal })) {
    if (item.kind !== 'event') continue;
    const { event } = item;
    const line = narrate(event, titles);
    if (line !== null) say(line);
    if (event.type !== 'completed' || event['verdict'] !== 'approve') continue;
    const issue = event.task_id?.split('~')[1] ?? '';
    approved.add(issue);
    if (issue === '1') {
      say('a person closes #1');
      await closeIssue(backlog, 1);
    }
    if (approved.size >= expected) return true;
  }
  return false;
}

async function summarize(
  client: ReturnType<typeof createClient>,
  print: (line: string) => void,
): Promise<void> {
  const { tasks } = await client.tasks({ limit: 100 });
  const counts = Map.groupBy(tasks, (task) => task.state);
  const parts = [...counts].map(([state, list]) => `${list.length} ${state}`);
  print(`\nThat was the whole life of ${tasks.length} tasks: ${parts.join(', ')}.`);
  print('Not one was handed out twice, and none was lost.');
}
