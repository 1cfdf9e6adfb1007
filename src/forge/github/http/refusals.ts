// What GitHub's refusals mean: for good (a word for `held`), for a while, or a mishap that is tried again.

import { RequestError } from '@octokit/request-error';
import { ForgeBusy, ForgeRefused } from '../../../core/forge.ts';
import { Moved } from './client.ts';

export type Writing = 'branch' | 'labels' | 'comment' | 'pull';

const TOO_QUICK_MS = 60_000;

/** What GitHub says in a 422 differs by what was written, and by nothing but its words. */
const REFUSED: Readonly<Record<Writing, readonly (readonly [RegExp, string])[]>> = {
  branch: [
    [/not a valid ref|valid ref name|three slash/i, 'invalid_branch'],
    [/reference update failed|cannot lock ref/i, 'branch_conflict'],
    [/rule violations|restricted|protected/i, 'branch_forbidden'],
    [/.*/s, 'branch_refused'],
  ],
  labels: [
    [/"resource":"Label"|name is too long/i, 'label_refused'],
    [/"field":"labels"/i, 'too_many_labels'],
    [/.*/s, 'label_refused'],
  ],
  comment: [[/.*/s, 'comment_refused']],
  pull: [
    [/no commits between/i, 'no_commits'],
    [/.*/s, 'pull_refused'],
  ],
};

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/archived/i, 'archived'],
  [/locked/i, 'locked'],
];

function wordFor(message: string, table: readonly (readonly [RegExp, string])[]): string | null {
  return table.find(([pattern]) => pattern.test(message))?.[1] ?? null;
}

function reasonOf(status: number, message: string, writing: Writing): string | null {
  if (status === 404 || status === 410 || status === 451) return 'gone';
  if (status === 403) return wordFor(message, FORBIDDEN) ?? 'no_permission';
  if (status === 409 && /empty/i.test(message)) return 'empty_repository';
  if (status === 422) return wordFor(message, REFUSED[writing]);
  return null;
}

/** The status that GitHub answered with; null: it was not GitHub's answer that failed. */
export function statusOf(error: unknown): number | null {
  return error instanceof RequestError ? error.status : null;
}

export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  const status = statusOf(error);
  return status !== null && statuses.includes(status);
}

/** The error as the outbox understands it; what is not a refusal stays as it is and is tried again. */
export function refusalOf(error: unknown, writing: Writing): unknown {
  if (error instanceof ForgeBusy || error instanceof ForgeRefused) return error;
  if (error instanceof Moved) {
    return new ForgeRefused('gone', 'The issue was moved to another repository.', { cause: error });
  }
  if (!(error instanceof RequestError)) return error;
  const message = error.message.slice(0, 300);
  if (error.status === 422 && /submitted too quickly/i.test(message)) {
    return new ForgeBusy(TOO_QUICK_MS, `GitHub asked for patience: ${message}`, { cause: error });
  }
  if (error.status === 401) {
    return new Error('GitHub does not accept the credentials any more (401).', { cause: error });
  }
  const reason = reasonOf(error.status, message, writing);
  if (reason === null) return error;
  return new ForgeRefused(reason, `GitHub refused (${error.status}): ${message}`, { cause: error });
}
