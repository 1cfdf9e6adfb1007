// A real Banto on a real repository with a bare remote, and workers with a scripted tool.

import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Policy } from '../../src/core/settings.ts';
import { serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import type { WorkEvent } from '../../src/worker/events.ts';
import { anyCommand } from '../../src/worker/presets/any-command.ts';
import type { PresetName } from '../../src/worker/presets/names.ts';
import { PRESETS } from '../../src/worker/presets/presets.ts';
import type { WorkSettings } from '../../src/worker/settings.ts';
import type { SlotEnd } from '../../src/worker/slot.ts';
import { work } from '../../src/worker/work.ts';
import { eventually } from './eventually.ts';
import { gitAt } from './local-repository.ts';
import { configFor } from './serve-config.ts';

const FIXTURES = resolve(import.meta.dirname, '../fixtures/agents');

export interface WorkerCall extends Partial<WorkSettings> {
  /** What the tool does, as a shell script; the prompt is in $PROMPT. */
  readonly does: string;
  /** Afterwards it says what this program really said in this recording. */
  readonly speaks?: {
    readonly tool: PresetName;
    readonly script: string;
    readonly answer?: string;
  };
}

export interface Running {
  readonly events: WorkEvent[];
  readonly ended: Promise<SlotEnd[]>;
  /** The first signal. */
  stop(): void;
  /** The second one. */
  stopNow(): void;
}

export interface Workshop {
  readonly root: string;
  readonly repo: string;
  readonly remote: string;
  readonly url: string;
  readonly client: Client;
  readonly workDir: string;
  git(...args: string[]): string;
  addIssue(number: number, labels?: string): void;
  /** Once every issue is known. */
  mirrored(count: number): Promise<void>;
  start(call: WorkerCall): Running;
  /** One task. */
  once(call: WorkerCall): Promise<SlotEnd>;
  /** What the tool was given at its last run. */
  prompt(): string;
  /** The arguments of each run, oldest first. */
  calls(): string[];
  states(): Promise<Record<string, string>>;
  close(): Promise<void>;
}

let template: string | null = null;

/** Made once for each test file, and copied. */
function makeRepository(root: string): string {
  template ??= makeTemplate();
  cpSync(template, root, { recursive: true });
  return join(root, 'shop');
}

function makeTemplate(): string {
  const root = mkdtempSync(join(tmpdir(), 'banto-template-'));
  process.on('exit', () => rmSync(root, { recursive: true, force: true }));
  const repo = join(root, 'shop');
  gitAt(root, 'init', '--quiet', '--bare', '--initial-branch=main', 'remote.git');
  gitAt(root, 'init', '--quiet', '--initial-branch=main', 'shop');
  mkdirSync(join(repo, 'backlog'));
  writeFileSync(join(repo, 'own.txt'), 'of the person\n');
  gitAt(repo, 'config', 'user.name', 'Person');
  gitAt(repo, 'config', 'user.email', 'person@example.invalid');
  gitAt(repo, 'add', '.');
  gitAt(repo, 'commit', '--quiet', '-m', 'start');
  gitAt(repo, 'remote', 'add', 'origin', '../remote.git');
  gitAt(repo, 'push', '--quiet', 'origin', 'main');
  return root;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** The tool: notes how it was called, does its work, and says what was recorded. */
function writeTool(root: string, { does, speaks }: WorkerCall): string {
  const file = join(root, `tool-${Math.random().toString(36).slice(2)}.sh`);
  const recorded =
    speaks === undefined ? '' : join(FIXTURES, `${speaks.tool}-${speaks.script}.jsonl`);
  const said = speaks === undefined ? '' : saidBy(readFileSync(recorded, 'utf8'), speaks.answer);
  writeFileSync(`${file}.said`, said);
  writeFileSync(
    file,
    `#!/bin/sh
printf '%s\\n' "$*" >> ${quote(join(root, 'calls'))}
PROMPT=${quote(join(root, 'prompt'))}
cat > "$PROMPT"
${does}
cat ${quote(`${file}.said`)}
`,
  );
  chmodSync(file, 0o755);
  return file;
}

/** Another last answer in the same stream. */
function saidBy(stream: string, answer: string | undefined): string {
  if (answer === undefined) return stream;
  const within = JSON.stringify(answer).slice(1, -1);
  return stream
    .replaceAll(/\{\\"verdict\\":.*?\[\]\}/g, () => within)
    .replaceAll('"done"', () => JSON.stringify(answer));
}

export async function makeWorkshop(
  policy: Partial<Policy> = {},
  { remote = true, url = null as string | null } = {},
): Promise<Workshop> {
  const root = mkdtempSync(join(tmpdir(), 'banto-workshop-'));
  const repo = makeRepository(root);
  if (!remote) gitAt(repo, 'remote', 'remove', 'origin');
  const dataDir = join(repo, '.banto');
  const config = configFor({ repoDir: repo, dataDir }, { reviewDelaySeconds: 0, ...policy });
  const server =
    url === null
      ? await serve(config, createTelemetry({ level: 'silent' }))
      : { url, stop: async () => undefined };
  const client = createClient({ url: server.url });
  const running: Running[] = [];

  function start(call: WorkerCall): Running {
    const { does, speaks, ...over } = call;
    const tool = writeTool(root, { does, ...(speaks === undefined ? {} : { speaks }) });
    const asked = new AbortController();
    const urgent = new AbortController();
    const events: WorkEvent[] = [];
    const settings: WorkSettings = {
      agentId: 'w1',
      capabilities: ['*'],
      kinds: null,
      repositories: null,
      parallel: 1,
      once: false,
      waitSeconds: 10,
      leaseSeconds: null,
      preset: speaks === undefined ? anyCommand : PRESETS[speaks.tool],
      program: [tool],
      extra: [],
      check: null,
      checkRounds: 2,
      commit: false,
      graceSeconds: 30,
      stallSeconds: 60,
      timeoutSeconds: 600,
      keepFailed: 5,
      hooks: {},
      prices: {},
      repoDir: repo,
      workDir: join(dataDir, 'work'),
      url: server.url,
      secrets: [],
      ...over,
    };
    const ended = work(settings, {
      client,
      tell: (event) => events.push(event),
      stops: { asked: asked.signal, urgent: urgent.signal },
      env: process.env,
      now: Date.now,
    });
    const stop = () => asked.abort();
    const stopNow = () => {
      asked.abort();
      urgent.abort({ by: 'shutdown' });
    };
    const one = { events, ended, stop, stopNow };
    running.push(one);
    return one;
  }

  return {
    root,
    repo,
    remote: join(root, 'remote.git'),
    url: server.url,
    client,
    workDir: join(dataDir, 'work'),
    git: (...args) => gitAt(repo, ...args),
    addIssue(number, labels = 'bug') {
      const name = `${String(number).padStart(4, '0')}-issue.md`;
      const text = `---\nlabels: [${labels}]\n---\n# Issue ${number}\n\n## Deliverables\n\n- a file\n`;
      writeFileSync(join(repo, 'backlog', name), text);
    },
    async mirrored(count) {
      await eventually(
        async () => (await client.tasks({ limit: 200 })).tasks.length,
        (found) => found >= count,
      );
    },
    start,
    async once(call) {
      const [end] = await start({ ...call, once: true }).ended;
      if (end === undefined) throw new Error('no slot');
      return end;
    },
    prompt: () => readFileSync(join(root, 'prompt'), 'utf8'),
    calls: () => readFileSync(join(root, 'calls'), 'utf8').split('\n').slice(0, -1),
    async states() {
      const { tasks } = await client.tasks({ limit: 200 });
      return Object.fromEntries(tasks.map((task) => [task.task_id, task.state]));
    },
    async close() {
      for (const one of running) one.stopNow();
      await Promise.allSettled(running.map(({ ended }) => ended));
      await server.stop();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Adds a file with one commit. */
export function commits(file: string, message = `Add ${file}`): string {
  return `echo ${file} > ${file} && git add ${file} && git commit --quiet -m '${message}'`;
}
