// Opens the pull request of an agent's branch, with Banto's own credentials: agents hold none.

import { ForgeRefused } from '../../../core/forge.ts';
import type { NewPullRequest } from '../../../core/usage.ts';
import { hasStatus, refusalOf } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';

const PULLS = '/repos/{owner}/{repo}/pulls';

interface Numbered {
  readonly number: number;
}

/** Already open from this branch: that one, so that a lost answer does no harm. */
async function findOpen(api: RepositoryApi, branch: string): Promise<number | null> {
  const { full_name, default_branch: base } = await api.about();
  const head = `${full_name.split('/')[0] ?? ''}:${branch}`;
  const { data } = await api.request<Numbered[]>(`GET ${PULLS}`, { state: 'open', head, base });
  return data[0]?.number ?? null;
}

export async function openPull(
  api: RepositoryApi,
  branch: string,
  { title, body }: NewPullRequest,
): Promise<number> {
  try {
    const { default_branch: base } = await api.about();
    const asked = { title, body, head: branch, base };
    const { data } = await api.request<Numbered>(`POST ${PULLS}`, asked);
    return data.number;
  } catch (error) {
    const exists = hasStatus(error, 422) && /already exists/i.test(String(error));
    if (!exists) throw refusalOf(error, 'pull');
    const found = await findOpen(api, branch);
    if (found !== null) return found;
    throw new ForgeRefused('pull_refused', `A pull request of ${branch} exists but is not open.`);
  }
}
