import { expect, test } from 'vitest';
import { issue, lease, leased } from '../../../test/support/decide.ts';
import { type IssueRow, isListed, isSameIssue, livesOn, sameTexts } from './issue-row.ts';
import type { WriteRow } from './ledger-row.ts';
import { livingLeases, shortestLease } from './task-row.ts';

test.each<[Partial<IssueRow>, boolean]>([
  [{}, true],
  [{ seenAt: 999 }, true],
  [{ state: 'closed' }, false],
  [{ updatedAt: 999 }, false],
  [{ matchLabels: ['css'] }, false],
  [{ matchLabels: ['python', 'css'] }, false],
  [{ labels: ['css'] }, false],
  [{ labels: ['python', 'css'], matchLabels: ['python'] }, false],
  [{ labels: [] }, false],
  [{ dependsOn: [1] }, false],
])('an issue with %j is the same as before: %s', (over, same) => {
  const row = issue();
  expect(isSameIssue(row, issue(over))).toBe(same);
  expect(isSameIssue(row, row)).toBe(true);
});

test.each([
  [[], [], true],
  [['a', 'b'], ['a', 'b'], true],
  [['a', 'b'], ['a', 'c'], false],
  [['a', 'b'], ['b', 'a'], false],
  [['a'], ['a', 'b'], false],
])('the texts %j are the same as %j: %s', (some, others, same) => {
  expect(sameTexts(some, others)).toBe(same);
});

test('an agent beats as often as the shortest of its leases wants, and paused ones want nothing', () => {
  const row = (seconds: number, pausedUntil: number | null = null) => {
    const own = lease({ seconds, pausedUntil });
    return { ...leased(), lease: own };
  };
  expect(shortestLease([row(60), row(30), row(90)])).toBe(30);
  expect(shortestLease([row(60), row(30, 5)])).toBe(60);
  expect(shortestLease([row(30, 5)])).toBeNull();
});

test('the first lease of an agent comes first, by its fence where two began together', () => {
  const row = (leasedAt: number, fence: number, expiresAt = 100) =>
    leased({ lease: lease({ leasedAt, fence, expiresAt }) });
  const rows = [row(5, 9), row(5, 7), row(1, 8), row(0, 1, 50)];
  expect(livingLeases(rows, 50).map((one) => one.lease.fence)).toEqual([8, 7, 9]);
});

test.each([
  ['open', false, 0, true, true],
  ['closed', false, 0, false, false],
  ['closed', true, 0, true, true],
  ['closed', false, 1, false, true],
  [undefined, false, 0, false, false],
  [undefined, true, 0, true, true],
] as const)(
  'an issue that is %s, busy: %s, with %i writes',
  (state, busy, count, listed, lives) => {
    const row = state === undefined ? undefined : { state };
    const writes = Array.from({ length: count }, () => ({}) as WriteRow);
    expect([isListed(row, busy), livesOn(row, { writes }, busy)]).toEqual([listed, lives]);
  },
);
