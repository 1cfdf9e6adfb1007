// The pull requests of a repository, found by the branch they come from and by the issues they speak of.

import type { Issue } from '../../../core/issue.ts';
import { createBoundedMap } from '../bounded-map.ts';
import type { Pull } from '../shapes.ts';
import { pullFor, touchedBy, wishedBranchOf } from './links.ts';

/** Closed ones are remembered for the rounds they end; the oldest are forgotten. */
const CLOSED_KEPT = 2000;

const NOBODY: ReadonlySet<number> = new Set();

export interface PullIndex {
  get(number: number): Pull | undefined;
  all(): Iterable<Pull>;
  /** Answers with the issues that may look different by it. */
  put(pull: Pull): number[];
  /** An agent's word that it is this issue's, where nothing on GitHub says so. */
  claim(pull: number, issue: number): void;
  /** GitHub's word that it speaks of this issue, somewhere else than in its own text. */
  mention(pull: number, issue: number): void;
  /** Everything that may be this issue's by what it says itself, not by an agent's word. */
  candidates(issue: Issue, defaultBranch: string): Pull[];
  /** The pull request of an issue; remembers the choice, so that the request is no item of its own. */
  linkTo(issue: Issue, defaultBranch: string, except?: ReadonlySet<number>): Pull | null;
  /** True where an open issue has chosen it. */
  isLinked(number: number): boolean;
  /** The pull requests whose choice has changed since this was last asked. */
  takeRelinked(): number[];
  isMerge(sha: string): boolean;
  /** Nothing will be asked about this issue for a long time. */
  forget(issue: number): void;
}

function add<K>(map: Map<K, Set<number>>, key: K, value: number): void {
  const values = map.get(key) ?? new Set();
  values.add(value);
  map.set(key, values);
}

function remove<K>(map: Map<K, Set<number>>, key: K, value: number): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}

export function createPullIndex(repository: string): PullIndex {
  const pulls = new Map<number, Pull>();
  const byBranch = new Map<string, Set<number>>();
  const byIssue = new Map<number, Set<number>>();
  /** Branches that issues name in their bodies. */
  const named = new Map<string, Set<number>>();
  const chosen = new Map<number, number>();
  const linked = new Map<number, Set<number>>();
  const claims = new Map<number, Set<number>>();
  const mentions = new Map<number, Set<number>>();
  const relinked = new Set<number>();
  const merges = createBoundedMap<string, true>(CLOSED_KEPT);

  function unlink(issue: number): void {
    const pull = chosen.get(issue);
    if (pull === undefined) return;
    chosen.delete(issue);
    remove(linked, pull, issue);
    relinked.add(pull);
  }

  function choose(issue: number, pull: number): void {
    if (chosen.get(issue) === pull) return;
    unlink(issue);
    chosen.set(issue, pull);
    add(linked, pull, issue);
    relinked.add(pull);
  }

  function drop(pull: Pull): void {
    pulls.delete(pull.number);
    remove(byBranch, pull.headBranch, pull.number);
    for (const number of touchedBy(pull, repository, named)) remove(byIssue, number, pull.number);
  }

  function candidates(issue: Issue, defaultBranch: string): Pull[] {
    const branch = wishedBranchOf(issue, defaultBranch);
    if (branch !== `feature/issue-${issue.number}`) add(named, branch, issue.number);
    const numbers = [
      ...(byBranch.get(branch) ?? []),
      ...(byIssue.get(issue.number) ?? []),
      ...(mentions.get(issue.number) ?? []),
    ];
    return [...new Set(numbers)].flatMap((number) => pulls.get(number) ?? []);
  }

  function dropOldest(except: Pull): void {
    for (const pull of pulls.values()) {
      if (pull.state === 'open' || pull === except) continue;
      drop(pull);
      return;
    }
  }

  return {
    get: (number) => pulls.get(number),
    all: () => pulls.values(),
    put(pull) {
      const before = pulls.get(pull.number);
      const touched = new Set(before === undefined ? [] : touchedBy(before, repository, named));
      if (before !== undefined) drop(before);
      pulls.set(pull.number, pull);
      add(byBranch, pull.headBranch, pull.number);
      for (const number of touchedBy(pull, repository, named)) {
        add(byIssue, number, pull.number);
        touched.add(number);
      }
      for (const number of linked.get(pull.number) ?? []) touched.add(number);
      if (pull.state === 'merged' && pull.mergeSha !== null) merges.set(pull.mergeSha, true);
      if (pulls.size > CLOSED_KEPT) dropOldest(pull);
      return [...touched];
    },
    claim(pull, issue) {
      add(claims, issue, pull);
      if (pulls.has(pull)) choose(issue, pull);
    },
    mention: (pull, issue) => add(mentions, issue, pull),
    candidates,
    linkTo(issue, defaultBranch, except = NOBODY) {
      const claimed = claims.get(issue.number) ?? NOBODY;
      const mentioned = mentions.get(issue.number) ?? NOBODY;
      const own = candidates(issue, defaultBranch).filter(({ number }) => !except.has(number));
      const reported = [...claimed].flatMap((number) => pulls.get(number) ?? []);
      const found = [...new Set([...own, ...reported])];
      const pull = pullFor(issue, found, defaultBranch, { claimed, mentioned });
      if (issue.state === 'open' && pull !== null) choose(issue.number, pull.number);
      else unlink(issue.number);
      return pull;
    },
    isLinked: (number) => (linked.get(number)?.size ?? 0) > 0,
    takeRelinked() {
      const numbers = [...relinked];
      relinked.clear();
      return numbers;
    },
    isMerge: (sha) => merges.has(sha),
    forget(issue) {
      unlink(issue);
      for (const memory of [byIssue, claims, mentions]) memory.delete(issue);
      for (const branch of named.keys()) remove(named, branch, issue);
    },
  };
}
