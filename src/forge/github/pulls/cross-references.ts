// Pull requests that speak of an issue somewhere else than in their own text: in a comment, in a commit. Asked for
// only where a review is wanted and nothing else links one.

import { NEEDS_REVIEW } from '../../../core/ledger.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import { type GithubIssue, labelNames } from '../shapes.ts';

interface TimelineEvent {
  readonly event?: string;
  readonly source?: {
    readonly issue?: {
      readonly number: number;
      readonly pull_request?: object;
      readonly repository_url?: string;
    };
  };
}

/** A mention does not change the issue it speaks of: what was found is asked for again after this time. */
const REMEMBERED_MS = 600_000;

export interface CrossReferences {
  of(from: GithubIssue): Promise<readonly number[]>;
  forget(number: number): void;
}

export function createCrossReferences(api: RepositoryApi, now: () => number): CrossReferences {
  const cached = new Map<number, { key: string; at: number; numbers: readonly number[] }>();

  async function read(number: number): Promise<number[]> {
    const { full_name } = await api.about();
    const own = `/repos/${full_name.toLowerCase()}`;
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/timeline';
    const numbers = new Set<number>();
    for await (const page of api.pages<TimelineEvent>(route, { issue_number: number })) {
      for (const { event, source } of page) {
        const from = source?.issue;
        if (event !== 'cross-referenced' || from?.pull_request === undefined) continue;
        if (from.repository_url?.toLowerCase().endsWith(own) === true) numbers.add(from.number);
      }
    }
    return [...numbers];
  }

  return {
    forget: (number) => void cached.delete(number),
    async of(from) {
      const wanted = labelNames(from.labels).some((name) => name.toLowerCase() === NEEDS_REVIEW);
      if (from.state !== 'open' || !wanted) return [];
      const before = cached.get(from.number);
      if (before?.key === from.updated_at && now() - before.at < REMEMBERED_MS)
        return before.numbers;
      const numbers = await read(from.number);
      cached.set(from.number, { key: from.updated_at, at: now(), numbers });
      return numbers;
    },
  };
}
