// Comments of people below Banto's own. Bots, Apps and people without write access are left out, whatever they say.

import type { Reply } from '../../../core/attempt/reply.ts';
import type { WriteAccess } from '../account/write-access.ts';
import { createBoundedMap } from '../bounded-map.ts';
import type { PageMemory, RepositoryApi } from '../http/repository-api.ts';
import { instantOf } from '../shapes.ts';
import { type GithubComment, markIn, markOf } from './comments.ts';

export const HOW_TO_REPLY =
  'write a comment here. It counts if you may write to this repository and it begins with no other name than `@banto`';

const ROUTE = 'GET /repos/{owner}/{repo}/issues/{issue_number}/comments';
/** GitHub dates to the second, and its clock is not ours. */
const CLOCK_SLACK_MS = 60_000;
const LISTINGS_KEPT = 100;
const PAGES_KEPT = 3;

function trim(from: GithubComment): GithubComment {
  const { id, body, user, created_at, author_association } = from;
  return {
    id,
    ...(body === undefined ? {} : { body }),
    user: user === null ? null : { login: user.login, type: user.type },
    created_at,
    author_association,
    performed_via_github_app: (from.performed_via_github_app ?? null) === null ? null : {},
  };
}

/** A comment that an App wrote in somebody's name is an App's. */
function isByPerson({ user, performed_via_github_app }: GithubComment): boolean {
  return (
    user?.type === 'User' && !user.login.endsWith('[bot]') && performed_via_github_app === null
  );
}

export function createReplies(
  api: RepositoryApi,
  access: WriteAccess,
  /** Our own login; null where that is not known. */
  me: () => string | null,
) {
  const memories = createBoundedMap<string, PageMemory<GithubComment>>(LISTINGS_KEPT);

  function memoryOf(name: string): PageMemory<GithubComment> {
    const memory = memories.get(name) ?? { kept: new Map(), trim, most: PAGES_KEPT };
    memories.set(name, memory);
    return memory;
  }

  async function commentsSince(number: number, sinceAt: number): Promise<GithubComment[]> {
    const since = new Date(sinceAt - CLOCK_SLACK_MS).toISOString();
    const memory = memoryOf(`${number} ${since}`);
    const comments: GithubComment[] = [];
    for await (const page of api.pages(ROUTE, { issue_number: number, since }, memory)) {
      comments.push(...page.map(trim));
    }
    return comments.sort((a, b) => a.id - b.id);
  }

  const isMine = ({ user }: GithubComment) =>
    me() === null || user?.login.toLowerCase() === me()?.toLowerCase();

  return async function read(
    number: number,
    keys: readonly string[],
    sinceAt: number,
  ): Promise<Reply[]> {
    const keyOf = new Map(keys.map((key) => [markOf(key), key]));
    const after: string[] = [];
    const replies: Reply[] = [];
    for (const comment of await commentsSince(number, sinceAt)) {
      const mark = markIn(comment.body ?? '');
      if (mark !== null) {
        const key = keyOf.get(mark);
        if (key !== undefined && isMine(comment)) after.push(key);
        continue;
      }
      if (after.length === 0 || !isByPerson(comment)) continue;
      const author = comment.user?.login ?? null;
      if (!(await access.isWriter(author, comment.author_association))) continue;
      const { body: text = '', created_at } = comment;
      replies.push({ author, text, at: instantOf(created_at), after: [...after] });
    }
    return replies;
  };
}
