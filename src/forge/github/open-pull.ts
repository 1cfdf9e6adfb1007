// Opens the pull request of an agent's branch, with Banto's own credentials: agents hold none.

import { ForgeRefused } from '../../core/forge.ts';
import type { NewPullRequest } from '../../core/usage.ts';
import type { Place } from './place.ts';
import { hasStatus, refusalOf } from './refusals.ts';

const PULLS = '/repos/{owner}/{repo}/pulls';

interface Numbered {
  readonly number: number;
}

/** Already open from this branch: that one, so that a lost answer does no harm. */
async function findOpen(place: Place, branch: string): Promise<number | null> {
  const { full_name, default_branch: base } = await place.about();
  const head = `${full_name.split('/')[0] ?? ''}:${branch}`;
  const { data } = await place.request<Numbered[]>(`GET ${PULLS}`, { state: 'open', head, base });
  return data[0]?.number ?? null;
}

export async function openPull(
  place: Place,
  branch: string,
  { title, body }: NewPullRequest,
): Promise<number> {
  try {
    const { default_branch: base } = await place.about();
    const asked = { title, body, head: branch, base };
    const { data } = await place.request<Numbered>(`POST ${PULLS}`, asked);
    return data.number;
  } catch (error) {
    const exists = hasStatus(error, 422) && /already exists/i.test(String(error));
    if (!exists) throw refusalOf(error, 'pull');
    const found = await findOpen(place, branch);
    if (found !== null) return found;
    throw new ForgeRefused('pull_refused', `A pull request of ${branch} exists but is not open.`);
  }
}
