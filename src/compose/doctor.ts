// The checks of `banto doctor`. Each says what it found and how to fix it; none changes anything.

import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { loadClientConfig, loadConfig, loadSecrets } from '../config/config.ts';
import type { Config, RedisConfig } from '../config/shape.ts';
import { createScrubber } from '../core/text/secrets.ts';
import type { SettingFlags } from '../doors/cli/options/setting-flags.ts';
import { type Check, type Finding, ok, problem } from '../doors/cli/start/check.ts';
import {
  describeForge,
  describeStore,
  describeTokens,
} from '../doors/cli/start/describe-config.ts';
import { gitArguments, gitEnvironment } from '../machine/git-command.ts';
import { nodeProblem } from '../machine/node-version.ts';
import type { Inspection } from '../store/sqlite/inspect.ts';
import { checkForge } from './check-forge.ts';
import { checkPort, checkServer } from './check-server.ts';

const run = promisify(execFile);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

async function checkNode(): Promise<Finding[]> {
  const wrong = nodeProblem(process.versions.node);
  return [wrong === null ? ok(`Node ${process.versions.node}`) : problem(wrong)];
}

function describeConfig(config: Config): Finding[] {
  return [
    ok(`forge: ${describeForge(config)}`),
    ok(`store: ${describeStore(config)}`),
    ok(`tokens: ${describeTokens(config)}`),
  ];
}

async function checkGit(): Promise<Finding[]> {
  try {
    const { stdout } = await run('git', gitArguments('.', ['--version']), {
      env: gitEnvironment(process.env),
    });
    return [ok(stdout.trim())];
  } catch (error) {
    return [problem(`git cannot be run (${messageOf(error)})`, 'Install git 2.20 or newer.')];
  }
}

function firstExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : firstExisting(dirname(folder));
}

/** Opens the store; throws where it cannot be read. */
async function checkTokens(config: Config): Promise<Finding[]> {
  const { openStore } = await import('./open-store.ts');
  const { createTelemetry } = await import('../telemetry/telemetry.ts');
  const store = await openStore(config, createTelemetry({ level: 'silent' }).log);
  try {
    const tokens = (await store.settings('tokens:')).size;
    if (!config.tokensRequired || tokens > 0) return [];
    const message = `${config.host} needs tokens and there is none`;
    return [problem(message, 'Run: banto token create --operator')];
  } finally {
    await store.close();
  }
}

async function checkRedis(config: Config, store: RedisConfig): Promise<Finding[]> {
  const { redisConnection, redisUnreachable } = await import('./open-redis.ts');
  const { examineRedis } = await import('../store/redis/connection/examine.ts');
  const examined = await examineRedis(redisConnection(store)).catch((error: unknown) => {
    throw redisUnreachable(error);
  });
  return [
    ok(`${examined.server}, namespace ${store.namespace}`),
    ...examined.warnings.map((message): Finding => ({ status: 'warning', message })),
    ...(config.tokensRequired ? await checkTokens(config) : []),
  ];
}

async function checkStore(config: Config): Promise<Finding[]> {
  if (config.store.kind === 'redis') return checkRedis(config, config.store);
  const { dataDir } = config;
  try {
    accessSync(firstExisting(dataDir), constants.W_OK | constants.X_OK);
  } catch (error) {
    return [problem(`${dataDir} cannot be written (${messageOf(error)})`, 'Set BANTO_DATA_DIR.')];
  }
  const { inspectDatabase } = await import('../store/sqlite/inspect.ts');
  const found = inspectDatabase(dataDir);
  if (found.state === 'in_use') return [ok(`${dataDir} is in use by a running Banto`)];
  const tokens = found.state === 'missing' ? 0 : found.tokens;
  return [
    ok(`${dataDir} ${describeStopped(found)}`),
    ...(config.tokensRequired && tokens === 0
      ? [
          problem(
            `${config.host} needs tokens and there is none`,
            'Run: banto token create --operator',
          ),
        ]
      : []),
  ];
}

function describeStopped(found: Exclude<Inspection, { state: 'in_use' }>): string {
  if (found.state === 'missing') return 'can be written; the database is made at the first start';
  return found.older
    ? 'is in order; its database is brought up to date at the next start'
    : 'is in order';
}

async function checkPrompts({ prompts = null }: Config): Promise<Finding[]> {
  if (prompts === null) return [ok('the shipped ones')];
  const { examinePrompts } = await import('../prompts/load-prompts.ts');
  const { own, problems } = examinePrompts(prompts);
  if (problems.length > 0) {
    const fix =
      'Correct the file, or remove it: then the shipped prompt is used. See docs/agents.md.';
    return problems.map((message) => problem(message, fix));
  }
  const shown = own.length === 0 ? 'the shipped ones' : `${own.join(', ')} of ${prompts.path}`;
  return [ok(shown)];
}

/** What a check found may quote what a library said. */
function scrubbed(check: Check, secrets: readonly string[]): Check {
  const scrub = createScrubber(secrets);
  const clean = (finding: Finding): Finding => ({ ...finding, message: scrub(finding.message) });
  return {
    ...check,
    run: () =>
      check.run().then(
        (findings) => findings.map(clean),
        (error: unknown) => [clean(problem(messageOf(error)))],
      ),
  };
}

export function checksFor(flags: SettingFlags): Check[] {
  const secrets = loadSecrets({ flags });
  return allChecks(flags).map((check) => scrubbed(check, secrets));
}

/** Only where a server is named; an address that may not be used must not hide what else there is to say. */
function serverChecks(flags: SettingFlags): Check[] {
  try {
    const client = loadClientConfig({ flags });
    return client.isNamed ? [{ name: 'server', run: () => checkServer(client) }] : [];
  } catch (error) {
    return [{ name: 'server', run: async () => [problem(messageOf(error))] }];
  }
}

function allChecks(flags: SettingFlags): Check[] {
  const first: Check[] = [
    { name: 'node', run: checkNode },
    { name: 'git', run: checkGit },
  ];
  let config: Config;
  try {
    config = loadConfig({ flags });
  } catch (error) {
    const found = problem(
      messageOf(error),
      'See docs/settings.md. The other checks wait for this.',
    );
    return [...first, { name: 'settings', run: async () => [found] }];
  }
  return [
    ...first,
    { name: 'settings', run: async () => describeConfig(config) },
    {
      name: config.forge.kind === 'local' ? 'repository' : 'github',
      run: () => checkForge(config),
    },
    { name: 'prompts', run: () => checkPrompts(config) },
    { name: 'port', run: () => checkPort(config) },
    { name: 'store', run: () => checkStore(config) },
    ...serverChecks(flags),
  ];
}
