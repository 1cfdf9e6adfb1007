// Whether a task of a local backlog belongs to this clone. Its issue is a file: where that file lies on this machine
// in a repository with another history, the worker was started in the wrong folder, or asks the wrong Banto.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Checkout } from './checkout.ts';
import { gitIn } from './git.ts';

/** The folder of the other repository; null: it is the same one, or nothing can be said. */
export async function otherRepository(
  { folder, git }: Pick<Checkout, 'folder' | 'git'>,
  issueUrl: string,
): Promise<string | null> {
  if (!issueUrl.startsWith('file:///')) return null;
  const place = dirname(fileURLToPath(issueUrl));
  if (!existsSync(place)) return null;
  const theirs = gitIn(place);
  const { ok, out: top } = await theirs('rev-parse', '--show-toplevel');
  if (!ok || top === folder) return null;
  // A shallow clone does not know where its history begins.
  if ((await git('rev-parse', '--is-shallow-repository')).out === 'true') return null;
  const roots = await theirs('rev-list', '--max-parents=0', 'HEAD');
  if (!roots.ok) return null;
  for (const root of roots.out.split('\n')) {
    if ((await git('cat-file', '-e', `${root}^{commit}`)).ok) return null;
  }
  return top;
}
