import { describe, expect, it } from 'vitest';
import { type Evidence, judge, type Outcome } from './judge.ts';

const NOW = 1_794_800_000_000;

/** A tool that said it is done, with one commit on the branch. */
const GOOD: Evidence = {
  kind: 'implement',
  exitCode: 0,
  signal: null,
  halt: null,
  startError: null,
  hasResult: true,
  result: { ok: true, error: null },
  quota: null,
  fault: null,
  denials: [],
  branch: 'feature/issue-7',
  commits: 1,
  rewritten: false,
  elsewhere: null,
  changed: [],
  untracked: [],
  noChange: null,
  check: null,
  verdict: null,
  now: NOW,
};

const NOTHING = { commits: 0 };
const APPROVE = { verdict: 'approve', summary: 'good', comments: [] } as const;
const review = { kind: 'review', commits: 0 } as const;

type Expected = Outcome['do'] | RegExp;

const CASES: readonly [string, Partial<Evidence>, Expected][] = [
  ['a result and a commit are a success', {}, 'complete'],
  ['a check that passes changes nothing', { check: { command: 'c', passed: true } }, 'complete'],
  ['new untracked files beside a commit are left alone', { untracked: ['x.log'] }, 'complete'],
  [
    'a command without a result line needs exit code 0',
    { hasResult: false, result: null },
    'complete',
  ],
  ['exit code 0 and no commit is a failure', NOTHING, /no new commit on feature\/issue-7/],
  [
    'what was not allowed is part of the reason',
    { ...NOTHING, denials: ['Bash: npm test'] },
    /not allowed to: Bash: npm test/,
  ],
  ['no change, said explicitly, is a success', { ...NOTHING, noChange: 'it is there' }, 'complete'],
  [
    'no change, but files were changed',
    { ...NOTHING, noChange: 'x', changed: ['a.ts'] },
    /uncommitted: a\.ts/,
  ],
  [
    'no change, but commits elsewhere',
    { ...NOTHING, noChange: 'x', elsewhere: 'other' },
    /on other, not on/,
  ],
  ['changes that were not committed', { ...NOTHING, untracked: ['a.ts'] }, /uncommitted: a\.ts/],
  ['a commit, and tracked files left changed', { changed: ['a.ts'] }, /uncommitted: a\.ts/],
  ['commits on another branch', { ...NOTHING, elsewhere: 'main2' }, /on main2, not on the branch/],
  ['rewritten history', { rewritten: true }, /rewritten/],
  [
    'a check that fails',
    { check: { command: 'npm test', passed: false } },
    /`npm test` does not pass/,
  ],
  [
    'an error that the tool reports with exit code 0',
    { result: { ok: false, error: 'API Error' } },
    /API Error/,
  ],
  ['exit code 0 without a result line', { result: null }, /without a result/],
  ['an exit code other than 0', { exitCode: 3, hasResult: false, result: null }, /exit code 3/],
  ['a good result, then a bad exit code', { exitCode: 1 }, /exit code 1/],
  ['somebody killed it', { exitCode: 137, signal: 'SIGKILL', result: null }, /killed by SIGKILL/],
  [
    'a stall, even with exit code 0',
    { halt: { by: 'stall', seconds: 900 } },
    /stalled: no output and no change in the worktree for 900 s/,
  ],
  ['a timeout', { halt: { by: 'timeout', seconds: 60 } }, /longer than the 60 s/],
  ['a lost lease, whatever came out', { halt: { by: 'lease_lost' } }, 'abandon'],
  [
    'a used-up budget, whatever came out',
    { halt: { by: 'budget', detail: '$5 of $5' } },
    'release',
  ],
  [
    'a shutdown, with exit code 0 after our signal',
    { halt: { by: 'shutdown' }, result: null },
    'release',
  ],
  ['a quota', { quota: { returnsAt: NOW + 60_000, message: 'limit' }, exitCode: 1 }, 'release'],
  ['a tool that only waits', { halt: { by: 'refused', why: '429' } }, 'release'],
  [
    'a tool that only waits, as it is not logged in',
    { halt: { by: 'refused', why: 'authentication_failed' } },
    'fault',
  ],
  ['a tool that is not logged in', { fault: 'not logged in', exitCode: 1 }, 'fault'],
  ['a tool that does not start', { startError: 'ENOENT', exitCode: 127 }, 'fault'],
  [
    'a quota says more than the login',
    { quota: { returnsAt: null, message: 'q' }, fault: '401' },
    'release',
  ],
  ['a review with a verdict', { ...review, verdict: APPROVE }, 'complete'],
  [
    'a review without one',
    { ...review, verdict: { problem: 'no JSON' } },
    /no usable verdict: no JSON/,
  ],
  ['a review whose tool failed', { ...review, verdict: APPROVE, exitCode: 1 }, /exit code 1/],
];

describe('the judge', () => {
  it.each(CASES)('%s', (_, change, expected) => {
    const outcome = judge({ ...GOOD, ...change });
    if (typeof expected === 'string') expect(outcome.do).toBe(expected);
    else expect(outcome).toMatchObject({ do: 'fail', reason: expect.stringMatching(expected) });
  });

  it('gives a task back until its quota returns', () => {
    const quota = { returnsAt: NOW + 90_500, message: 'usage limit' };
    expect(judge({ ...GOOD, quota })).toEqual({
      do: 'release',
      reason: 'quota: usage limit',
      delaySeconds: 91,
    });
  });

  it('waits a quarter of an hour where nobody says when the quota returns', () => {
    const quota = { returnsAt: null, message: 'usage limit' };
    expect(judge({ ...GOOD, quota })).toMatchObject({ delaySeconds: 900 });
  });
});
