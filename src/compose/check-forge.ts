// What `banto doctor` says of the forge: the repository and the files of its backlog, or GitHub and what the
// credentials may do there.

import type { Config, GithubForgeConfig } from '../config/shape.ts';
import type { Issue } from '../core/issue.ts';
import { describeAll } from '../core/issue-text/dependencies.ts';
import { namedDependencies } from '../core/plan/plan-gate.ts';
import { type Finding, ok, problem } from '../doors/cli/start/check.ts';

/** What the credentials may do, and what is left of the limits. */
async function checkGithub(config: GithubForgeConfig): Promise<Finding[]> {
  const { openGithubForge } = await import('../forge/github/github-forge.ts');
  const forge = openGithubForge(config);
  try {
    const found = (await forge.problems()).map((message) =>
      problem(message, 'See docs/github.md for what the token or the App needs.'),
    );
    const budget = (await forge.budget?.()) ?? null;
    const left =
      budget === null ? '' : `; ${budget.remaining} of ${budget.limit} requests left this hour`;
    const hook: Finding =
      config.webhookSecret === null
        ? {
            status: 'warning',
            message: 'No webhook is set up: changes are found by polling',
            fix: 'Set GITHUB_WEBHOOK_SECRET; see docs/github.md.',
          }
        : ok('Webhooks are taken at /api/v1/webhooks/github');
    if (found.length > 0) return found;
    return [ok(`${config.repositories.join(', ')} can be read and written${left}`), hook];
  } finally {
    await forge.close();
  }
}

/** What issues wait for and will never get. */
function checkDependencies(issues: readonly Issue[]): Finding[] {
  const named = new Map(
    issues.map((issue) => [issue.number, issue.state === 'open' ? namedDependencies(issue) : []]),
  );
  const open = issues.filter(({ state }) => state === 'open').map(({ number }) => number);
  return describeAll(open, (number) => named.get(number) ?? null).map((message) => ({
    status: 'warning',
    message,
    fix: 'Correct blocked_by, or the lines "Blocked by" and "Depends on", in the issue.',
  }));
}

/** The repository and the files of its backlog. */
export async function checkForge(config: Config): Promise<Finding[]> {
  if (config.forge.kind === 'github') return checkGithub(config.forge);
  const { openLocalForge } = await import('../forge/local/local-forge.ts');
  const forge = await openLocalForge({
    ...config.forge,
    dataDir: config.dataDir,
    readOnly: true,
  });
  try {
    await forge.check();
    const [repository = ''] = forge.repositories;
    let open = 0;
    for await (const page of forge.list(repository)) open += page.length;
    const broken = (await forge.problems()).map(
      (file): Finding => ({
        status: 'warning',
        message: `${file.file}: ${file.problem}`,
        fix: 'It is held until the file is corrected.',
      }),
    );
    const branch = await forge.defaultBranch(repository);
    const issues = (await forge.backlog?.list()) ?? [];
    return [
      ok(`${repository}, branches start from ${branch}, ${open} open issues`),
      ...broken,
      ...checkDependencies(issues),
    ];
  } finally {
    await forge.close();
  }
}
