// Reads pull requests and people's reviews of them into the index, no more often than they change.

import { createBoundedMap } from '../bounded-map.ts';
import { hasStatus } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import {
  type GithubPull,
  type GithubReview,
  type GithubReviewComment,
  instantOf,
  type Pull,
  toPull,
} from '../shapes.ts';
import { decide } from './decision.ts';
import type { PullIndex } from './pull-index.ts';

/** Recently closed ones are read at the start, so that a round they ended meanwhile ends here too. */
const CLOSED_PAGES = 2;
const CONFIRMED_KEPT = 2000;

export interface Pulls {
  /** All open ones and the last closed ones. */
  readAll(): Promise<void>;
  /** Answers with the issues that it may have changed. */
  read(number: number): Promise<number[]>;
  /** Takes one from a delivery; an older version is left aside, `unclear` asks for it to be read. */
  take(from: GithubPull): number[] | 'unclear';
  /** Asks for the reviews of this one at the next occasion. */
  doubt(number: number): void;
  /** Reads the reviews of at most so many; answers with the issues that they may have changed. */
  readReviews(most: number): Promise<number[]>;
  unread(): number;
}

export function createPulls(api: RepositoryApi, index: PullIndex): Pulls {
  // Newest first: those are what people speak about now.
  const unread = new Set<number>();
  const confirmed = createBoundedMap<number, number>(CONFIRMED_KEPT);

  /** A new version keeps the decision that was read before, until the reviews are read again. */
  function keep(pull: Pull): number[] {
    const before = index.get(pull.number);
    if (before !== undefined && before.updatedAt > pull.updatedAt) return [];
    if (pull.state === 'open' && before?.updatedAt !== pull.updatedAt) unread.add(pull.number);
    const decided = before ?? pull;
    const { decision, decidedAt, comments } = decided;
    return index.put({ ...pull, decision, decidedAt, comments });
  }

  async function readDecision(number: number): Promise<number[]> {
    const pull = index.get(number);
    if (pull === undefined || pull.state !== 'open') return [];
    const reviews: GithubReview[] = [];
    const comments: GithubReviewComment[] = [];
    const parameters = { pull_number: number };
    const one = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
    for await (const page of api.pages<GithubReview>(`${one}/reviews`, parameters))
      reviews.push(...page);
    if (decide(reviews, [], pull.author).decision === 'changes_requested') {
      for await (const page of api.pages<GithubReviewComment>(`${one}/comments`, parameters)) {
        comments.push(...page);
      }
    }
    const current = index.get(number) ?? pull;
    return index.put({ ...current, ...decide(reviews, comments, pull.author) });
  }

  return {
    async readAll() {
      const route = 'GET /repos/{owner}/{repo}/pulls';
      for await (const page of api.pages<GithubPull>(route, { state: 'open' })) {
        for (const pull of page) keep(toPull(pull));
      }
      let pages = 0;
      const closed = { state: 'closed', sort: 'updated', direction: 'desc' };
      for await (const page of api.pages<GithubPull>(route, closed)) {
        for (const pull of page) keep(toPull(pull));
        pages += 1;
        if (pages >= CLOSED_PAGES) break;
      }
    },
    async read(number) {
      try {
        const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}';
        const { data, headers } = await api.request<GithubPull>(route, { pull_number: number });
        const pull = toPull(data);
        // Its second has passed: no other version can carry this instant.
        if (instantOf(String(headers['date'])) > pull.updatedAt) {
          confirmed.set(number, pull.updatedAt);
        }
        return keep(pull);
      } catch (error) {
        if (hasStatus(error, 404, 410)) return [];
        throw error;
      }
    },
    take(from) {
      const pull = toPull(from);
      const before = index.get(pull.number);
      if (before?.updatedAt !== pull.updatedAt) return keep(pull);
      const { decision, decidedAt, comments } = before;
      const same =
        JSON.stringify({ ...pull, decision, decidedAt, comments }) === JSON.stringify(before);
      return same || confirmed.get(pull.number) === pull.updatedAt ? [] : 'unclear';
    },
    doubt: (number) => void unread.add(number),
    async readReviews(most) {
      const touched = new Set<number>();
      const now = [...unread].sort((a, b) => b - a).slice(0, most);
      for (const number of now) {
        for (const issue of await readDecision(number)) touched.add(issue);
        unread.delete(number);
        if (index.get(number) !== undefined) touched.add(number);
      }
      return [...touched];
    },
    unread: () => unread.size,
  };
}
