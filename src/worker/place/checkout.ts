// The person's clone: where the branches live. Only its refs and its list of worktrees are changed, never
// its files, its index or the branch it has checked out.

import { realpath } from 'node:fs/promises';
import { WorkerFault } from '../fault.ts';
import { type Git, gitIn } from './git.ts';

export interface Checkout {
  readonly folder: string;
  readonly git: Git;
  /** Where work is pushed to; null: nowhere. */
  readonly remote: string | null;
  /** `owner/name` after the remote's address; null: it has no such form. */
  readonly slug: string | null;
  /** The branch that work starts from. */
  readonly base: string;
  /** The name and address that commits get. */
  readonly identity: { readonly name: string; readonly email: string } | null;
  /** One after the other: worktrees of one repository share locks. */
  alone<T>(step: () => Promise<T>): Promise<T>;
}

async function remoteOf(git: Git): Promise<string | null> {
  const names = (await git('remote')).out.split('\n').filter((name) => name !== '');
  if (names.includes('origin')) return 'origin';
  return names.length === 1 ? (names[0] ?? null) : null;
}

/** `git@host:owner/name.git`, `https://host/owner/name`. A path on disk says nothing. */
export function slugOf(address: string): string | null {
  const match = /^(?:[a-z+]+:\/\/(?!\/)|[^/]+@[^/:]+:).*?([^/:]+\/[^/]+?)(?:\.git)?\/?$/.exec(
    address,
  );
  return address.startsWith('file:') ? null : (match?.[1] ?? null);
}

async function exists(git: Git, ref: string): Promise<boolean> {
  return (await git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`)).ok;
}

async function baseOf(git: Git, remote: string | null): Promise<string> {
  if (remote !== null) {
    const head = await git('symbolic-ref', '--quiet', '--short', `refs/remotes/${remote}/HEAD`);
    if (head.ok) return head.out.slice(remote.length + 1);
  }
  const configured = await git('config', '--get', 'init.defaultBranch');
  for (const name of ['main', 'master', configured.ok ? configured.out : '']) {
    if (name === '') continue;
    if (await exists(git, `refs/heads/${name}`)) return name;
    if (remote !== null && (await exists(git, `refs/remotes/${remote}/${name}`))) return name;
  }
  const head = await git('symbolic-ref', '--quiet', '--short', 'HEAD');
  if (head.ok) return head.out;
  throw new WorkerFault(
    'No default branch was found: HEAD is detached and there is no main or master. Check out the branch that work starts from.',
  );
}

async function identityOf(git: Git): Promise<Checkout['identity']> {
  const [name, email] = [await git('config', 'user.name'), await git('config', 'user.email')];
  return name.ok && email.ok ? { name: name.out, email: email.out } : null;
}

export async function openCheckout(folder: string): Promise<Checkout> {
  const top = await gitIn(folder)('rev-parse', '--show-toplevel');
  if (!top.ok) {
    throw new WorkerFault(
      `${folder} is not in a git repository (${top.error}). Start \`banto work\` in a clone of the repository, or name one with --repo.`,
    );
  }
  const root = await realpath(top.out);
  const git = gitIn(root);
  const remote = await remoteOf(git);
  const address = remote === null ? null : (await git('remote', 'get-url', remote)).out;
  let last: Promise<unknown> = Promise.resolve();
  return {
    folder: root,
    git,
    remote,
    slug: address === null ? null : slugOf(address),
    base: await baseOf(git, remote),
    identity: await identityOf(git),
    alone(step) {
      const next = last.then(step, step);
      last = next.catch(() => undefined);
      return next;
    },
  };
}
