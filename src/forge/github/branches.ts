// Branches: made from the head of the default branch, which is remembered so that a hand-out reads nothing.

import type { Forge } from '../../core/forge.ts';
import { ForgeRefused } from '../../core/forge.ts';
import { isSafeRefName } from '../../core/ref-name.ts';
import type { Place } from './place.ts';
import { createRecent } from './recent.ts';
import { hasStatus, refusalOf } from './refusals.ts';

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
  /** A push was heard of: the head is asked for again before it is used. */
  expire(): void;
}

export function createBranches(place: Place, now: () => number): Branches {
  let known: { sha: string; at: number } | null = null;
  let etag: string | null = null;
  const asked = createRecent<string, { readonly exists: boolean; readonly at: number }>(NAMES_KEPT);

  async function readHead(): Promise<string> {
    const { default_branch } = await place.about();
    const answer = await place.ifChanged<{ object: { sha: string } }>(
      'GET /repos/{owner}/{repo}/git/ref/{ref}',
      known === null ? null : etag,
      { ref: `heads/${default_branch}` },
    );
    const sha = answer?.data.object.sha ?? known?.sha ?? '';
    etag = answer === null ? etag : String(answer.headers['etag'] ?? '') || null;
    known = { sha, at: now() };
    return sha;
  }

  async function head(mostAgeMs = HEAD_MS): Promise<string> {
    return known !== null && now() - known.at <= mostAgeMs ? known.sha : readHead();
  }

  async function post(branch: string, sha: string): Promise<'created' | 'exists'> {
    try {
      await place.request('POST /repos/{owner}/{repo}/git/refs', {
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
    const exists = await place.request(route, { ref: `heads/${branch}` }).then(
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
      if (known !== null) known = { ...known, at: Number.NEGATIVE_INFINITY };
    },
    async create(branch) {
      try {
        const { default_branch } = await place.about();
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
          known = null;
          return await post(branch, await head());
        }
      } catch (error) {
        throw refusalOf(error, 'branch');
      }
    },
  };
}
