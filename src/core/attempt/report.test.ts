import { describe, expect, it } from 'vitest';
import { isSameReport, type Report, reportText } from './report.ts';

describe('the content of a report', () => {
  const complete = {
    verb: 'complete',
    summary: 'a',
    prNumber: 1,
    verdict: null,
    comments: [],
  } as const;
  const fail = { verb: 'fail', reason: 'a', retryable: true, delaySeconds: null } as const;
  const reports: Report[] = [
    complete,
    { ...complete, summary: null },
    { ...complete, summary: 'null' },
    { ...complete, prNumber: null },
    { ...complete, verdict: 'approve' },
    { ...complete, comments: ['a', 'b'] },
    { ...complete, comments: ['a","b'] },
    fail,
    { ...fail, retryable: false },
    { ...fail, delaySeconds: 1 },
    { verb: 'release', reason: 'a' },
    { verb: 'release', reason: null },
  ];

  it('differs in every part, and in nothing else', () => {
    expect(new Set(reports.map(reportText)).size).toBe(reports.length);
    expect(reportText({ ...complete, taskId: 'x', token: 'y' } as Report)).toBe(
      reportText(complete),
    );
  });

  it('is compared with what was recorded, and believed where nothing was', () => {
    expect(isSameReport('ab', 'ab')).toBe(true);
    expect(isSameReport('ab', 'cd')).toBe(false);
    expect(isSameReport(null, 'cd')).toBe(true);
    expect(isSameReport('', 'cd')).toBe(true);
  });
});

it.each<[Report, unknown[]]>([
  [
    { verb: 'complete', summary: null, prNumber: null, verdict: null, comments: [] },
    ['complete', null, null, null, []],
  ],
  [
    {
      verb: 'complete',
      summary: null,
      prNumber: null,
      verdict: null,
      comments: [],
      pullRequest: { title: 't', body: 'b' },
    },
    ['complete', null, null, null, [], { title: 't', body: 'b' }],
  ],
  [
    { verb: 'fail', reason: 'a', retryable: true, delaySeconds: null, tree: 'x' },
    ['fail', 'a', true, null, 'x'],
  ],
  [
    { verb: 'fail', reason: 'a', retryable: true, delaySeconds: null, tree: null },
    ['fail', 'a', true, null],
  ],
  [{ verb: 'release', reason: null }, ['release', null]],
  [{ verb: 'release', reason: null, delaySeconds: null }, ['release', null]],
  [{ verb: 'release', reason: null, delaySeconds: 0 }, ['release', null, 0]],
])('%j keeps its text from version to version', (report, words) => {
  expect(JSON.parse(reportText(report))).toEqual(words);
});
