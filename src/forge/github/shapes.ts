// GitHub's words for issues, pull requests and reviews, and ours. Text in them is written by strangers.

import type { components } from '@octokit/openapi-types';
import type { Issue, LinkedPull } from '../../core/issue.ts';

type Schemas = components['schemas'];

/** What is read of GitHub's answers; webhooks carry the same with a few fields less. */
export type GithubIssue = Pick<
  Schemas['issue'],
  | 'node_id'
  | 'number'
  | 'title'
  | 'labels'
  | 'state'
  | 'html_url'
  | 'created_at'
  | 'updated_at'
  | 'draft'
> & {
  readonly body?: string | null;
  readonly user: { readonly login: string } | null;
  readonly author_association?: string;
  readonly pull_request?: { readonly merged_at?: string | null };
  readonly issue_dependencies_summary?: { readonly total_blocked_by?: number };
};
export type GithubPull = Pick<
  Schemas['pull-request-simple'],
  'number' | 'title' | 'html_url' | 'created_at' | 'updated_at'
> & {
  readonly body?: string | null;
  readonly state: string;
  readonly draft?: boolean;
  readonly merged_at: string | null;
  readonly closed_at?: string | null;
  readonly user: { readonly login: string } | null;
  readonly author_association?: string;
  readonly labels: readonly { readonly name?: string }[];
  readonly merge_commit_sha?: string | null;
  readonly head: { readonly ref: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly ref: string; readonly repo: { readonly full_name: string } };
};
export type GithubReview = Pick<Schemas['pull-request-review'], 'id' | 'body' | 'state'> & {
  readonly submitted_at?: string;
  readonly author_association: string;
  readonly user: { readonly login: string; readonly type: string } | null;
};
export type GithubReviewComment = Pick<
  Schemas['pull-request-review-comment'],
  'pull_request_review_id' | 'path' | 'body'
> & { readonly line?: number | null };
export type GithubRepository = Pick<
  Schemas['full-repository'],
  'id' | 'full_name' | 'default_branch' | 'archived' | 'has_issues' | 'permissions' | 'private'
>;

export function instantOf(text: string): number {
  return Date.parse(text);
}

export function labelNames(labels: readonly (string | { name?: string })[]): string[] {
  return labels.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? [])));
}

/** Everything of an issue that its own answer says; links, dependencies and trust are added by others. */
export function toIssue(repository: string, from: GithubIssue): Issue {
  return {
    subject: 'issue',
    repository,
    number: from.number,
    title: from.title,
    body: from.body ?? '',
    url: from.html_url,
    labels: labelNames(from.labels),
    state: from.state === 'closed' ? 'closed' : 'open',
    author: from.user?.login ?? null,
    createdAt: instantOf(from.created_at),
    updatedAt: instantOf(from.updated_at),
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
  };
}

/** A pull request as the index keeps it. */
export interface Pull extends LinkedPull {
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly labels: readonly string[];
  readonly draft: boolean;
  /** Its branch is in the repository itself, not in a fork. */
  readonly ownBranch: boolean;
  readonly association: string;
  readonly mergeSha: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export function toPull(from: GithubPull): Pull {
  return {
    number: from.number,
    headBranch: from.head.ref,
    state: from.merged_at === null ? (from.state === 'closed' ? 'closed' : 'open') : 'merged',
    endedAt: typeof from.closed_at === 'string' ? instantOf(from.closed_at) : null,
    author: from.user?.login ?? null,
    decision: null,
    decidedAt: null,
    comments: [],
    title: from.title,
    body: from.body ?? '',
    url: from.html_url,
    labels: labelNames(from.labels),
    draft: from.draft === true,
    ownBranch: from.head.repo?.full_name.toLowerCase() === from.base.repo.full_name.toLowerCase(),
    association: from.author_association ?? 'NONE',
    mergeSha: from.merge_commit_sha ?? null,
    createdAt: instantOf(from.created_at),
    updatedAt: instantOf(from.updated_at),
  };
}

const BELONGS = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Opened from outside by somebody who does not belong to the repository: anybody can, and can write `Closes #7`. */
export function isForeign(pull: Pick<Pull, 'ownBranch' | 'association'>): boolean {
  return !pull.ownBranch && !BELONGS.has(pull.association);
}

export function linkedPull(pull: Pull): LinkedPull {
  const { number, headBranch, state, endedAt, author, decision, decidedAt, comments } = pull;
  const foreign = isForeign(pull) ? ({ foreign: true } as const) : {};
  return { number, headBranch, state, endedAt, author, decision, decidedAt, comments, ...foreign };
}

/** A pull request that nobody opened an issue for; `linked`: it has one, and is reviewed there. */
export function pullItem(repository: string, pull: Pull, linked: boolean): Issue {
  return {
    subject: 'pull_request',
    repository,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    url: pull.url,
    labels: pull.labels,
    state: pull.state === 'open' && !pull.draft && !linked ? 'open' : 'closed',
    author: pull.author,
    createdAt: pull.createdAt,
    updatedAt: pull.updatedAt,
    priority: null,
    blockedBy: [],
    pull: linkedPull(pull),
    problem: null,
  };
}
