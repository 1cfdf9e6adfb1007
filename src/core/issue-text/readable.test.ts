import { describe, expect, it } from 'vitest';
import type { Issue } from '../issue.ts';
import { readable } from './readable.ts';

const issue = (over: Partial<Issue>): Issue => ({
  subject: 'issue',
  repository: 'octo/park',
  number: 1,
  title: 'A title',
  body: 'A body',
  url: 'https://forge.example/1',
  labels: ['python'],
  state: 'open',
  author: null,
  createdAt: 0,
  updatedAt: 0,
  priority: null,
  blockedBy: [],
  pull: null,
  problem: null,
  ...over,
});

describe('an issue that any store can take', () => {
  it('is left as it is', () => {
    const fine = issue({ labels: ['python', '日本語', '😀'.repeat(50), 'priority: high'] });
    expect(readable(fine)).toEqual(fine);
  });

  it.each<[string, string[], RegExp]>([
    ['an empty label', ['python', ''], /empty/],
    ['a label of spaces', ['python', '  '], /empty/],
    ['half a surrogate pair', ['python', 'a\ud800'], /surrogate/],
    ['a control character', ['python', 'a\u0000b'], /control/],
    ['a long label', ['python', 'x'.repeat(51)], /longer than 50/],
    ['a long label of wide characters', ['python', '😀'.repeat(51)], /longer than 50/],
  ])('leaves out %s and says so', (_, labels, problem) => {
    expect(readable(issue({ labels }))).toMatchObject({
      labels: ['python'],
      problem: expect.stringMatching(problem),
    });
  });

  it('keeps a hundred of nine thousand labels and of as many blocking issues, and says so', () => {
    const labels = Array.from({ length: 9000 }, (_, n) => `label-${n}`);
    const cut = readable(issue({ labels }));
    expect(cut.labels).toHaveLength(100);
    expect(cut.problem).toContain('more than 100 labels');
    const blockedBy = Array.from({ length: 9000 }, (_, n) => n + 2);
    const waiting = readable(issue({ blockedBy }));
    expect(waiting.blockedBy).toHaveLength(100);
    expect(waiting.problem).toContain('more than 100 issues');
  });

  it('says first what the forge found wrong', () => {
    expect(readable(issue({ labels: [''], problem: 'malformed: x' })).problem).toBe('malformed: x');
  });

  it('replaces broken characters in texts, and cuts a title that is no title', () => {
    const broken = readable(issue({ title: `\ud800${'t'.repeat(5000)}`, body: 'x\udc00' }));
    expect([broken.title, broken.body].every((text) => text.isWellFormed())).toBe(true);
    expect(broken.title.length).toBeLessThan(1010);
    expect(broken.problem).toBeNull();
  });
});
