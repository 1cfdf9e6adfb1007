// Composes the command line: gives its commands the client and the few things that do not go through a
// server. What only one command needs is loaded when that command runs.

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createClient } from './client/client.ts';
import { checksFor } from './compose/doctor.ts';
import {
  enterPersonFolder,
  loadClientConfig,
  loadConfig,
  loadGivenPort,
  loadSecrets,
} from './config/config.ts';
import type { Config } from './config/shape.ts';
import { BantoError } from './core/errors.ts';
import { createScrubber } from './core/text/secrets.ts';
import type { SettingFlags } from './doors/cli/options/setting-flags.ts';
import { runCommandLine } from './doors/cli/program.ts';
import type { Shell, TokenDesk } from './doors/cli/shell.ts';
import { startBlock } from './doors/cli/start/start-block.ts';
import { tokenView } from './doors/views/token.ts';
import type { Served } from './serve.ts';

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
  const { createTelemetry } = await import('./telemetry/telemetry.ts');
  return createTelemetry({ level: 'silent' }).log;
}

async function start(config: Config, flags: SettingFlags = {}): Promise<Served> {
  const { serve } = await import('./serve.ts');
  const { createTelemetry } = await import('./telemetry/telemetry.ts');
  const onTerminal = process.stderr.isTTY;
  const format = config.logFormat ?? (onTerminal ? 'pretty' : 'json');
  const color = onTerminal && manner().color;
  const secrets = loadSecrets({ flags });
  return serve(config, createTelemetry({ level: config.logLevel, format, color, secrets }));
}

/** Told before anything is opened or written: a first start goes wrong here most of the time. */
async function checkGround({ forge }: Config): Promise<void> {
  if (forge.kind === 'github') return;
  const { checkRepository } = await import('./forge/local/backlog/examine.ts');
  await checkRepository(forge);
}

async function serveUntilStopped(flags: SettingFlags): Promise<number> {
  const config = loadConfig({ flags });
  const signal = stopSignal();
  await checkGround(config);
  const { url, repositories, stop } = await start(config, flags);
  const usualUrl = loadClientConfig().url;
  const lines = startBlock({ config, url, usualUrl, repositories });
  process.stdout.write(`${lines.join('\n')}\n`);
  await untilAborted(signal);
  process.stdout.write('Stopping; leases are kept.\n');
  await stop();
  return 0;
}

async function withTokens<T>(
  flags: SettingFlags,
  use: (tokens: TokenDesk) => Promise<T>,
): Promise<T> {
  const config = loadConfig({ flags });
  const { openStore } = await import('./compose/open-store.ts');
  const { createTokens } = await import('./broker/operate/tokens.ts');
  const store = await openStore(config, await quietLog());
  try {
    const newSecret = () => randomBytes(24).toString('base64url');
    const tokens = createTokens(store, newSecret);
    return await use({
      async createToken(input) {
        const { secret, ...token } = await tokens.createToken(input);
        return { token: secret, ...tokenView(token) };
      },
      tokens: async () => ({ tokens: (await tokens.tokens()).map(tokenView) }),
      revokeToken: async (id) => tokenView(await tokens.revokeToken(id)),
    });
  } finally {
    await store.close();
  }
}

/** Errors quote what they were given; standard output is what the person asked for and stays as it is. */
function scrubbed(output: NodeJS.WriteStream): Shell['stderr'] {
  return {
    isTTY: output.isTTY,
    columns: output.columns,
    rows: output.rows,
    write: (text) => output.write(createScrubber(loadSecrets())(text)),
  };
}

function createShell({ color, debug }: Pick<Shell, 'color' | 'debug'>): Shell {
  return {
    stdout: process.stdout,
    stderr: scrubbed(process.stderr),
    stdin: process.stdin,
    terminal:
      process.stdin.isTTY && process.stdout.isTTY
        ? { input: process.stdin, output: process.stdout }
        : null,
    color,
    debug,
    version: versionOfPackage(),
    now: Date.now,
    session(flags) {
      const { url, token, agentId, taskId, leaseToken } = loadClientConfig({ flags });
      return { client: createClient({ url, token }), agentId, taskId, leaseToken };
    },
    serve: serveUntilStopped,
    async serveMcp(client) {
      const { serveMcpOverStdio } = await import('./doors/mcp/over-stdio.ts');
      await serveMcpOverStdio(client, versionOfPackage());
    },
    async init(flags) {
      const { planInit } = await import('./compose/init.ts');
      return planInit(flags);
    },
    async setup(asked) {
      const { openSetup } = await import('./compose/open-setup.ts');
      return openSetup(asked);
    },
    async demo(options) {
      const { runDemo } = await import('./demo/demo.ts');
      const print = (line: string) => process.stdout.write(`${line}\n`);
      const port = options.port ?? loadGivenPort() ?? 0;
      return runDemo({ ...options, port, serve: start, signal: stopSignal(), print });
    },
    async issues(flags) {
      const { openIssues } = await import('./compose/open-issues.ts');
      return openIssues(flags);
    },
    async work(request, tell) {
      const { openWork, workStops } = await import('./compose/open-work.ts');
      return openWork(request, tell, workStops());
    },
    async smoke(request, tell) {
      const { runSmoke } = await import('./compose/smoke.ts');
      const print = (line: string) => process.stdout.write(`${line}\n`);
      return runSmoke({ request, tell, serve: start, print });
    },
    async localLogs(flags, task) {
      const { openLocalLogs } = await import('./compose/open-work.ts');
      return openLocalLogs(flags, task);
    },
    withTokens,
    checks: checksFor,
    async presetChecks(preset) {
      const { presetChecks } = await import('./compose/open-work.ts');
      return presetChecks(preset);
    },
    async keys(flags) {
      const { openKeys } = await import('./compose/open-keys.ts');
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
  enterPersonFolder();
  return runCommandLine(argv, createShell(manner()));
}

/** The help must work even when the settings are wrong. */
function manner(): Pick<Shell, 'color' | 'debug'> {
  try {
    return loadClientConfig();
  } catch (error) {
    if (error instanceof BantoError) return { color: false, debug: false };
    throw error;
  }
}
