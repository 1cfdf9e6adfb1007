// Every key there is, from one place: `{namespace}:{component}:{type}:{identifier}`. Patterns that end in
// a placeholder are the beginnings of keys; scripts and reads append the identifier.

import { BantoError } from '../../core/errors.ts';
import type { TaskName } from '../../core/task.ts';

/** Name → pattern without the namespace. `docs/redis-keys.md` lists each with type, content and TTL. */
export const KEY_PATTERNS = {
  meta: 'meta',
  facts: 'facts',
  facts_projected: 'facts:projected',
  rows: 'rows',
  issue_status: 'issue:status:{id}',
  issue_metadata: 'issue:metadata:{id}',
  issues_pictures: 'issues:pictures',
  issues_processing: 'issues:processing',
  issues_completed: 'issues:completed:{date}',
  issues_open: 'issues:open:{repository}',
  issues_closed: 'issues:closed',
  issues_dependents: 'issues:dependents:{repository}:{number}',
  lock_issue: 'lock:issue:{id}',
  lock_process: 'lock:process:{name}',
  queue_high: 'queue:high',
  queue_normal: 'queue:normal',
  queue_low: 'queue:low',
  queue_delayed: 'queue:delayed',
  queue_opening: 'queue:opening',
  queue_heads: 'queue:heads',
  queue_corrupt: 'queue:corrupt',
  queue_counts: 'queue:counts',
  queue_buckets: 'queue:buckets',
  queue_bucket: 'queue:bucket:{number}',
  leases: 'leases:deadline',
  labels_uses: 'labels:uses',
  labels_learned: 'labels:learned',
  labels_learning: 'labels:learning',
  labels_issues: 'labels:issues:{label}',
  task_info: 'task:info:{id}',
  task_history: 'task:history:{id}',
  task_result: 'task:result:{id}',
  task_log: 'task:log:{id}',
  tasks_all: 'tasks:all',
  tasks_state: 'tasks:state:{state}',
  tasks_results: 'tasks:results',
  review_delay: 'review:delay:{id}',
  ticket_data: 'ticket:data:{id}',
  tickets_index: 'tickets:index',
  tickets_pending: 'tickets:pending',
  tickets_agent: 'tickets:agent:{agent}',
  process_info: 'process:info:{agent}',
  process_heartbeat: 'process:heartbeat:{agent}',
  process_tasks: 'process:tasks:{agent}',
  process_holds: 'process:holds',
  processes_active: 'processes:active',
  processes_known: 'processes:known',
  processes_zombies: 'processes:zombies',
  outbox_due: 'outbox:due',
  pace_state: 'pace:state:{forge}',
  stats_daily: 'stats:issues:daily:{date}',
  stats_hourly: 'stats:performance:hourly',
  metrics_cpu: 'metrics:cpu:current',
  metrics_memory: 'metrics:memory:history',
  config: 'config:{component}:{name}',
  flags: 'flags:{name}',
  flags_maintenance: 'flags:maintenance',
  maintenance_paused: 'maintenance:paused',
  setting: 'setting:{name}',
  settings_names: 'settings:names',
  channel_events: 'channel:events:issue:status',
  channel: 'channel:{agent}:{direction}',
} as const;

type KeyName = keyof typeof KEY_PATTERNS;

/** As in a configuration file; with or without the namespace in front. */
export interface KeyPatterns {
  /** Ends in `{number}`; `{type}` is `status` or `metadata`. */
  readonly issue?: string;
  /** Ends in `{id}`; `{type}` is `info`, `heartbeat` or `tasks`. */
  readonly process?: string;
  /** Ends in `{priority}`: `high`, `normal`, `low` or `delayed`. */
  readonly queue?: string;
  /** Ends in `:{date}`; with `{category}` and `{period}`. */
  readonly stats?: string;
  /** Ends in `{type}`, which is `issue:status`. */
  readonly events?: string;
}

export interface KeyOptions {
  readonly namespace: string;
  /** Cluster: the namespace becomes a hash tag, so that every key lives in one slot. */
  readonly hashTag?: boolean;
  readonly patterns?: KeyPatterns;
}

export interface Keys {
  /** With the colon that follows it. */
  readonly prefix: string;
  /** The key, or the beginning of the keys, with this name. */
  readonly at: Readonly<Record<KeyName, string>>;
  readonly setting: (name: string) => string;
}

