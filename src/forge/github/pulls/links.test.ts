import { describe, expect, it } from 'vitest';
import { issue } from '../../../../test/support/planning.ts';
import type { Pull } from '../shapes.ts';
import { mentionsIn, pullFor, touchedBy } from './links.ts';

const pull = (over: Partial<Pull> = {}): Pull => ({
  number: 20,
  headBranch: 'x',
  state: 'open',
  endedAt: null,
  author: 'hana',
  decision: null,
  decidedAt: null,
  comments: [],
  title: 'A change',
  body: '',
  url: 'https://example.invalid/20',
  labels: [],
  draft: false,
  ownBranch: true,
  association: 'NONE',
  mergeSha: null,
  createdAt: 0,
  updatedAt: 0,
  ...over,
});
const chosen = (given: Partial<Parameters<typeof issue>[0]>, ...pulls: Pull[]) =>
  pullFor(issue(given), pulls, 'main')?.number ?? null;

describe('what a text says of issues', () => {
  it.each([
    ['Closes #7', [7], []],
    ['fixed: #7, resolves o/r#8 and CLOSE #9', [7, 8, 9], []],
    ['see #7, https://github.com/o/r/issues/8', [], [7, 8]],
    ['Closes https://github.com/o/r/issues/8.', [8], []],
    ['Closes x/y#7, https://github.com/x/y/issues/8', [], []],
    ['abc#7 a/#7 &#39; #7x colour #fff', [], []],
    ['discloses #7', [], [7]],
    ['#7 closes #7', [7], []],
  ])('%j', (text, closes, names) => {
    expect(mentionsIn(text, 'O/R')).toEqual({ closes, names });
  });

  it('is read in linear time', () => {
    const startedAt = performance.now();
    mentionsIn('closes '.repeat(100_000), 'o/r');
    mentionsIn(`${'a'.repeat(1_000_000)}/`, 'o/r');
    mentionsIn('https://'.repeat(100_000), 'o/r');
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });
});

describe('the pull request of an issue', () => {
  it('comes from its branch, whatever the target', () => {
    expect(chosen({}, pull({ headBranch: 'feature/issue-7' }))).toBe(20);
    expect(chosen({ body: 'Branch: fix/x' }, pull({ headBranch: 'fix/x' }))).toBe(20);
    // The wish may not have been followed.
    expect(chosen({ body: 'Branch: fix/x' }, pull({ headBranch: 'feature/issue-7' }))).toBe(20);
    expect(chosen({ body: 'Branch: fix;x' }, pull({ headBranch: 'fix;x' }))).toBeNull();
  });

  it('is not one of a fork that took the same name for its branch', () => {
    expect(chosen({}, pull({ headBranch: 'feature/issue-7', ownBranch: false }))).toBeNull();
  });

  it('may only name the issue where work on it has begun', () => {
    const named = pull({ body: 'about #7' });
    expect(chosen({}, named)).toBeNull();
    expect(chosen({ labels: ['Needs-Review'] }, named)).toBe(20);
    expect(chosen({ labels: ['needs-review'] }, { ...named, state: 'merged' })).toBeNull();
  });

  it('is the open one, then the one with the stronger link, then the newest', () => {
    const labels = ['needs-review'];
    const branch = pull({ number: 1, headBranch: 'feature/issue-7' });
    const closes = pull({ number: 2, body: 'fixes #7' });
    const names = pull({ number: 3, body: '#7' });
    expect(chosen({ labels }, names, closes, branch)).toBe(1);
    expect(chosen({ labels }, { ...branch, state: 'merged' }, names, closes)).toBe(2);
    expect(chosen({ labels }, { ...branch, state: 'closed' }, { ...closes, state: 'merged' })).toBe(
      2,
    );
    expect(chosen({ labels }, closes, { ...closes, number: 9 })).toBe(9);
  });
});

it('a pull request touches the issues it speaks of and those whose branch it is', () => {
  const named = new Map([['fix/x', new Set([4])]]);
  const given = pull({ headBranch: 'feature/issue-5', body: '#6 closes #7, #20' });
  expect(new Set(touchedBy(given, 'o/r', named))).toEqual(new Set([5, 6, 7]));
  expect(touchedBy(pull({ headBranch: 'fix/x' }), 'o/r', named)).toEqual([4]);
});
