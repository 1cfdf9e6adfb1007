// What can happen to branches and pull requests.

import {
  type Account,
  fullName,
  type Item,
  itemNumbered,
  type Pull,
  type Repo,
  type Review,
} from '../state.ts';
import type { Ground } from './acts.ts';
import type { IssueActs } from './issue-acts.ts';

export interface NewPull {
  readonly title: string;
  readonly body?: string | null;
  readonly head: string;
  readonly base?: string;
  readonly draft?: boolean;
  /** It comes from a fork of whoever opens it, as a stranger's does. */
  readonly fork?: boolean;
}

export interface NewReview {
  readonly verdict: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED';
  readonly body?: string;
  readonly comments?: readonly {
    readonly path: string;
    readonly line: number;
    readonly body: string;
  }[];
}

export interface PullActs {
  /** A branch that does not exist yet is pushed first. */
  readonly openPull: (repo: Repo, by: Account, pull: NewPull) => Item;
  readonly review: (repo: Repo, by: Account, number: number, review: NewReview) => Review;
  readonly merge: (repo: Repo, by: Account, number: number) => Item;
  readonly push: (repo: Repo, by: Account, branch: string) => string;
  readonly createRef: (repo: Repo, by: Account, ref: string, sha: string) => void;
  readonly deleteRef: (repo: Repo, by: Account, ref: string) => void;
  readonly rebase: (repo: Repo, by: Account, number: number, base: string) => Item;
}

const NOTHING = '0'.repeat(40);
const CLOSING = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi;

/** Issues that a pull request closes: only where it targets the default branch. */
export function closes(repo: Repo, item: Item): number[] {
  if (item.pull?.base !== repo.defaultBranch) return [];
  const numbers = [...(item.body ?? '').matchAll(CLOSING)].map((match) => Number(match[1]));
  return [...new Set(numbers)].filter((number) => repo.items.get(number)?.pull === null);
}

export function pullOf(item: Item): Pull {
  if (item.pull === null) throw new Error(`#${item.number} is not a pull request`);
  return item.pull;
}

export function createPullActs(ground: Ground, issues: IssueActs): PullActs {
  const { world, tell, tellItem, change, note } = ground;

  const moveRef = (repo: Repo, by: Account, ref: string, after: string) => {
    const before = repo.refs.get(ref) ?? NOTHING;
    if (after === NOTHING) repo.refs.delete(ref);
    else repo.refs.set(ref, after);
    repo.pushedAt = world.stamp();
    const push = { ref: `refs/${ref}`, before, after };
    tell({ event: 'push', action: '', repo, actor: by, push });
  };

  const commit = (repo: Repo, author: Account, branch: string): string => {
    const sha = world.sha();
    const parent = repo.refs.get(`heads/${branch}`) ?? null;
    repo.commits.set(sha, { author, at: world.stamp(), parent });
    return sha;
  };

  const push: PullActs['push'] = (repo, by, branch) => {
    const sha = commit(repo, by, branch);
    const before = repo.refs.get(`heads/${branch}`) ?? NOTHING;
    moveRef(repo, by, `heads/${branch}`, sha);
    for (const item of repo.items.values()) {
      if (item.state === 'closed' || item.pull?.head !== branch) continue;
      const pushed = change(repo, item.number, { pull: { ...item.pull, headSha: sha } });
      tellItem(repo, by, pushed, 'synchronize', { changes: { before, after: sha } });
    }
    return sha;
  };

  return {
    push,
    createRef: (repo, by, ref, sha) => moveRef(repo, by, ref, sha),
    deleteRef: (repo, by, ref) => moveRef(repo, by, ref, NOTHING),
    openPull(repo, by, { title, body, head, base = repo.defaultBranch, ...more }) {
      const { draft = false, fork = false } = more;
      const ownSha = fork ? repo.refs.get(`heads/${base}`) : repo.refs.get(`heads/${head}`);
      const headSha = ownSha ?? push(repo, by, head);
      const baseSha = repo.refs.get(`heads/${base}`);
      if (baseSha === undefined)
        throw new Error(`the double has no branch ${base} in ${fullName(repo)}`);
      return issues.newItem(
        repo,
        by,
        { title, body: body ?? null },
        {
          head,
          headSha,
          fork,
          base,
          baseSha,
          draft,
          mergedAt: null,
          mergedBy: null,
          mergeSha: null,
          reviews: [],
          reviewComments: [],
        },
      );
    },
    rebase(repo, by, number, base) {
      const pull = pullOf(itemNumbered(repo, number));
      const baseSha = repo.refs.get(`heads/${base}`) ?? pull.baseSha;
      const item = change(repo, number, { pull: { ...pull, base, baseSha } });
      const changes = { base: { ref: { from: pull.base }, sha: { from: pull.baseSha } } };
      tellItem(repo, by, item, 'edited', { changes });
      return item;
    },
    review(repo, by, number, { verdict, body = '', comments = [] }) {
      const pull = pullOf(itemNumbered(repo, number));
      const commit = pull.headSha;
      const at = world.stamp();
      const id = world.nextId();
      const review: Review = { id, author: by, state: verdict, body, commit, submittedAt: at };
      const written = comments.map((comment) => ({
        ...comment,
        id: world.nextId(),
        reviewId: id,
        author: by,
        commit,
        createdAt: at,
      }));
      const item = change(repo, number, {
        pull: {
          ...pull,
          reviews: [...pull.reviews, review],
          reviewComments: [...pull.reviewComments, ...written],
        },
      });
      tell({ event: 'pull_request_review', action: 'submitted', repo, actor: by, item, review });
      return review;
    },
    merge(repo, by, number) {
      const before = itemNumbered(repo, number);
      const pull = pullOf(before);
      const at = world.stamp();
      const mergeSha = commit(repo, by, pull.base);
      const item = change(repo, number, {
        state: 'closed',
        closedAt: at,
        closedBy: by,
        pull: { ...pull, mergedAt: at, mergedBy: by, mergeSha },
      });
      note(repo, number, 'merged', by, { commit: mergeSha });
      note(repo, number, 'closed', by);
      tellItem(repo, by, item, 'closed');
      moveRef(repo, by, `heads/${pull.base}`, mergeSha);
      for (const closed of closes(repo, before)) issues.close(repo, by, closed);
      return item;
    },
  };
}
