// Who may write to a repository: asked of GitHub, and remembered for a while.

import { createBoundedMap } from '../bounded-map.ts';
import { hasStatus } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';

export interface WriteAccess {
  mayWrite(login: string): Promise<boolean>;
  /** The same, where what GitHub says of the author beside a text already rules most people out. */
  isWriter(login: string | null, association: string): Promise<boolean>;
}

const REMEMBERED_MS = 600_000;
const PEOPLE_KEPT = 5000;
/** The others can have no write access: no need to ask. */
const MAY_WRITE = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const WRITING = new Set(['admin', 'maintain', 'write']);

export function createWriteAccess(api: RepositoryApi, now: () => number): WriteAccess {
  const permissions = createBoundedMap<string, { readonly writes: boolean; readonly at: number }>(
    PEOPLE_KEPT,
  );

  async function mayWrite(login: string): Promise<boolean> {
    const before = permissions.get(login);
    if (before !== undefined && now() - before.at < REMEMBERED_MS) return before.writes;
    const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
    const writes = await api
      .request<{ permission: string; role_name?: string }>(route, { username: login })
      .then(
        ({ data }) => WRITING.has(data.permission) || WRITING.has(data.role_name ?? ''),
        (error: unknown) => {
          if (hasStatus(error, 404)) return false;
          throw error;
        },
      );
    permissions.set(login, { writes, at: now() });
    return writes;
  }

  return {
    mayWrite,
    isWriter: async (login, association) =>
      login !== null && MAY_WRITE.has(association) && (await mayWrite(login)),
  };
}
