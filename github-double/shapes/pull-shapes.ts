// Pull requests and reviews as GitHub words them.

import { pullOf } from '../acts/pull-acts.ts';
import { fullName, type Item, type Repo, type Review, type ReviewComment } from '../state.ts';
import type { RepoShapes } from './repo-shapes.ts';
import { type IssueShapes, iso, nodeId, type Places, type Schemas } from './shapes.ts';

export interface PullShapes {
  readonly pullSimple: (repo: Repo, item: Item) => Schemas['pull-request-simple'];
  readonly pull: (repo: Repo, item: Item) => Schemas['pull-request'];
  readonly review: (repo: Repo, item: Item, review: Review) => Schemas['pull-request-review'];
  readonly reviewComment: (
    repo: Repo,
    item: Item,
    comment: ReviewComment,
  ) => Schemas['pull-request-review-comment'];
}

export function createPullShapes(
  { api, html }: Places,
  { user, labels, association }: IssueShapes,
  { repository }: RepoShapes,
): PullShapes {
  const page = (repo: Repo, item: Item) => `${html}/${fullName(repo)}/pull/${item.number}`;
  const address = (repo: Repo, item: Item) => `${api}/repos/${fullName(repo)}/pulls/${item.number}`;

  const common = (repo: Repo, item: Item) => {
    const pull = pullOf(item);
    const url = address(repo, item);
    const issueUrl = `${api}/repos/${fullName(repo)}/issues/${item.number}`;
    const statuses = `${api}/repos/${fullName(repo)}/statuses/${pull.headSha}`;
    const side = (ref: string, sha: string, of: Repo = repo) => ({
      label: `${of.owner.login}:${ref}`,
      ref,
      sha,
      user: user(of.owner),
      repo: repository(of),
    });
    const from = pull.fork ? { ...repo, owner: item.author } : repo;
    return {
      url,
      id: item.id,
      node_id: nodeId('PR', item.id),
      html_url: page(repo, item),
      diff_url: `${page(repo, item)}.diff`,
      patch_url: `${page(repo, item)}.patch`,
      issue_url: issueUrl,
      number: item.number,
      state: item.state,
      locked: item.locked,
      title: item.title,
      user: user(item.author),
      body: item.body,
      created_at: iso(item.createdAt),
      updated_at: iso(item.updatedAt),
      closed_at: item.closedAt === null ? null : iso(item.closedAt),
      merged_at: pull.mergedAt === null ? null : iso(pull.mergedAt),
      merge_commit_sha: pull.mergeSha,
      assignee: null,
      assignees: [],
      requested_reviewers: [],
      requested_teams: [],
      milestone: null,
      draft: pull.draft,
      commits_url: `${url}/commits`,
      review_comments_url: `${url}/comments`,
      review_comment_url: `${api}/repos/${fullName(repo)}/pulls/comments{/number}`,
      comments_url: `${issueUrl}/comments`,
      statuses_url: statuses,
      head: side(pull.head, pull.headSha, from),
      base: side(pull.base, pull.baseSha),
      _links: {
        self: { href: url },
        html: { href: page(repo, item) },
        issue: { href: issueUrl },
        comments: { href: `${issueUrl}/comments` },
        review_comments: { href: `${url}/comments` },
        review_comment: { href: `${api}/repos/${fullName(repo)}/pulls/comments{/number}` },
        commits: { href: `${url}/commits` },
        statuses: { href: statuses },
      },
      author_association: association(repo, item.author),
      auto_merge: null,
      active_lock_reason: null,
    };
  };
  const wholeLabels = (repo: Repo, item: Item) =>
    labels(repo, item).map((label) => ({ ...label, description: label.description ?? '' }));

  return {
    pullSimple: (repo, item) => ({ ...common(repo, item), labels: wholeLabels(repo, item) }),
    pull(repo, item) {
      const pull = pullOf(item);
      return {
        ...common(repo, item),
        labels: labels(repo, item),
        merged: pull.mergedAt !== null,
        mergeable: item.state === 'open' ? true : null,
        rebaseable: item.state === 'open' ? true : null,
        mergeable_state: item.state === 'open' ? 'clean' : 'unknown',
        merged_by: pull.mergedBy === null ? null : user(pull.mergedBy),
        comments: item.comments,
        review_comments: pull.reviewComments.length,
        maintainer_can_modify: false,
        commits: 1,
        additions: 1,
        deletions: 0,
        changed_files: 1,
      };
    },
    review: (repo, item, review) => ({
      id: review.id,
      node_id: nodeId('PRR', review.id),
      user: user(review.author),
      body: review.body,
      state: review.state,
      html_url: `${page(repo, item)}#pullrequestreview-${review.id}`,
      pull_request_url: address(repo, item),
      author_association: association(repo, review.author),
      _links: {
        html: { href: `${page(repo, item)}#pullrequestreview-${review.id}` },
        pull_request: { href: address(repo, item) },
      },
      submitted_at: iso(review.submittedAt),
      commit_id: review.commit,
    }),
    reviewComment(repo, item, comment) {
      const url = `${api}/repos/${fullName(repo)}/pulls/comments/${comment.id}`;
      const html_url = `${page(repo, item)}#discussion_r${comment.id}`;
      return {
        url,
        pull_request_review_id: comment.reviewId,
        id: comment.id,
        node_id: nodeId('PRRC', comment.id),
        diff_hunk: '@@ -1,1 +1,1 @@',
        path: comment.path,
        commit_id: comment.commit,
        original_commit_id: comment.commit,
        user: user(comment.author),
        body: comment.body,
        created_at: iso(comment.createdAt),
        updated_at: iso(comment.createdAt),
        html_url,
        pull_request_url: address(repo, item),
        author_association: association(repo, comment.author),
        _links: {
          self: { href: url },
          html: { href: html_url },
          pull_request: { href: address(repo, item) },
        },
        line: comment.line,
        original_line: comment.line,
        side: 'RIGHT',
        start_line: null,
        original_start_line: null,
        start_side: null,
        subject_type: 'line',
      };
    },
  };
}
