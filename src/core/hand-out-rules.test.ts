import { describe, expect, it } from 'vitest';
import { mayBePaused, pausedFor, pausedName, pausedSetting } from './paused.ts';
import { isSameReport, type Report, reportText } from './report.ts';
import { meetUnfinished, ON_UNFINISHED } from './unfinished.ts';

describe('a request by an agent that still holds a task', () => {
  it.each(ON_UNFINISHED)('is answered with it when the agent was never told of it (%s)', (how) => {
    expect(meetUnfinished({ answered: false, kind: 'implement' }, how)).toBe('answer');
    expect(meetUnfinished({ answered: false, kind: 'review' }, how)).toBe('answer');
  });

  it('means what the request says when the agent was told of it', () => {
    for (const how of ON_UNFINISHED) {
      expect(meetUnfinished({ answered: true, kind: 'implement' }, how)).toBe(how);
    }
    expect(meetUnfinished({ answered: true, kind: 'review' }, 'complete')).toBe('fail');
    expect(meetUnfinished({ answered: true, kind: 'review' }, 'resume')).toBe('resume');
  });
});

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

describe('hand-out that is paused for some', () => {
  it('is a setting with the name of a repository or an agent', () => {
    expect(pausedName(pausedSetting('octo/park'))).toBe('octo/park');
    expect(pausedName('flags:maintenance')).toBeNull();
    expect(pausedName('flags:debug:enabled')).toBeNull();
    expect(['octo/park', 'park', 'a.b-c_1'].every(mayBePaused)).toBe(true);
    expect(['', '/', 'a/', 'a/b/c', 'a b', 'a:b', 'x'.repeat(101)].some(mayBePaused)).toBe(false);
  });

  it('stops an agent, or a request that asks for nothing else', () => {
    const paused = new Set(['a1', 'octo/park']);
    const of = (agentId: string, repositories: string[] | null) =>
      pausedFor({ agentId, repositories }, paused);
    expect(of('a1', null)).toMatch(/a1 is paused/);
    expect(of('a2', null)).toBeNull();
    expect(of('a2', [])).toBeNull();
    expect(of('a2', ['octo/park'])).toMatch(/octo\/park is paused/);
    expect(of('a2', ['octo/park', 'octo/shop'])).toBeNull();
    expect(pausedFor({ agentId: 'a1', repositories: null }, new Set())).toBeNull();
  });
});
