// Hashes as Redis has them, and the core's words for them. An empty text stands for null.

import type { Fact, FactBody } from '../../core/facts.ts';
import type { Issue, StoredIssue } from '../../core/issue.ts';
import type { LedgerByKind, Write } from '../../core/store.ts';
import type {
  Attempt,
  AttemptOutcome,
  Lease,
  Task,
  TaskKind,
  TaskResult,
  TaskState,
} from '../../core/task.ts';

export type Row = ReadonlyMap<string, string>;

export function toRow(flat: unknown): Row {
  const list = (flat ?? []) as readonly string[];
  const row = new Map<string, string>();
  for (let n = 0; n + 1 < list.length; n += 2) row.set(list[n] ?? '', list[n + 1] ?? '');
  return row;
}

/** What a task or an issue is to scripts: the JSON text in the field `record` of its hash. */
export type Fields = Readonly<Record<string, string | undefined>>;

export function toFields(json: unknown): Fields {
  return JSON.parse(String(json)) as Fields;
}

const textOf = (fields: Fields, name: string): string => fields[name] ?? '';
const orNull = (fields: Fields, name: string): string | null => fields[name] || null;
const numberOf = (fields: Fields, name: string): number => Number(fields[name] || 0);

function numberOrNull(fields: Fields, name: string): number | null {
  const value = fields[name];
  return value === undefined || value === '' ? null : Number(value);
}

export function strings(json: string | undefined): string[] {
  return json === undefined || json === '' ? [] : (JSON.parse(json) as string[]);
}

/** Labels as scripts keep them: a text that they compare before they look inside. */
export function fromLabels(labels: readonly string[]): string {
  return JSON.stringify(labels);
}

export function fromLedger({ implement, review, fix }: LedgerByKind): Record<TaskKind, string> {
  return { implement: fromLabels(implement), review: fromLabels(review), fix: fromLabels(fix) };
}

export function toLease(row: Fields): Lease | null {
  if (textOf(row, 'state') !== 'leased') return null;
  return {
    agentId: textOf(row, 'lease_agent'),
    token: textOf(row, 'lease_token'),
    fence: numberOf(row, 'fence'),
    seconds: numberOf(row, 'lease_seconds'),
    leasedAt: numberOf(row, 'leased_at'),
    expiresAt: numberOf(row, 'lease_expires_at'),
    requestId: orNull(row, 'lease_request'),
  };
}

function toResult(row: Row): TaskResult | null {
  if (row.size === 0) return null;
  return {
    agentId: row.get('agent') ?? '',
    summary: JSON.parse(row.get('summary') ?? 'null') as string | null,
    verdict: JSON.parse(row.get('verdict') ?? 'null') as TaskResult['verdict'],
    comments: strings(row.get('comments')),
    at: Number(row.get('at')),
  };
}

export function toTask(row: Fields, result: Row): Task {
  return {
    id: textOf(row, 'id'),
    repository: textOf(row, 'repository'),
    number: numberOf(row, 'number'),
    kind: textOf(row, 'kind') as TaskKind,
    round: numberOf(row, 'round'),
    state: textOf(row, 'state') as TaskState,
    reason: orNull(row, 'reason'),
    priority: numberOf(row, 'priority'),
    attempts: numberOf(row, 'attempts'),
    fence: numberOf(row, 'fence'),
    enqueuedAt: numberOrNull(row, 'enqueued_at'),
    readyAt: numberOrNull(row, 'ready_at'),
    lease: toLease(row),
    authors: strings(row['authors']),
    onlyAgent: orNull(row, 'only_agent'),
    opensAt: numberOrNull(row, 'opens_at'),
    branch: textOf(row, 'branch'),
    prNumber: numberOrNull(row, 'pr_number'),
    reviewComments: strings(row['review_comments']),
    result: toResult(result),
    used: null,
    limits: null,
    questions: [],
    createdAt: numberOf(row, 'created_at'),
    updatedAt: numberOf(row, 'updated_at'),
    endedAt: numberOrNull(row, 'ended_at'),
  };
}

interface Begun {
  agentId: string;
  fence: number;
  branch: string;
  startedAt: number;
}

/** One `attempt:<fence>`, and once it ended `end:<fence>`, for each lease; oldest first. */
export function toAttempts(row: Row): Attempt[] {
  const attempts: Attempt[] = [];
  for (const [name, value] of row) {
    if (!name.startsWith('attempt:')) continue;
    const fence = name.slice('attempt:'.length);
    const begun = JSON.parse(value) as Begun;
    const end = row.get(`end:${fence}`) ?? '';
    const split = end.indexOf(' ');
    const ended =
      split < 0 ? null : (JSON.parse(end.slice(split)) as { endedAt: number; note: string | null });
    attempts.push({
      agentId: begun.agentId,
      fence: begun.fence,
      branch: begun.branch,
      startedAt: begun.startedAt,
      endedAt: ended?.endedAt ?? null,
      outcome: ended === null ? null : (end.slice(0, split) as AttemptOutcome),
      note: ended?.note ?? null,
      progress: strings(row.get(`progress:${fence}`)),
      usage: null,
    });
  }
  return attempts.sort((one, other) => one.fence - other.fence);
}

export function toIssue(status: Fields, picture: string): StoredIssue {
  return {
    ...(JSON.parse(picture) as Issue),
    wanted: strings(status['wanted']),
    written: strings(status['written']),
    writtenAt: numberOrNull(status, 'written_at'),
    seenAt: numberOf(status, 'seen_at'),
  };
}

interface Entry {
  id: string;
  type: Write['type'];
  repository: string;
  number: number;
  task_id?: string;
  fence?: string;
  branch?: string;
  event?: string;
  version: number;
  attempts: number;
}

export function toWrite(json: string): Write {
  const entry = JSON.parse(json) as Entry;
  return {
    id: entry.id,
    type: entry.type,
    repository: entry.repository,
    number: entry.number,
    taskId: entry.task_id ?? null,
    fence: entry.fence === undefined ? null : Number(entry.fence),
    branch: entry.branch ?? null,
    event: entry.event ?? null,
    version: entry.version,
    attempts: entry.attempts,
  };
}

export interface StreamEntry {
  readonly fact: Fact;
  /** `from to kind priority priority seq`, where a task changed its state or priority. */
  readonly shift: string;
}

/** An entry of the stream of facts: `0-<seq>`, and its fields. */
export function toEntry([id, fields]: [string, string[]]): StreamEntry {
  const row = toRow(fields);
  const body = JSON.parse(row.get('body') ?? '{}') as FactBody;
  return {
    fact: { seq: Number(id.slice(2)), at: Number(row.get('at')), ...body },
    shift: row.get('shift') ?? '',
  };
}
