// Composes the command line: gives its commands the client and the few things that do not go through a
// server. What only one command needs is loaded when that command runs.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createClient } from './client/client.ts';
import { type Config, loadClientConfig, loadConfig } from './config.ts';
import { hasDeliverables } from './core/body.ts';
import { BantoError } from './core/errors.ts';
import type { Policy } from './core/settings.ts';
import { checksFor } from './doctor.ts';
import { runCommandLine } from './doors/cli/program.ts';
import type { NewIssue, SettingFlags, Shell } from './doors/cli/shell.ts';

function versionOfPackage(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The first signal asks, the second one does not wait. */
function stopSignal(): AbortSignal {
  const asked = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (asked.signal.aborted) process.exit(1);
      asked.abort();
    });
  }
  return asked.signal;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function quietLog() {
  const { createTelemetry } = await import('./telemetry.ts');
  return createTelemetry({ level: 'silent' }).log;
}

async function start(config: Config): Promise<{ url: string; stop(): Promise<void> }> {
  const { serve } = await import('./serve.ts');
  const { createTelemetry } = await import('./telemetry.ts');
  return serve(config, createTelemetry({ level: config.logLevel }));
}

async function serveUntilStopped(flags: SettingFlags): Promise<number> {
  const config = loadConfig({ flags });
  const signal = stopSignal();
  const server = await start(config);
  process.stdout.write(
    `Banto is at ${server.url}\n${describeBacklog(config)}Agents ask with \`banto next --agent <name> --cap <labels>\`; watch with \`banto status\`; the API is at ${server.url}/docs\n`,
  );
  await untilAborted(signal);
  process.stdout.write('Stopping; leases are kept.\n');
  await server.stop();
  return 0;
}

function describeBacklog({ forge }: Config): string {
  return forge.kind === 'local'
    ? `It hands out the issues in ${join(forge.repoDir, forge.backlogDir)}; add one with \`banto issue add\`\n`
    : `It hands out the issues of ${forge.repositories.join(', ')}\n`;
}

async function createTokenOffline(
  flags: SettingFlags,
  input: { agentId: string | null; note: string | null },
) {
  const config = loadConfig({ flags });
  const { openStore } = await import('./serve.ts');
  const { createSettings } = await import('./broker/settings.ts');
  const store = await openStore(config, await quietLog());
  try {
    const newSecret = () => randomBytes(24).toString('base64url');
    const settings = createSettings(store, newSecret, config.policy, () => undefined);
    return { token: await settings.createToken(input), agent_id: input.agentId };
  } finally {
    await store.close();
  }
}

function localConfig(flags: SettingFlags) {
  const { forge, policy } = loadConfig({ flags });
  if (forge.kind === 'local') return { forge, policy };
  throw new BantoError(
    'misconfigured',
    'The backlog is on GitHub (GITHUB_REPOSITORY): open the issue there.',
  );
}

function hintsFor({ labels, body }: NewIssue, policy: Policy): string[] {
  const { requireDeliverables, deliverablesHeadings, excludedLabels } = policy;
  const excluded = labels.find((label) =>
    excludedLabels.some((name) => name.toLowerCase() === label.toLowerCase()),
  );
  const held = requireDeliverables && body !== '' && !hasDeliverables(body, deliverablesHeadings);
  return [
    ...(labels.length === 0
      ? ['It has no label: only agents that offer everything (--cap "*") take it.']
      : []),
    ...(excluded === undefined ? [] : [`It is held: the label ${excluded} excludes it.`]),
    ...(held
      ? [
          `It is held until its body has a section on what to deliver (${deliverablesHeadings.join(', ')}).`,
        ]
      : []),
  ];
}

function createShell(color: boolean): Shell {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    color,
    version: versionOfPackage(),
    now: Date.now,
    session(flags) {
      const { url, token, agentId, taskId, leaseToken } = loadClientConfig({ flags });
      return { client: createClient({ url, token }), agentId, taskId, leaseToken };
    },
    serve: serveUntilStopped,
    async demo(options) {
      const { runDemo } = await import('./demo/demo.ts');
      const print = (line: string) => process.stdout.write(`${line}\n`);
      return runDemo({ ...options, serve: start, signal: stopSignal(), print });
    },
    async addIssue(flags, issue) {
      const { forge, policy } = localConfig(flags);
      const { addIssue } = await import('./forge/local/add-issue.ts');
      const { number, path } = await addIssue(join(forge.repoDir, forge.backlogDir), issue);
      return { number, path: relative(process.cwd(), path), hints: hintsFor(issue, policy) };
    },
    async work(request, tell) {
      const { openWork, workStops } = await import('./open-work.ts');
      return openWork(request, tell, workStops());
    },
    async smoke(request, tell) {
      const { runSmoke } = await import('./smoke.ts');
      const print = (line: string) => process.stdout.write(`${line}\n`);
      return runSmoke({ request, tell, serve: start, print });
    },
    async localLogs(flags, task) {
      const { openLocalLogs } = await import('./open-work.ts');
      return openLocalLogs(flags, task);
    },
    createTokenOffline,
    checks: checksFor,
    async presetChecks(preset) {
      const { presetChecks } = await import('./open-work.ts');
      return presetChecks(preset);
    },
    async keys(flags) {
      const { openKeys } = await import('./open-keys.ts');
      return openKeys(loadConfig({ flags }));
    },
    untilStopped: () => untilAborted(stopSignal()),
  };
}

export async function main(argv: readonly string[]): Promise<number> {
  // `banto tasks | head`: whoever reads may stop reading.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  return runCommandLine(argv, createShell(wantsColor()));
}

/** The help must work even when the settings are wrong. */
function wantsColor(): boolean {
  try {
    return loadClientConfig().color;
  } catch (error) {
    if (error instanceof BantoError) return false;
    throw error;
  }
}
