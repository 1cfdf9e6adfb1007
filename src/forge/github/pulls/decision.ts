// What people's reviews on GitHub come to. Pure.

import type { LinkedPull } from '../../../core/issue.ts';
import { type GithubReview, type GithubReviewComment, instantOf } from '../shapes.ts';

type Decision = Pick<LinkedPull, 'decision' | 'decidedAt' | 'comments'>;

const UNDECIDED: Decision = { decision: null, decidedAt: null, comments: [] };
/** Anybody may review in public; only the word of those who belong to the repository counts. */
const COUNTS = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const WORDS = new Set(['APPROVED', 'CHANGES_REQUESTED']);
const MOST_COMMENTS = 100;

function counts(review: GithubReview, author: string | null): boolean {
  const { user, submitted_at } = review;
  if (user === null || submitted_at === undefined || user.type === 'Bot') return false;
  return user.login !== author && COUNTS.has(review.author_association);
}

/** The last word of the people who reviewed; at the same instant a request for changes outweighs. */
export function decide(
  reviews: readonly GithubReview[],
  comments: readonly GithubReviewComment[],
  author: string | null,
): Decision {
  const words = reviews.filter((review) => counts(review, author) && WORDS.has(review.state));
  const at = (review: GithubReview) => instantOf(review.submitted_at ?? '');
  const last = words
    .toSorted(
      (a, b) =>
        at(a) - at(b) ||
        Number(a.state === 'CHANGES_REQUESTED') - Number(b.state === 'CHANGES_REQUESTED'),
    )
    .at(-1);
  if (last === undefined) return UNDECIDED;
  if (last.state === 'APPROVED') return { decision: 'approved', decidedAt: at(last), comments: [] };
  // Everybody who still asks for changes: a later word of the same person replaces the earlier one.
  const standing = new Map(words.map((review) => [review.user?.login, review]));
  const asked = [...standing.values()].filter((review) => review.state === 'CHANGES_REQUESTED');
  const said = asked.flatMap((review) => [
    ...(review.body === '' ? [] : [review.body]),
    ...comments
      .filter((comment) => comment.pull_request_review_id === review.id)
      .map(
        ({ path, line, body }) =>
          `${path}${line === undefined || line === null ? '' : `:${line}`}: ${body}`,
      ),
  ]);
  return {
    decision: 'changes_requested',
    decidedAt: at(last),
    comments: said.slice(0, MOST_COMMENTS),
  };
}
