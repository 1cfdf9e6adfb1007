// The listing of a repository's issues: how it is asked for, what is kept of it, and how many there are.

import { lastPage, type PageMemory, type RepositoryApi } from '../http/repository-api.ts';
import type { GithubIssue } from '../shapes.ts';

export const LISTING = 'GET /repos/{owner}/{repo}/issues';
export const ALL_OPEN = { state: 'open', sort: 'created', direction: 'asc' } as const;
const PAGES_KEPT = 100;
const COUNTED_MS = 60_000;

/** Only what is read is kept: GitHub's own answers are ten times as long. */
export function trimIssue(from: GithubIssue): GithubIssue {
  const { number, title, labels, state, html_url, created_at, updated_at, body } = from;
  return {
    node_id: from.node_id,
    number,
    title,
    labels: labels.map((label) => (typeof label === 'string' ? label : { name: label.name ?? '' })),
    state,
    html_url,
    created_at,
    updated_at,
    body: body ?? null,
    user: from.user === null ? null : { login: from.user.login },
    ...(from.draft === undefined ? {} : { draft: from.draft }),
    ...(from.author_association === undefined
      ? {}
      : { author_association: from.author_association }),
    ...(from.pull_request === undefined
      ? {}
      : { pull_request: { merged_at: from.pull_request.merged_at ?? null } }),
    ...(from.issue_dependencies_summary === undefined
      ? {}
      : { issue_dependencies_summary: from.issue_dependencies_summary }),
  };
}

export function createPageMemory(): PageMemory<GithubIssue> {
  return { kept: new Map(), trim: trimIssue, most: PAGES_KEPT };
}

/** How many are open, counted by a page of one. */
export function createOpenCount(api: RepositoryApi, now: () => number): () => Promise<number> {
  let counted: { count: number; etag: string; at: number } | null = null;

  /** Asked conditionally in between, which costs nothing; the ETag may not cover the count, so not for long. */
  async function countOpen(): Promise<number> {
    const etag = counted !== null && now() - counted.at < COUNTED_MS ? counted.etag : null;
    const answer = await api.ifChanged<GithubIssue[]>(LISTING, etag, {
      state: 'open',
      per_page: 1,
    });
    if (answer === null && counted !== null) return counted.count;
    const count = answer === null ? 0 : (lastPage(answer.headers) ?? answer.data.length);
    counted = { count, etag: String(answer?.headers['etag'] ?? ''), at: now() };
    return count;
  }

  return countOpen;
}
