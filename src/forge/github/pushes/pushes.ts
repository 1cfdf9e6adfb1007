// Pushes to the default branch as items of their own: each is reviewed once. GitHub gives them no number; one is
// made of the commit, far above any issue's.

import type { Issue } from '../../../core/issue.ts';
import { instantOf } from '../shapes.ts';

const FIRST_NUMBER = 100_000_000_000_000;
const DIGITS = 11;
const NOTHING = /^0+$/;

export interface GithubPush {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly compare?: string;
  readonly created?: boolean;
  readonly deleted?: boolean;
  readonly forced?: boolean;
  readonly pusher?: { readonly name?: string };
  readonly sender?: { readonly login?: string };
  readonly head_commit?: { readonly message?: string; readonly timestamp?: string } | null;
  readonly commits?: readonly { readonly id: string; readonly message: string }[];
}

export function isPushNumber(number: number): boolean {
  return number >= FIRST_NUMBER;
}

function pushNumber(sha: string): number {
  return FIRST_NUMBER + Number.parseInt(sha.slice(0, DIGITS), 16);
}

export function shaOf(number: number): string {
  return (number - FIRST_NUMBER).toString(16).padStart(DIGITS, '0');
}

const MOST_COMMITS = 50;

/** Null: nothing to review (a branch that was made or removed, another branch). */
export function pushItem(
  repository: string,
  push: GithubPush,
  defaultBranch: string,
  now: number,
): Issue | null {
  const branch = push.ref.replace(/^refs\/heads\//, '');
  if (branch !== defaultBranch || NOTHING.test(push.before) || NOTHING.test(push.after))
    return null;
  const at = instantOf(push.head_commit?.timestamp ?? '') || now;
  const commits = (push.commits ?? []).slice(0, MOST_COMMITS);
  return {
    subject: 'push',
    repository,
    number: pushNumber(push.after),
    title: `Push to ${branch}: ${(push.head_commit?.message ?? '').split('\n')[0]?.slice(0, 200) ?? ''}`,
    body: commits
      .map(({ id, message }) => `- ${id.slice(0, 12)} ${message.split('\n')[0] ?? ''}`)
      .join('\n'),
    url: push.compare ?? '',
    labels: [],
    state: 'open',
    author: push.sender?.login ?? push.pusher?.name ?? null,
    createdAt: at,
    updatedAt: at,
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
  };
}

interface GithubCommit {
  readonly sha: string;
  readonly html_url: string;
  readonly author: { readonly login: string } | null;
  readonly commit: {
    readonly message: string;
    readonly committer: { readonly date?: string } | null;
  };
}

/** The same item from the commit alone: after a restart, or where no delivery told of it. */
export function commitItem(
  repository: string,
  commit: GithubCommit,
  branch: string,
  before = commit.sha,
): Issue {
  const timestamp = commit.commit.committer?.date ?? '';
  const { message } = commit.commit;
  const push: GithubPush = {
    ref: `refs/heads/${branch}`,
    before,
    after: commit.sha,
    compare:
      before === commit.sha
        ? commit.html_url
        : commit.html_url.replace(/\/commit\/\w+$/, `/compare/${before}...${commit.sha}`),
    ...(commit.author === null ? {} : { sender: { login: commit.author.login } }),
    head_commit: { message, timestamp },
    commits: [{ id: commit.sha, message }],
  };
  const item = pushItem(repository, push, branch, instantOf(timestamp));
  if (item === null) throw new Error(`${commit.sha} is no commit.`);
  return item;
}

export type { GithubCommit };
