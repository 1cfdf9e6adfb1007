// Pushes to the default branch as they come: told by deliveries, read back after a restart, and found by the head of
// the branch where a delivery was lost.

import type { Issue } from '../../../core/issue.ts';
import { hasStatus } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import type { RepositoryMirror } from '../issues/repository-mirror.ts';
import type { Branches } from '../ledger/branches.ts';
import { commitItem, type GithubCommit, type GithubPush, pushItem, shaOf } from './pushes.ts';

/** A push that nobody reviewed by then is history. */
const PUSH_MS = 7 * 86_400_000;

export interface PushMirror {
  /** A delivery says that somebody pushed; what it asks for, or null: nothing. */
  takeIn(push: GithubPush): Promise<Issue | null>;
  /** One as it is now; null: it is gone, or too old. */
  read(number: number): Promise<Issue | null>;
  /** A push that no delivery has told of; null: there is none. Asked at every poll, after the head was read. */
  findMissed(): Promise<Issue | null>;
}

export function createPushMirror(parts: {
  readonly api: RepositoryApi;
  readonly mirror: Pick<RepositoryMirror, 'isMergeOf'>;
  readonly branches: Branches;
  /** False: pushes are not reviewed. */
  readonly wanted: boolean;
  readonly now: () => number;
}): PushMirror {
  const { api, mirror, branches, wanted, now } = parts;
  const { repository } = api;
  const seen = new Map<number, Issue>();
  let head: string | null = null;
  /** Moved without a word: told of by the next poll, if nobody has explained it by then. */
  let missed: { readonly before: string; readonly after: string } | null = null;

  const isRecent = (push: Issue) => push.createdAt > now() - PUSH_MS;

  function keep(push: Issue): Issue {
    for (const one of seen.values()) if (!isRecent(one)) seen.delete(one.number);
    seen.set(push.number, push);
    return push;
  }

  async function readCommit(ref: string, before?: string): Promise<Issue> {
    const route = 'GET /repos/{owner}/{repo}/commits/{ref}';
    const { data } = await api.request<GithubCommit>(route, { ref });
    return commitItem(repository, data, (await api.about()).default_branch, before);
  }

  return {
    async takeIn(push) {
      const { default_branch } = await api.about();
      if (push.ref !== `refs/heads/${default_branch}`) return null;
      branches.expire();
      // What a merge brings was reviewed as a pull request.
      if (!wanted || mirror.isMergeOf(push.after)) return null;
      const item = pushItem(repository, push, default_branch, now());
      return item === null || seen.has(item.number) ? null : keep(item);
    },
    async read(number) {
      const before = seen.get(number);
      if (before !== undefined) return isRecent(before) ? before : null;
      try {
        const item = keep(await readCommit(shaOf(number)));
        return isRecent(item) ? item : null;
      } catch (error) {
        if (hasStatus(error, 404, 409, 422)) return null;
        throw error;
      }
    },
    async findMissed() {
      if (!wanted) return null;
      const after = await branches.head();
      const before = head;
      head = after;
      const found = missed;
      missed = before === null || before === after ? null : { before, after };
      if (found === null || mirror.isMergeOf(found.after)) return null;
      try {
        const item = await readCommit(found.after, found.before);
        return seen.has(item.number) ? null : keep(item);
      } catch (error) {
        if (hasStatus(error, 404, 409, 422)) return null;
        missed ??= found;
        throw error;
      }
    },
  };
}
