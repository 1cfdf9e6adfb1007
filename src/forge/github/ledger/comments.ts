// One comment for each key, found again by a mark at its end that nobody sees, and replaced in place.

import { createBoundedMap } from '../bounded-map.ts';
import { hasStatus, refusalOf } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';

export interface Comments {
  put(number: number, key: string, text: string): Promise<void>;
}

export interface GithubComment {
  readonly id: number;
  readonly body?: string;
  readonly user: { readonly login: string; readonly type: string } | null;
  readonly created_at: string;
  readonly author_association: string;
  readonly performed_via_github_app?: object | null;
}

const MARK = '<!-- banto:';
const MOST_TEXT = 65_000;
const CACHED_KEPT = 1000;

/** Encoded, so that no key can end the mark early; at the very end, where no text can imitate it. */
export function markOf(key: string): string {
  return `${MARK}${encodeURIComponent(key).replaceAll('-', '%2D')} -->`;
}

/** The mark that a comment ends with; null: Banto did not write it. */
export function markIn(body: string): string | null {
  const text = body.trimEnd();
  const from = text.lastIndexOf(MARK);
  return from >= 0 && text.indexOf('-->', from) === text.length - 3 ? text.slice(from) : null;
}

/** `me` is our own login; null where that is not known. */
export function createComments(api: RepositoryApi, me: () => string | null): Comments {
  const cached = createBoundedMap<string, number>(CACHED_KEPT);
  const tails = new Map<string, Promise<void>>();

  function bodyOf(key: string, text: string): string {
    const cut = text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
    return `${cut}\n\n${markOf(key)}`;
  }

  async function find(number: number, key: string): Promise<number | null> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
    for await (const page of api.pages<GithubComment>(route, { issue_number: number })) {
      const mine = page.find(
        ({ body, user }) =>
          // A stranger's comment with our mark is still a stranger's.
          body?.trimEnd().endsWith(markOf(key)) === true &&
          (me() === null || user?.login.toLowerCase() === me()?.toLowerCase()),
      );
      if (mine !== undefined) return mine.id;
    }
    return null;
  }

  async function write(number: number, key: string, text: string): Promise<void> {
    const name = `${number} ${key}`;
    const body = bodyOf(key, text);
    // An answer may have been lost after the comment was written: it is looked for before one is made.
    const id = cached.get(name) ?? (await find(number, key));
    if (id !== null) {
      try {
        const route = 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}';
        await api.request(route, { comment_id: id, body });
        cached.set(name, id);
        return;
      } catch (error) {
        cached.delete(name);
        // Somebody deleted it: then it is written again.
        if (!hasStatus(error, 404)) throw error;
      }
    }
    const route = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
    const { data } = await api.request<GithubComment>(route, { issue_number: number, body });
    if (typeof data === 'object' && data !== null) cached.set(name, data.id);
  }

  return {
    async put(number, key, text) {
      // One after the other for each key: two at once would both find nothing.
      const name = `${number} ${key}`;
      const before = tails.get(name) ?? Promise.resolve();
      const done = before.catch(() => undefined).then(() => write(number, key, text));
      tails.set(name, done);
      try {
        await done;
      } catch (error) {
        throw refusalOf(error, 'comment');
      } finally {
        if (tails.get(name) === done) tails.delete(name);
      }
    },
  };
}
