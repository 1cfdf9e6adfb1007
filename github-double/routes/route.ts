// How an endpoint of the double is written: a template as in GitHub's description, what it needs, and a handler.

import type { Acts } from '../acts/acts.ts';
import type { Identity } from '../server/auth.ts';
import type { Shapes } from '../shapes/shapes.ts';
import type { Repo, World } from '../state.ts';

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that is no success; thrown from anywhere inside a handler. */
export class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, message: string, more: Record<string, unknown> = {}) {
    super(message);
    const documentation_url = 'https://docs.github.com/rest';
    this.answer = { status, body: { message, ...more, documentation_url, status: `${status}` } };
  }
}

export function invalid(resource: string, field: string, code: string, value?: unknown): Refusal {
  const error = { resource, field, code, ...(value === undefined ? {} : { value }) };
  return new Refusal(422, 'Validation Failed', { errors: [error] });
}

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  /** The address of the API as the caller wrote it, `/api/v3` included. */
  readonly api: string;
  /** The path and query as called, for links to other pages. */
  readonly target: URL;
  readonly who: Identity;
  readonly world: World;
  readonly acts: Acts;
  readonly shapes: Shapes;
  readonly canWrite: (repo: Repo) => boolean;
  /** Set by a fault: listings answer with what was true then. */
  readonly staleAt: number | null;
}

export type Scope = 'issues' | 'pull_requests' | 'contents' | 'metadata';

export interface Route {
  readonly operation: string;
  /** Any of these scopes suffices; a repository's routes have at least one. */
  readonly needs?: readonly Scope[];
  /** `jwt`: the App itself, `installation`: only its installation, otherwise any token. */
  readonly auth?: 'jwt' | 'installation';
  /** GitHub counts it among the content-creating requests. */
  readonly notifies?: true;
  readonly handle: (call: Call, repo: Repo) => Answer;
}

interface Compiled {
  readonly route: Route;
  readonly method: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

export interface Found {
  readonly route: Route;
  readonly params: Record<string, string>;
}

export function createRouter(
  routes: readonly Route[],
): (method: string, path: string) => Found | null {
  const table = routes.map((route): Compiled => {
    const [method = '', template = ''] = route.operation.split(' ');
    const names: string[] = [];
    const source = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      names.push(name);
      if (name === 'ref' || name === 'branch') return '(.+)';
      return /number|_id$/.test(name) ? String.raw`(\d+)` : '([^/]+)';
    });
    return { route, method, pattern: new RegExp(`^${source}$`), names };
  });
  return (method, path) => {
    for (const entry of table) {
      const match = entry.method === method ? entry.pattern.exec(path) : null;
      if (match === null) continue;
      const params = Object.fromEntries(
        entry.names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')]),
      );
      return { route: entry.route, params };
    }
    return null;
  };
}

/** One page of a listing, with GitHub's `Link` header. */
export function page<T>(call: Call, all: readonly T[], shape: (one: T) => object): Answer {
  const size = Math.min(Math.max(Number(call.query.get('per_page') ?? 30) || 30, 1), 100);
  const at = Math.max(Number(call.query.get('page') ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(all.length / size), 1);
  const link = (page: number, rel: string) => {
    const url = new URL(call.target);
    url.searchParams.set('page', `${page}`);
    return `<${url.href}>; rel="${rel}"`;
  };
  const links = [
    ...(at > 1 ? [link(Math.min(at - 1, last), 'prev')] : []),
    ...(at < last ? [link(at + 1, 'next'), link(last, 'last')] : []),
    ...(at > 1 ? [link(1, 'first')] : []),
  ];
  const body = all.slice((at - 1) * size, at * size).map((one) => shape(one));
  return {
    status: 200,
    body,
    ...(links.length > 0 ? { headers: { link: links.join(', ') } } : {}),
  };
}

export function fields(call: Call): Record<string, unknown> {
  const { body } = call;
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new Refusal(400, 'Problems parsing JSON');
  }
  return body as Record<string, unknown>;
}

export function text(value: unknown, resource: string, field: string): string {
  if (typeof value !== 'string' || value === '') throw invalid(resource, field, 'missing_field');
  return value;
}
