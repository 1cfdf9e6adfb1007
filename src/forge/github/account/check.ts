// Whether the credentials can do what Banto will ask of them; what is missing is named one by one.

import { BantoError } from '../../../core/errors.ts';
import type { Client, GithubAuth } from '../http/client.ts';
import { hasStatus } from '../http/refusals.ts';
import type { RepositoryApi } from '../http/repository-api.ts';

const NEEDED = { issues: 'write', pull_requests: 'read', contents: 'write' } as const;

interface Installation {
  readonly permissions: Readonly<Record<string, string | undefined>>;
  readonly suspended_at?: string | null;
}

/** A read that only works with the permission it stands for. */
const READS = [
  ['Issues: read', 'GET /repos/{owner}/{repo}/issues'],
  ['Pull requests: read', 'GET /repos/{owner}/{repo}/pulls'],
] as const;

async function repositoryProblems(api: RepositoryApi): Promise<string[]> {
  const { repository } = api;
  const about = await api.about(true).catch((error: unknown) => {
    if (hasStatus(error, 404)) return null;
    throw error;
  });
  if (about === null) {
    return [
      `${repository} cannot be found with these credentials: check the name, and that the token or the App has access to it (Metadata: read).`,
    ];
  }
  const problems: string[] = [];
  if (about.archived) problems.push(`${repository} is archived: nothing can be written to it.`);
  if (!about.has_issues) problems.push(`${repository} has its issues switched off.`);
  for (const [permission, route] of READS) {
    try {
      await api.request(route, { per_page: 1 });
    } catch (error) {
      if (!hasStatus(error, 403, 404, 410)) throw error;
      problems.push(`${repository}: the permission "${permission}" is missing.`);
    }
  }
  if (about.permissions?.push === false) {
    const missing =
      'the account behind the credentials may not write (Contents: write, Issues: write)';
    problems.push(`${repository}: ${missing}.`);
  }
  return problems;
}

async function appProblems(client: Client, auth: GithubAuth): Promise<string[]> {
  if (auth.kind !== 'app') return [];
  const route = 'GET /app/installations/{installation_id}';
  const { data } = await client.request<Installation>(route, {
    installation_id: auth.installationId,
  });
  if (typeof data.suspended_at === 'string') return ["The App's installation is suspended."];
  return Object.entries(NEEDED)
    .filter(([name, level]) => {
      const has = data.permissions[name];
      return has !== 'write' && has !== level;
    })
    .map(([name, level]) => `The App lacks the permission "${name}: ${level}".`);
}

/** One sentence for each thing to fix; none: all is well. Throws where GitHub cannot be asked for a while. */
export async function findProblems(
  client: Client,
  auth: GithubAuth,
  apis: readonly RepositoryApi[],
): Promise<string[]> {
  const problems = await appProblems(client, auth);
  for (const api of apis) problems.push(...(await repositoryProblems(api)));
  return problems;
}

export async function check(
  client: Client,
  auth: GithubAuth,
  apis: readonly RepositoryApi[],
): Promise<void> {
  const problems = await findProblems(client, auth, apis).catch((error: unknown) => {
    // Anything else says nothing about the credentials: GitHub is out of reach, or asks for patience.
    if (!hasStatus(error, 401)) throw error;
    throw new BantoError(
      'misconfigured',
      'GitHub does not accept the credentials (401): check GITHUB_TOKEN, or the key and ids of the App.',
      { cause: error },
    );
  });
  if (problems.length > 0) throw new BantoError('misconfigured', problems.join(' '));
}
