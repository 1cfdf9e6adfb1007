// The rules that tie settings together, and the object the server is built from.

import { basename, join } from 'node:path';
import type { Policy } from '../core/settings.ts';
import { chooseForge } from './choose-forge.ts';
import { refuseForeignAddress, WAYS } from './found-file.ts';
import { repositoryRoot } from './here.ts';
import { storeOf } from './redis-rules.ts';
import type { Config, GithubForgeConfig, LogFormat, LogLevel } from './shape.ts';
import { misconfigured, type Values } from './sources.ts';

const APP = ['GITHUB_APP_ID', 'GITHUB_APP_PRIVATE_KEY', 'GITHUB_INSTALLATION_ID'];

function githubAuth(values: Values): GithubForgeConfig['auth'] | null {
  const set = APP.filter((name) => values.isSet(name));
  const missing = APP.find((name) => !values.isSet(name));
  const [first] = set;
  if (first !== undefined && values.isSet('GITHUB_TOKEN')) {
    throw misconfigured(
      `GITHUB_TOKEN and ${first} are both set; a GitHub App is used instead of a token, so remove one of them.`,
    );
  }
  if (first !== undefined && missing !== undefined) {
    throw misconfigured(
      `${first} is set (${values.origin(first)}) but ${missing} is not; a GitHub App needs ${APP.join(', ')}.`,
    );
  }
  if (first !== undefined) {
    return {
      kind: 'app',
      appId: values.get('GITHUB_APP_ID') as number,
      privateKey: values.get('GITHUB_APP_PRIVATE_KEY') as string,
      installationId: values.get('GITHUB_INSTALLATION_ID') as number,
    };
  }
  const token = values.get('GITHUB_TOKEN');
  return typeof token === 'string' ? { kind: 'token', token } : null;
}

/** A folder inside the repository means the repository: there is only one backlog in it. */
function repoDirOf(values: Values, cwd: string): string {
  if (values.isSet('BANTO_REPO')) return values.get('BANTO_REPO') as string;
  return repositoryRoot(cwd) ?? cwd;
}

function forgeOf(values: Values, place: Place, kind: Config['forge']['kind']): Config['forge'] {
  if (kind === 'local') {
    return {
      kind,
      repoDir: repoDirOf(values, place.cwd),
      backlogDir: values.get('BACKLOG_DIR') as string,
    };
  }
  const auth = githubAuth(values);
  const repositories = values.get('GITHUB_REPOSITORY') as readonly string[] | undefined;
  if (repositories === undefined) {
    const name = values.isSet('FORGE') ? 'FORGE' : 'GITHUB_APP_ID';
    const is = name === 'FORGE' ? 'is github' : 'is set';
    throw misconfigured(
      `${name} ${is} (${values.origin(name)}) but GITHUB_REPOSITORY is not set; set it to owner/repo, or set FORGE=local for the local backlog.`,
    );
  }
  if (auth === null) {
    throw misconfigured(
      `GITHUB_REPOSITORY is set (${values.origin('GITHUB_REPOSITORY')}) but GITHUB_TOKEN is not; set both for GitHub, or set FORGE=local for the local backlog.`,
    );
  }
  refuseForeignAddress(values, WAYS.github);
  return {
    kind,
    repositories,
    auth,
    apiUrl: values.get('GITHUB_API_URL') as string,
    webhookSecret: (values.get('GITHUB_WEBHOOK_SECRET') as string | undefined) ?? null,
    reviewPushes: values.get('REVIEW_PUSHES') as boolean,
    trustedOnly: values.get('TRUSTED_ONLY') as boolean,
    writes: {
      perMinute: values.get('GITHUB_WRITES_PER_MINUTE') as number,
      burst: values.get('GITHUB_WRITE_BURST') as number,
    },
  };
}

