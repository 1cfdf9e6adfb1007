// The branch that an issue's text asks for, and why it is not followed. The text is a stranger's: a wish may not take
// a name from another issue, and not a branch that was there before.

import { type Because, because } from '../because.ts';
import type { Issue } from '../issue.ts';
import { branchFromBody } from '../issue-text/body.ts';
import { collides, isSafeRefName } from '../issue-text/ref-name.ts';
import type { Attempt } from '../task.ts';

export function ownBranch(number: number): string {
  return `feature/issue-${number}`;
}

const OWN_BRANCHES = /^feature(?:\/issue-(\d+)(?:\/.*)?)?$/i;

/**
 * `unsafe_name`, `default_branch`, `reserved_name`, `used_by:#5`, `exists`, `refused`, `unchecked`: why a wish is not
 * followed.
 */
export type WishProblem = string;

/** The name that the text asks for, where it is not the name it would get anyway. */
export function wishOf(issue: Pick<Issue, 'body' | 'number' | 'subject'>): string | null {
  const wish = issue.subject === 'issue' ? branchFromBody(issue.body) : null;
  return wish === ownBranch(issue.number) ? null : wish;
}

/** What can be said about a wish by its name alone; null: nothing speaks against it. */
export function wishProblem(wish: string, defaultBranch: string): WishProblem | null {
  if (collides(wish, defaultBranch)) return 'default_branch';
  if (!isSafeRefName(wish, defaultBranch)) return 'unsafe_name';
  // All issues' own names are taken, whether the issue exists yet or not: `feature` would stand in the way of all.
  return OWN_BRANCHES.test(wish) ? 'reserved_name' : null;
}

/** The branch was made for this issue: some lease worked on it, and the forge did not refuse it. */
export function wasMadeFor(attempts: readonly Attempt[], branch: string): boolean {
  return attempts.some((one) => one.branch === branch && one.outcome !== 'refused');
}

/** Said by the forge about the name itself, so that another name helps. */
const NAME_REFUSED = new Set([
  'branch_exists',
  'branch_conflict',
  'invalid_branch',
  'branch_refused',
]);

export function isNameRefused(reason: string): boolean {
  return NAME_REFUSED.has(reason);
}

/** A lease was undone because of this name: it is not tried again. */
export function wasRefused(attempts: readonly Attempt[], branch: string): boolean {
  return attempts.some(
    (one) => one.branch === branch && one.outcome === 'refused' && isNameRefused(one.note ?? ''),
  );
}

const SHOWN_LENGTH = 80;

/** For `why`: what became of the wish. */
export function explainWish(wish: string, problem: WishProblem, used: string): Because {
  const [word = '', detail = ''] = problem.split(':');
  const sentences: Record<string, string> = {
    unsafe_name: 'a name may only hold letters, digits and ._/+-, in a form that git accepts',
    default_branch: 'it is the default branch, or in its way',
    reserved_name: "it is, or would stand in the way of, other issues' branches",
    used_by: `the issue ${detail} uses it, or one that cannot exist beside it`,
    exists: 'a branch of this name exists and was not made for this issue',
    refused: 'it exists and was not made for this issue, or cannot exist beside another branch',
    unchecked: 'the forge could not be asked yet whether that branch exists',
  };
  const shown = JSON.stringify(wish.slice(0, SHOWN_LENGTH));
  return because(
    'branch_not_followed',
    `The issue asks for the branch ${shown}; ${sentences[word] ?? problem}. So ${used} is used.`,
    { wish: shown, problem, branch: used },
  );
}

/** What is known of the wishes of a repository's open issues. The lower number keeps a name that two ask for. */
export function createWishIndex() {
  const wishes = new Map<number, string>();
  /** By the first part of the name: only those can collide. */
  const byFirst = new Map<string, Set<number>>();
  const first = (wish: string) => wish.toLowerCase().split('/', 1)[0] ?? '';

  function rivals(number: number, wish: string): number[] {
    return [...(byFirst.get(first(wish)) ?? [])].filter(
      (other) => other !== number && collides(wishes.get(other) ?? '', wish),
    );
  }

  return {
    /** Answers with the issues that lose their name by it. */
    put(number: number, wish: string | null): number[] {
      const before = wishes.get(number);
      if (before === wish) return [];
      if (before !== undefined) {
        byFirst.get(first(before))?.delete(number);
        if (byFirst.get(first(before))?.size === 0) byFirst.delete(first(before));
        wishes.delete(number);
      }
      if (wish === null) return [];
      wishes.set(number, wish);
      const known = byFirst.get(first(wish)) ?? new Set();
      byFirst.set(first(wish), known.add(number));
      return rivals(number, wish).filter((other) => other > number);
    },
    /** The issue that has the name, or one in its way; null: nobody. */
    rival(number: number, wish: string): number | null {
      const lower = rivals(number, wish).filter((other) => other < number);
      return lower.length === 0 ? null : Math.min(...lower);
    },
  };
}
