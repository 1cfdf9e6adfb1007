// The only reader of process.env and of the configuration file. One validated object for the server,
// one for the commands that talk to it.

import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { refuseForeignAddress, WAYS } from './found-file.ts';
import { personFolder } from './here.ts';
import { isLoopback, rules } from './rules.ts';
import { secretsOf } from './secrets.ts';
import type { ClientConfig, Config, WorkConfig } from './shape.ts';
import { gather, type Values } from './sources.ts';
import type { Flags, Variables } from './variables.ts';

export interface LoadOptions {
  readonly flags?: Flags;
  readonly env?: Variables;
  readonly cwd?: string;
}

function sources({ flags = {}, env = process.env, cwd = process.cwd() }: LoadOptions) {
  return { flags, env, cwd };
}

/** Every command acts where the person is, also when npm started it somewhere else. */
export function enterPersonFolder(): void {
  process.chdir(personFolder(process.env, process.cwd()));
}

/** Whether a command of that name would be found. */
export function isOnPath(program: string, { PATH = '' }: Variables = process.env): boolean {
  const isExecutable = (path: string) => {
    try {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    } catch {
      return false;
    }
  };
  return PATH.split(delimiter).some(
    (folder) => folder !== '' && isExecutable(join(folder, program)),
  );
}

/** What must never be printed, whatever else is wrong with the settings. */
export function loadSecrets(options: LoadOptions = {}): string[] {
  return secretsOf(sources(options));
}

/** Throws `misconfigured` with one sentence that says what to fix. */
export function loadConfig(options: LoadOptions = {}): Config {
  const from = sources(options);
  const config = rules(
    gather(from, (setting) => setting.client !== true),
    { cwd: from.cwd, codespace: from.env.CODESPACES === 'true' },
  );
  return wantsTraces(from.env) ? { ...config, traces: true } : config;
}

/** By the variables that every program with OpenTelemetry knows. */
function wantsTraces(env: Variables): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false;
  if (env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  return endpoints.some((name) => (env[name] ?? '') !== '');
}

/** BROKER_PORT where somebody set it: the demo has no other setting. */
export function loadGivenPort(options: LoadOptions = {}): number | null {
  const values = gather(sources(options), ({ name }) => name === 'BROKER_PORT');
  return values.isSet('BROKER_PORT') ? (values.get('BROKER_PORT') as number) : null;
}

const ADDRESS = new Set(['BROKER_HOST', 'BROKER_PORT']);
const EVERYWHERE: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
]);

/** Where a server that listens like this is found from the same machine. */
export function localUrl(host: string, port: number): string {
  const near = EVERYWHERE.get(host) ?? host;
  return `http://${near.includes(':') && !near.startsWith('[') ? `[${near}]` : near}:${port}`;
}

/** BANTO_URL wins over SERVER_URL: what is not used does no harm. */
function overruled(values: Values): string[] {
  return values.isSet('BANTO_URL') ? ['SERVER_URL'] : [];
}

/** A server's own settings do not matter to a command that only talks to it: they are not checked here. */
export function loadClientConfig(options: LoadOptions = {}): ClientConfig {
  const from = sources(options);
  const values = gather(from, (setting) => setting.client === true || ADDRESS.has(setting.name));
  const word = (name: string) => (values.get(name) as string | undefined) ?? null;
  const own = localUrl(values.get('BROKER_HOST') as string, values.get('BROKER_PORT') as number);
  // A file may say on which port of this machine the server is; a file that says BANTO_URL, or another machine, may not.
  const named = values.isSet('BANTO_URL') || values.isSet('SERVER_URL');
  const here = named || isLoopback(new URL(own).hostname);
  refuseForeignAddress(values, WAYS.banto, here ? ['BROKER_HOST', ...overruled(values)] : []);
  return {
    url: word('BANTO_URL') ?? word('SERVER_URL') ?? own,
    isNamed: values.isSet('BANTO_URL') || values.isSet('SERVER_URL'),
    token: word('BANTO_TOKEN'),
    agentId: word('BANTO_AGENT'),
    taskId: word('BANTO_TASK_ID'),
    leaseToken: word('BANTO_LEASE_TOKEN'),
    color: (from.env.NO_COLOR ?? '') === '' && from.env.TERM !== 'dumb',
    debug: from.env.LOG_LEVEL === 'debug',
  };
}

const PLACES = new Set(['BANTO_REPO', 'BANTO_DATA_DIR']);

/** For `banto work`: where the server is, where the clone is, and what the repository wants. */
export function loadWorkConfig(options: LoadOptions = {}): WorkConfig {
  const values = gather(
    sources(options),
    (setting) => setting.client === true || PLACES.has(setting.name),
  );
  return {
    ...loadClientConfig(options),
    repoDir: values.get('BANTO_REPO') as string,
    dataDir: values.isSet('BANTO_DATA_DIR') ? (values.get('BANTO_DATA_DIR') as string) : null,
    check: (values.get('WORK_CHECK') as string | undefined) ?? null,
    hooks: (values.get('WORK_HOOKS') as WorkConfig['hooks'] | undefined) ?? {},
    prices: (values.get('WORK_PRICES') as WorkConfig['prices'] | undefined) ?? {},
  };
}
