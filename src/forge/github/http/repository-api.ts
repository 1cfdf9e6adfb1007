// One repository on GitHub: its name there (it may be renamed while we look), its default branch, its pages.

import type { GithubRepository } from '../shapes.ts';
import { type Answer, type Client, Moved } from './client.ts';

export interface RepositoryApi {
  /** As configured; what tasks are named by. */
  readonly repository: string;
  request<T>(route: string, parameters?: Readonly<Record<string, unknown>>): Promise<Answer<T>>;
  ifChanged<T>(
    route: string,
    etag: string | null,
    parameters?: Readonly<Record<string, unknown>>,
  ): Promise<Answer<T> | null>;
  /** Every page of a listing. A page whose ETag still holds comes from memory and costs nothing. */
  pages<T>(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    memory?: PageMemory<T>,
  ): AsyncIterable<readonly T[]>;
  about(fresh?: boolean): Promise<GithubRepository>;
  graphql<T>(query: string, variables: Readonly<Record<string, unknown>>): Promise<Answer<T>>;
}

interface RememberedPage<T> {
  readonly etag: string;
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface PageMemory<T> {
  readonly kept: Map<string, RememberedPage<T>>;
  /** Only what is needed is kept. */
  readonly trim: (item: T) => T;
  readonly most: number;
}

const ABOUT_MS = 600_000;
const PER_PAGE = 100;

function nextOf(headers: Answer<unknown>['headers']): string | null {
  return /<([^<>]+)>;\s*rel="next"/.exec(String(headers['link'] ?? ''))?.[1] ?? null;
}

export function createRepositoryApi(
  client: Client,
  repository: string,
  now: () => number,
): RepositoryApi {
  let fullName = repository;
  let cached: { about: Promise<GithubRepository>; at: number } | null = null;

  /** The next page's address says everything itself. */
  const named = (route: string) => {
    const [owner = '', repo = ''] = fullName.split('/');
    return route.includes('{owner}') ? { owner, repo } : {};
  };

  async function ask(): Promise<GithubRepository> {
    let path = `/repos/${fullName}`;
    for (let hops = 0; ; hops += 1) {
      try {
        const { data } = await client.request<GithubRepository>(`GET ${path}`);
        fullName =
          data.full_name.toLowerCase() === repository.toLowerCase() ? repository : data.full_name;
        return data;
      } catch (error) {
        // A renamed repository answers from its number.
        if (!(error instanceof Moved) || hops > 0 || error.location === '') throw error;
        path = error.location;
      }
    }
  }

  function about(fresh = false): Promise<GithubRepository> {
    if (!fresh && cached !== null && now() - cached.at < ABOUT_MS) return cached.about;
    const asked = ask();
    cached = { about: asked, at: now() };
    asked.catch(() => {
      if (cached?.about === asked) cached = null;
    });
    return asked;
  }

  /** Once more under the new name, where it was the repository that moved. */
  async function following<T>(call: () => Promise<T>): Promise<T> {
    const before = fullName;
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
      await about(true);
      if (fullName === before) throw error;
      return call();
    }
  }

  const request: RepositoryApi['request'] = (route, parameters = {}) =>
    following(() => client.request(route, { ...named(route), ...parameters }));
  const ifChanged: RepositoryApi['ifChanged'] = (route, etag, parameters = {}) =>
    following(() => client.ifChanged(route, etag, { ...named(route), ...parameters }));

  async function* pages<T>(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    memory?: PageMemory<T>,
  ): AsyncIterable<readonly T[]> {
    let at: string | null = route;
    for (let first = true; at !== null; first = false) {
      const key: string = first ? JSON.stringify([fullName, route, parameters]) : at;
      const kept: RememberedPage<T> | null = memory?.kept.get(key) ?? null;
      const answer: Answer<T[]> | null = await ifChanged<T[]>(
        at,
        // A full last page says nothing about a page after it.
        kept !== null && (kept.items.length < PER_PAGE || kept.next !== null) ? kept.etag : null,
        first ? { per_page: PER_PAGE, ...parameters } : {},
      );
      const page: RememberedPage<T> =
        answer === null && kept !== null
          ? kept
          : {
              etag: String(answer?.headers['etag'] ?? ''),
              items: (answer?.data ?? []).map((item) => memory?.trim(item) ?? item),
              next: answer === null ? null : nextOf(answer.headers),
            };
      if (memory !== undefined && page.etag !== '') {
        // The first pages are the oldest issues, which change least: those are kept.
        if (memory.kept.has(key) || memory.kept.size < memory.most) memory.kept.set(key, page);
      }
      yield page.items;
      at = page.next === null ? null : `GET ${page.next}`;
    }
  }

  const graphql: RepositoryApi['graphql'] = (query, variables) =>
    client.request('POST /graphql', { query, variables });

  return { repository, request, ifChanged, pages, about, graphql };
}

export function lastPage(headers: Answer<unknown>['headers']): number | null {
  const found = /[?&]page=(\d+)[^<>]*>;\s*rel="last"/.exec(String(headers['link'] ?? ''))?.[1];
  return found === undefined ? null : Number(found);
}