function policyOf(values: Values): Policy {
  const whole = (name: string) => values.get(name) as number;
  const limit = (name: string) => (values.get(name) as number | null | undefined) ?? null;
  const words = (name: string) => values.get(name) as readonly string[];
  return {
    leaseSeconds: whole('LEASE_SECONDS'),
    reviewDelaySeconds: whole('REVIEW_DELAY_SECONDS'),
    ticketTtlSeconds: whole('TICKET_TTL_SECONDS'),
    maxAttempts: whole('MAX_ATTEMPTS'),
    maxReviewRounds: whole('MAX_REVIEW_ROUNDS'),
    authorFirstSeconds: whole('AUTHOR_FIRST_SECONDS'),
    excludedLabels: words('EXCLUDED_LABELS'),
    requireDeliverables: values.get('REQUIRE_DELIVERABLES') as boolean,
    deliverablesHeadings: words('DELIVERABLES_HEADINGS'),
    priorityLabels: {
      high: words('PRIORITY_LABELS_HIGH'),
      normal: words('PRIORITY_LABELS_NORMAL'),
      low: words('PRIORITY_LABELS_LOW'),
    },
    adoptSeconds: whole('ADOPT_SECONDS'),
    maxWaiting: whole('MAX_WAITING'),
    maxWaitingPerAgent: whole('MAX_WAITING_PER_AGENT'),
    historyDays: whole('HISTORY_DAYS'),
    askSeconds: whole('ASK_SECONDS'),
    maxCostPerTaskUsd: limit('MAX_COST_PER_TASK_USD'),
    maxTokensPerTask: limit('MAX_TOKENS_PER_TASK'),
    maxCostPerDayUsd: limit('MAX_COST_PER_DAY_USD'),
    maxCostPerAgentDayUsd: limit('MAX_COST_PER_AGENT_DAY_USD'),
  };
}

/** Literal loopback addresses and `localhost`; any other name may stand for an address others can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}

/** The data of a repository lies in it, from whichever of its folders Banto is started. */
function dataDirOf(values: Values, forge: Config['forge']): string {
  const given = values.get('BANTO_DATA_DIR') as string;
  if (values.isSet('BANTO_DATA_DIR') || forge.kind !== 'local') return given;
  return join(forge.repoDir, basename(given));
}

/** A checkout brings its prompts along; GitHub's repositories have none here. */
function promptsOf(values: Values, forge: Config['forge']): NonNullable<Config['prompts']> | null {
  if (values.isSet('PROMPTS_DIR'))
    return { path: values.get('PROMPTS_DIR') as string, isNamed: true };
  if (forge.kind !== 'local') return null;
  return { path: join(forge.repoDir, '.banto', 'prompts'), isNamed: false };
}

export interface Place {
  readonly cwd: string;
  /** GitHub sets GITHUB_TOKEN and GITHUB_REPOSITORY in every codespace: there they say nothing. */
  readonly codespace: boolean;
}

function notifyOf(values: Values): Pick<Config, 'notify'> {
  const url = values.get('NOTIFY_URL') as string | undefined;
  if (url === undefined) return {};
  refuseForeignAddress(values, WAYS.notify);
  return { notify: { url, secret: (values.get('NOTIFY_SECRET') as string | undefined) ?? null } };
}

export function rules(values: Values, place: Place): Config {
  const host = values.get('BROKER_HOST') as string;
  const { kind, reason } = chooseForge(values, place.codespace);
  const forge = forgeOf(values, place, kind);
  return {
    host,
    port: values.get('BROKER_PORT') as number,
    tokensRequired: !isLoopback(host) || values.get('REQUIRE_TOKENS') === true,
    allowedHosts: values.get('ALLOWED_HOSTS') as readonly string[],
    logLevel: values.get('LOG_LEVEL') as LogLevel,
    ...(values.isSet('LOG_FORMAT') ? { logFormat: values.get('LOG_FORMAT') as LogFormat } : {}),
    ...notifyOf(values),
    dataDir: dataDirOf(values, forge),
    forge,
    forgeReason: reason,
    store: storeOf(values),
    policy: policyOf(values),
    prompts: promptsOf(values, forge),
  };
}
