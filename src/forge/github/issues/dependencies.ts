// GitHub's own "blocked by": asked for only where an issue's summary says that there is something to ask for.

import type { RepositoryApi } from '../http/repository-api.ts';
import { type GithubIssue, instantOf } from '../shapes.ts';

export interface Dependencies {
  of(from: GithubIssue): Promise<readonly number[]>;
  forget(number: number): void;
}

export function createDependencies(api: RepositoryApi): Dependencies {
  const cached = new Map<number, { readonly key: string; readonly numbers: readonly number[] }>();

  async function read(number: number): Promise<number[]> {
    const route = 'GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by';
    const { full_name } = await api.about();
    const numbers: number[] = [];
    const blockers = api.pages<GithubIssue & { repository_url: string }>(route, {
      issue_number: number,
    });
    for await (const page of blockers) {
      const own = page.filter(({ repository_url }) =>
        repository_url.toLowerCase().endsWith(`/repos/${full_name.toLowerCase()}`),
      );
      numbers.push(...own.map((blocker) => blocker.number));
    }
    return numbers.sort((a, b) => a - b);
  }

  return {
    forget: (number) => void cached.delete(number),
    async of(from) {
      const total = from.issue_dependencies_summary?.total_blocked_by;
      // Deliveries do not say: what was read before stands.
      if (total === undefined) return cached.get(from.number)?.numbers ?? [];
      if (total === 0) {
        cached.delete(from.number);
        return [];
      }
      const key = `${instantOf(from.updated_at)} ${total}`;
      const before = cached.get(from.number);
      if (before?.key === key) return before.numbers;
      const numbers = await read(from.number);
      cached.set(from.number, { key, numbers });
      return numbers;
    },
  };
}
