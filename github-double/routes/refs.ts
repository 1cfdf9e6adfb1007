// Branches and commits. `POST /git/refs` answers 422 for very different causes: only the message tells them apart.

import type { Repo } from '../state.ts';
import { type Call, fields, Refusal, type Route, text } from './route.ts';

const base = '/repos/{owner}/{repo}';

function notEmpty(repo: Repo): void {
  if (repo.refs.size === 0) throw new Refusal(409, 'Git Repository is empty.');
}

/** The rules of `git check-ref-format`. */
function isValid(ref: string): boolean {
  if (/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.$|\/$/.test(ref)) return false;
  return ref.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

function create(call: Call, repo: Repo): void {
  const full = text(fields(call)['ref'], 'Reference', 'ref');
  const sha = text(fields(call)['sha'], 'Reference', 'sha');
  notEmpty(repo);
  if (!full.startsWith('refs/') || full.split('/').length < 3) {
    throw new Refusal(
      422,
      'Reference name must contain at least three slash-separated components.',
    );
  }
  if (!isValid(full)) throw new Refusal(422, `${full} is not a valid ref name.`);
  const ref = full.slice('refs/'.length);
  if (!/^[0-9a-f]{40}$/.test(sha)) {
    throw new Refusal(
      422,
      'The sha parameter must be exactly 40 characters and contain only [0-9a-f].',
    );
  }
  if (!repo.commits.has(sha)) throw new Refusal(422, 'Object does not exist');
  if (repo.refs.has(ref)) throw new Refusal(422, 'Reference already exists');
  if (repo.protectedRefs.some((rule) => rule.test(ref))) {
    throw new Refusal(
      422,
      'Repository rule violations found\n\nCannot create ref due to creations being restricted.\n\n',
    );
  }
  // `a` and `a/b` cannot both be branches.
  const parents = [...repo.refs.keys()].some(
    (known) => known.startsWith(`${ref}/`) || ref.startsWith(`${known}/`),
  );
  if (parents) throw new Refusal(422, 'Reference update failed');
  call.acts.createRef(repo, call.who.account, ref, sha);
}

const SHORTEST = 4;

/** A branch, a commit, or the first digits of one, if no other begins with them. */
function commitNamed(repo: Repo, name: string): string {
  notEmpty(repo);
  const head = repo.refs.get(`heads/${name}`);
  if (head !== undefined) return head;
  const long = /^[0-9a-f]+$/.test(name) && name.length >= SHORTEST;
  const found = long ? [...repo.commits.keys()].filter((sha) => sha.startsWith(name)) : [];
  const [sha] = found;
  if (sha === undefined || found.length > 1) {
    throw new Refusal(422, `No commit found for SHA: ${name}`);
  }
  return sha;
}

export const refRoutes: readonly Route[] = [
  {
    operation: `GET ${base}/commits/{ref}`,
    needs: ['contents'],
    handle: (call, repo) => ({
      status: 200,
      body: call.shapes.commit(repo, commitNamed(repo, call.params['ref'] ?? '')),
    }),
  },
  {
    operation: `GET ${base}/git/ref/{ref}`,
    needs: ['contents'],
    handle(call, repo) {
      notEmpty(repo);
      const ref = call.params['ref'] ?? '';
      const sha = repo.refs.get(ref);
      if (sha === undefined) throw new Refusal(404, 'Not Found');
      return { status: 200, body: call.shapes.ref(repo, ref, sha) };
    },
  },
  {
    operation: `POST ${base}/git/refs`,
    needs: ['contents'],
    handle(call, repo) {
      create(call, repo);
      const ref = String(fields(call)['ref']).slice('refs/'.length);
      const body = call.shapes.ref(repo, ref, repo.refs.get(ref) ?? '');
      return { status: 201, body, headers: { location: body.url } };
    },
  },
  {
    operation: `DELETE ${base}/git/refs/{ref}`,
    needs: ['contents'],
    handle(call, repo) {
      const ref = call.params['ref'] ?? '';
      if (!repo.refs.has(ref)) throw new Refusal(422, 'Reference does not exist');
      call.acts.deleteRef(repo, call.who.account, ref);
      return { status: 204 };
    },
  },
  {
    operation: `GET ${base}/branches/{branch}`,
    needs: ['contents'],
    handle(call, repo) {
      const name = call.params['branch'] ?? '';
      const sha = repo.refs.get(`heads/${name}`);
      if (sha === undefined) throw new Refusal(404, 'Branch not found');
      return { status: 200, body: call.shapes.branch(repo, name, sha) };
    },
  },
];
