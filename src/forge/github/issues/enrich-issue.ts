// An issue, or a pull request that is an item of its own, as the broker sees it: GitHub's words and what belongs to
// them (pull request, blockers, trust).

import type { Issue } from '../../../core/issue.ts';
import type { Trust } from '../account/trust.ts';
import type { RepositoryApi } from '../http/repository-api.ts';
import { createCrossReferences } from '../pulls/cross-references.ts';
import type { PullIndex } from '../pulls/pull-index.ts';
import type { Pulls } from '../pulls/pulls.ts';
import { type GithubIssue, linkedPull, type Pull, pullItem, toIssue } from '../shapes.ts';
import { createDependencies } from './dependencies.ts';

export interface IssueEnricher {
  enrich(from: GithubIssue): Promise<Issue>;
  /** The pull request with this number by itself; null: it is not known. */
  ownItem(number: number): Promise<Issue | null>;
  /** Closed long ago: what was remembered about it goes. */
  forget(number: number): void;
}

export function createIssueEnricher(parts: {
  readonly api: RepositoryApi;
  readonly trust: Trust | null;
  readonly index: PullIndex;
  readonly pulls: Pulls;
  readonly now: () => number;
}): IssueEnricher {
  const { api, trust, index, pulls, now } = parts;
  const { repository } = api;
  const dependencies = createDependencies(api);
  const crossReferences = createCrossReferences(api, now);

  /** Pull requests of strangers are not looked at where strangers are not trusted. */
  async function link(base: Issue): Promise<Pull | null> {
    const { default_branch } = await api.about();
    if (trust === null) return index.linkTo(base, default_branch);
    const except = new Set<number>();
    for (const pull of index.candidates(base, default_branch)) {
      if (!(await trust.mayLink(pull))) except.add(pull.number);
    }
    return index.linkTo(base, default_branch, except);
  }

  async function linkByMention(from: GithubIssue, base: Issue): Promise<Pull | null> {
    const numbers = await crossReferences.of(from);
    for (const number of numbers) {
      if (index.get(number) === undefined) await pulls.read(number);
      index.mention(number, base.number);
    }
    return numbers.length === 0 ? null : link(base);
  }

  async function enrich(from: GithubIssue): Promise<Issue> {
    const base = toIssue(repository, from);
    const blockedBy = await dependencies.of(from);
    const pull = (await link(base)) ?? (await linkByMention(from, base));
    const hold = trust === null ? null : await trust.holdOf(from);
    return {
      ...base,
      blockedBy,
      pull: pull === null ? null : linkedPull(pull),
      ...(hold === null ? {} : { hold }),
    };
  }

  async function ownItem(number: number): Promise<Issue | null> {
    const pull = index.get(number);
    if (pull === undefined) return null;
    const item = pullItem(repository, pull, index.isLinked(number));
    const hold = trust === null ? null : await trust.holdOfPull(pull);
    return hold === null ? item : { ...item, hold };
  }

  return {
    enrich,
    ownItem,
    forget(number) {
      index.forget(number);
      dependencies.forget(number);
      crossReferences.forget(number);
      trust?.forget(number);
    },
  };
}
