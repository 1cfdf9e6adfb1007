// The rules that tie settings together, and the object the server is built from.

import { join } from 'node:path';
import type { Config, GithubForgeConfig, LogLevel } from '../config.ts';
import type { Policy } from '../core/settings.ts';
import { storeOf } from './redis-rules.ts';
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

function forgeOf(values: Values): Config['forge'] {
  const auth = githubAuth(values);
  const repositories = values.get('GITHUB_REPOSITORY') as readonly string[] | undefined;
  if (auth !== null && repositories === undefined) {
    const name = auth.kind === 'token' ? 'GITHUB_TOKEN' : 'GITHUB_APP_ID';
    throw misconfigured(
      `${name} is set (${values.origin(name)}) but GITHUB_REPOSITORY is not; set both for GitHub, or neither for the local backlog.`,
    );
  }
  if (auth === null && repositories !== undefined) {
    throw misconfigured(
      `GITHUB_REPOSITORY is set (${values.origin('GITHUB_REPOSITORY')}) but GITHUB_TOKEN is not; set both for GitHub, or neither for the local backlog.`,
    );
  }
  if (auth === null || repositories === undefined) {
    return {
      kind: 'local',
      repoDir: values.get('BANTO_REPO') as string,
      backlogDir: values.get('BACKLOG_DIR') as string,
    };
  }
  return {
    kind: 'github',
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
  };
}

/** Literal loopback addresses and `localhost`; any other name may stand for an address others can reach. */
function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare);
}

/** The data of a repository lies in it, from whatever folder a command is started. */
function dataDirOf(values: Values, forge: Config['forge']): string {
  const set = values.get('BANTO_DATA_DIR') as string;
  return values.isSet('BANTO_DATA_DIR') || forge.kind !== 'local'
    ? set
    : join(forge.repoDir, '.banto');
}

export function rules(values: Values): Config {
  const host = values.get('BROKER_HOST') as string;
  const forge = forgeOf(values);
  return {
    host,
    port: values.get('BROKER_PORT') as number,
    tokensRequired: !isLoopback(host),
    allowedHosts: values.get('ALLOWED_HOSTS') as readonly string[],
    logLevel: values.get('LOG_LEVEL') as LogLevel,
    dataDir: dataDirOf(values, forge),
    forge,
    store: storeOf(values),
    policy: policyOf(values),
  };
}
