// `banto demo`: a real Banto on a real repository with a scripted fleet, in one command and a few seconds.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../client/client.ts';
import type { Config } from '../config/shape.ts';
import { DEFAULT_POLICY } from '../core/settings.ts';
import { parseTaskId } from '../core/task.ts';
import { keepBusy } from './endless.ts';
import { FLEET, runAgent } from './fleet.ts';
import { openGithubStage } from './github-stage.ts';
import { openLocalStage } from './local-stage.ts';
import { narrate } from './narrator.ts';
import type { Stage } from './stage.ts';

export interface DemoOptions {
  readonly serve: (config: Config) => Promise<{ url: string; stop(): Promise<void> }>;
  readonly port: number;
  /** Play on the GitHub of the tests instead of a local repository. */
  readonly github: boolean;
  /** Keep serving after the story, so that people can look around. */
  readonly stay: boolean;
  /** Instead of the story: a fleet that is always busy, until Ctrl-C. */
  readonly endless: boolean;
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

/** Slow enough to be watched. */
const ENDLESS_POLICY = {
  ...DEFAULT_POLICY,
  leaseSeconds: 30,
  reviewDelaySeconds: 5,
  authorFirstSeconds: 10,
};

const ARRIVAL_MS = 100;

/** Whatever goes wrong, the story ends. */
const STORY_MS = 60_000;

function demoConfig(
  folder: string,
  { port, endless }: DemoOptions,
  forge: Config['forge'],
): Config {
  return {
    host: '127.0.0.1',
    port,
    tokensRequired: false,
    allowedHosts: [],
    logLevel: 'silent',
    dataDir: join(folder, '.banto'),
    forge,
    store: { kind: 'sqlite' },
    policy: endless ? ENDLESS_POLICY : DEMO_POLICY,
  };
}

export async function runDemo(options: DemoOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'banto-demo-'));
  let stage: Stage | null = null;
  try {
    stage = options.github ? await openGithubStage() : await openLocalStage(folder);
    return await play(folder, stage, options);
  } finally {
    await stage?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function play(folder: string, stage: Stage, options: DemoOptions): Promise<number> {
  const server = await options.serve(demoConfig(folder, options, stage.forge));
  stage.opened(server.url);
  const startedAt = Date.now();
  const say = (line: string) => {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1).padStart(5);
    options.print(`${seconds}s  ${line}`);
  };
  if (stage.forge.kind === 'github')
    options.print(`GitHub is at ${stage.forge.apiUrl}/octo/shop/issues/1`);
  options.print(`Banto is at ${server.url}  (open it: the live page; API: ${server.url}/docs)`);
  // Built when it is first asked for: whoever opens it next does not wait.
  if (options.endless || options.stay) fetch(server.url).catch(() => undefined);
  if (options.endless) return showRound(server, stage, options, say);
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
      await runAgent(agent, { client, signal, say, openPull: stage.openPull });
    } catch (error) {
      if (!signal.aborted) say(`${agent.id} stopped: ${String(error)}`);
    }
  });
  let told = false;
  try {
    told = await tell(client, stage, say, signal);
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

async function showRound(
  server: { url: string; stop(): Promise<void> },
  stage: Stage,
  { signal, print }: DemoOptions,
  say: (line: string) => void,
): Promise<number> {
  print('A fleet is at work until Ctrl+C; everything is removed then.\n');
  const client = createClient({ url: server.url });
  await backlogRead(client);
  try {
    await keepBusy({ client, stage, signal, say });
  } finally {
    await server.stop();
  }
  return 0;
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
  stage: Stage,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const approved = new Set<number>();
  const expected = stage.titles.size - 1;
  for await (const item of client.events({ lastEventId: 0, signal })) {
    if (item.kind !== 'event') continue;
    const { event } = item;
    const line = narrate(event, stage.titles);
    if (line !== null) say(line);
    if (event.type !== 'completed' || event['verdict'] !== 'approve') continue;
    const number = parseTaskId(event.task_id ?? '')?.number ?? 0;
    approved.add(number);
    // The issue that another one waits for.
    if (number === 1) {
      say('a person closes #1');
      await stage.close(1);
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