const NAMESPACE = /^[A-Za-z0-9._-]+(?::[A-Za-z0-9._-]+)*$/;

function refuse(name: string, pattern: string, must: string): never {
  const problem = `The key pattern ${name} is "${pattern}", but must ${must}.`;
  throw new BantoError('misconfigured', problem);
}

/** The patterns of the default table, changed where the configuration says so. */
function configured(patterns: KeyPatterns, namespace: string): Record<KeyName, string> {
  const names: Record<KeyName, string> = { ...KEY_PATTERNS };
  const read = (name: keyof KeyPatterns, end: string): string | null => {
    const pattern = patterns[name];
    if (pattern === undefined) return null;
    if (!pattern.endsWith(end)) refuse(name, pattern, `end in ${end}`);
    return pattern.startsWith(`${namespace}:`) ? pattern.slice(namespace.length + 1) : pattern;
  };
  const issue = read('issue', '{number}');
  if (issue !== null) {
    if (!issue.includes('{type}')) refuse('issue', issue, 'contain {type}');
    names.issue_status = issue.replace('{type}', 'status');
    names.issue_metadata = issue.replace('{type}', 'metadata');
  }
  const process = read('process', '{id}');
  if (process !== null) {
    if (!process.includes('{type}')) refuse('process', process, 'contain {type}');
    names.process_info = process.replace('{type}', 'info');
    names.process_heartbeat = process.replace('{type}', 'heartbeat');
    names.process_tasks = process.replace('{type}', 'tasks');
  }
  const queue = read('queue', '{priority}');
  if (queue !== null) {
    for (const name of ['high', 'normal', 'low', 'delayed'] as const) {
      names[`queue_${name}`] = queue.replace('{priority}', name);
    }
  }
  const stats = read('stats', ':{date}');
  if (stats !== null) {
    const named = (category: string, period: string) =>
      stats.replace('{category}', category).replace('{period}', period);
    names.stats_daily = named('issues', 'daily');
    names.stats_hourly = named('performance', 'hourly').replace(':{date}', '');
  }
  const events = read('events', '{type}');
  if (events !== null) names.channel_events = events.replace('{type}', 'issue:status');
  return names;
}

export function createKeys({ namespace, hashTag = false, patterns = {} }: KeyOptions): Keys {
  if (!NAMESPACE.test(namespace)) {
    throw new BantoError(
      'misconfigured',
      `REDIS_NAMESPACE is "${namespace}", but must be letters, digits, dots, underscores and hyphens, in parts divided by colons.`,
    );
  }
  const prefix = hashTag ? `{${namespace}}:` : `${namespace}:`;
  const names = Object.entries(configured(patterns, namespace));
  const at = Object.fromEntries(
    // Everything from the first placeholder on is the identifier.
    names.map(([name, pattern]) => [name, prefix + pattern.replace(/\{.*$/, '')]),
  ) as Record<KeyName, string>;
  const twins = Object.values(at).filter((key, index, all) => all.indexOf(key) !== index);
  if (twins.length > 0) {
    throw new BantoError('misconfigured', `Two kinds of keys would share ${twins[0]}.`);
  }
  return {
    prefix,
    at,
    setting: (name) =>
      /^(config|flags):/.test(name) ? `${prefix}${name}` : `${at.setting}${name}`,
  };
}

/**
 * Identifiers in keys. The first repository of a namespace has plain numbers (`issue:status:7`); every
 * other one carries its name (`issue:status:owner~repo~7`). Which one is first, the store remembers.
 */
export function createIdentifiers(home: () => string) {
  const issueId = (repository: string, number: number): string =>
    repository === home() ? String(number) : `${repository.replace('/', '~')}~${number}`;
  const ownId = ({ repository, number, kind, round }: TaskName): string =>
    `${issueId(repository, number)}:${kind}.${round}`;
  return {
    issueId,
    /** The first implement task has the issue's own lock; a review of the same issue has its own lease. */
    lock: (task: TaskName): string =>
      task.kind === 'implement' && task.round === 1
        ? issueId(task.repository, task.number)
        : ownId(task),
    delay: (task: TaskName): string =>
      task.round === 1 ? issueId(task.repository, task.number) : ownId(task),
  };
}

export type Identifiers = ReturnType<typeof createIdentifiers>;
