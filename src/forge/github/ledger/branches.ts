// Branches: made from the head of the default branch, which is remembered so that a hand-out reads nothing.

import type { Forge } from '../../../core/forge.ts';
import { ForgeRefused } from '../../../core/forge.ts';
import { isSafeRefName } from '../../../core/issue-text/ref-name.ts';
import { createBoundedMap } from '../bounded-map.ts';
import { hasStatus, refusalOf } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';

/** Polling keeps it fresher than this; a head so old is asked for again before it is used. */
const HEAD_MS = 300_000;
/** Asked about names that issues wish for; creating the branch is what decides. */
const HAS_MS = 3_600_000;
const NAMES_KEPT = 5000;

export interface Branches {
  /** Under this very name; remembered for an hour. */
  has(branch: string): Promise<boolean>;
  create(branch: string): ReturnType<Forge['createBranch']>;
  /** The head of the default branch; asks only where that is not known freshly. */
  head(mostAgeMs?: number): Promise<string>;
  /** There was a push: the head is asked for again before it is used. */
  expire(): void;
}

export function createBranches(api: RepositoryApi, now: () => number): Branches {
  let cachedHead: { sha: string; at: number } | null = null;
  let etag: string | null = null;
  const asked = createBoundedMap<string, { readonly exists: boolean; readonly at: number }>(
    NAMES_KEPT,
  );

  async function readHead(): Promise<string> {
    const { default_branch } = await api.about();
    const answer = await api.ifChanged<{ object: { sha: string } }>(
      'GET /repos/{owner}/{repo}/git/ref/{ref}',
      cachedHead === null ? null : etag,
      { ref: `heads/${default_branch}` },
    );
    const sha = answer?.data.object.sha ?? cachedHead?.sha ?? '';
    etag = answer === null ? etag : String(answer.headers['etag'] ?? '') || null;
    cachedHead = { sha, at: now() };
    return sha;
  }

  async function head(mostAgeMs = HEAD_MS): Promise<string> {
    return cachedHead !== null && now() - cachedHead.at <= mostAgeMs ? cachedHead.sha : readHead();
  }

  async function post(branch: string, sha: string): Promise<'created' | 'exists'> {
    try {
      await api.request('POST /repos/{owner}/{repo}/git/refs', {
        ref: `refs/heads/${branch}`,
        sha,
      });
      return 'created';
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (hasStatus(error, 422) && /already exists/i.test(message)) return 'exists';
      throw error;
    }
  }

  async function has(branch: string): Promise<boolean> {
    const before = asked.get(branch);
    if (before !== undefined && now() - before.at < HAS_MS) return before.exists;
    const route = 'GET /repos/{owner}/{repo}/git/ref/{ref}';
    const exists = await api.request(route, { ref: `heads/${branch}` }).then(
      () => true,
      (error: unknown) => {
        if (hasStatus(error, 404)) return false;
        throw error;
      },
    );
    asked.set(branch, { exists, at: now() });
    return exists;
  }

  return {
    head,
    has,
    expire() {
      if (cachedHead !== null) cachedHead = { ...cachedHead, at: Number.NEGATIVE_INFINITY };
    },
    async create(branch) {
      try {
        const { default_branch } = await api.about();
        if (!isSafeRefName(branch, default_branch)) {
          throw new ForgeRefused(
            'invalid_branch',
            `${JSON.stringify(branch)} may not be a branch.`,
          );
        }
        try {
          return await post(branch, await head());
        } catch (error) {
          // The remembered head may be gone (a forced push): once more with what is there now.
          const stale = hasStatus(error, 422) && /object does not exist|sha/i.test(String(error));
          if (!stale) throw error;
          cachedHead = null;
          return await post(branch, await head());
        }
      } catch (error) {
        throw refusalOf(error, 'branch');
      }
    },
  };
}
