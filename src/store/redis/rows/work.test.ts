// The line that a claim puts on the work of an issue, unfolded, is what core decides for the same claim.

import { describe, expect, it } from 'vitest';
import { ISSUE, NOW, past, task } from '../../../../test/support/decide.ts';
import { claimTask } from '../../../core/decide/claim.ts';
import type { IssueRow } from '../../../core/rows/issue-row.ts';
import { noLedger } from '../../../core/rows/ledger-row.ts';
import type { ClaimInput } from '../../../core/store.ts';
import { parseTaskId } from '../../../core/task.ts';
import {
  decodeLeased,
  decodeWork,
  fileTask,
  findTask,
  isOpenWork,
  issueName,
  issueOf,
  issueOfName,
  nextWork,
} from './work.ts';

const INPUT: ClaimInput = {
  agentId: 'a1',
  capabilities: [],
  requestId: 'a request\nwith "hostile" text',
  token: 'secret',
  leaseSeconds: 60,
  groups: [],
  registryVersion: 1,
  writeLockMs: 30_000,
};
const NAME = issueName(ISSUE);
const NOTHING = decodeWork(NAME, '');
const lockOf = () => 'lock';
const row: IssueRow = {
  ...ISSUE,
  state: 'open',
  updatedAt: 5,
  seenAt: 9,
  matchLabels: ['a b'],
  labels: ['a b', 'c'],
  dependsOn: [3],
};
const issue = { row, picture: 'fingerprint', born: 5 };

const rows = {
  'a plain task': task(),
  'a review': task({ id: 'octo~park~7~review.2', kind: 'review', round: 2, authors: ['a0'] }),
  'a fix on a strange branch': task({
    id: 'octo~park~7~fix.1',
    kind: 'fix',
    branch: 'a\tb\nc "d"',
  }),
  'one with a past': task({ fence: 9, attempts: 2, past: [past(), past({ fence: 9 })] }),
};
const ledgers = {
  'no ledger': noLedger(ISSUE),
  'a ledger with writes': claimTask(task({ id: 'octo~park~7~fix.3' }), noLedger(ISSUE), INPUT, {
    now: NOW - 5,
    nextPlace: () => 1,
  }).answer.ledger,
};

/** The line that a step puts on top for the lease that core decided. */
function lineOf(id: string, lease: ReturnType<typeof claimTask>['answer']['row']['lease']): string {
  const { token, agentId, fence, seconds, leasedAt, expiresAt } = lease;
  const name = id.slice(NAME.length + 1);
  const request = JSON.stringify(INPUT.requestId);
  const about = `${expiresAt} ${token} ${agentId} ${fence} ${seconds} ${leasedAt}`;
  return `L${name} ${about} ${INPUT.writeLockMs} ${request}`;
}

describe.each(Object.entries(rows))('%s', (_name, found) => {
  const named = { ...found, ...parseTaskId(found.id) };

  it.each(Object.entries(ledgers))('on %s', (_ledger, ledger) => {
    const tasks = [fileTask(named, '12', 'lock')];
    const { text } = nextWork(NOTHING, { issue, ledger, tasks }, NOW, lockOf);
    const decision = claimTask(named, ledger, INPUT, { now: NOW, nextPlace: () => 1 });
    const leased = `${lineOf(found.id, decision.answer.row.lease)}\n${text}`;
    const { work, row: unfolded, taken } = decodeLeased(NAME, leased);
    expect(unfolded).toEqual(decision.answer.row);
    expect(taken.ledger).toEqual(decision.answer.ledger);
    expect(taken.writes).toEqual(decision.answer.writes);
    expect(work.stamp).toBe(leased.slice(0, leased.indexOf('\n') + 1));
    expect(findTask(work, found.id)?.bucket).toBe('12');
    expect([work.born, work.picture]).toEqual([5, 'fingerprint']);
    // Whoever changes it next writes what was unfolded, and no line is left on top.
    const next = nextWork(work, {}, NOW + 1, lockOf);
    const again = decodeWork(NAME, next.text);
    expect(again.ledger).toEqual(decision.answer.ledger);
    expect(findTask(again, found.id)?.row).toEqual(decision.answer.row);
    expect(next.text.startsWith('v')).toBe(true);
  });

  it('is the same after it was written down', () => {
    const tasks = [fileTask(named, '3', 'lock')];
    const { text } = nextWork(NOTHING, { tasks }, NOW, lockOf);
    expect(findTask(decodeWork(NAME, text), found.id)?.row).toEqual(named);
  });
});

it('the issue is kept without when it was seen, and so is what nobody changed', () => {
  const first = nextWork(NOTHING, { issue, tasks: [fileTask(task(), '1', 'lock')] }, NOW, lockOf);
  const work = decodeWork(NAME, first.text);
  expect(issueOf(work)).toEqual({ ...row, seenAt: 0 });
  expect(isOpenWork(work)).toBe(true);
  const second = nextWork(work, { ledger: ledgers['a ledger with writes'] }, NOW, lockOf);
  const lines = (text: string) => text.split('\n');
  expect(lines(second.text)[1]).toBe(lines(first.text)[1]);
  expect(lines(second.text).slice(3)).toEqual(lines(first.text).slice(3));
});

it('no two texts begin alike, also when the clock stands still or goes back', () => {
  const first = nextWork(NOTHING, { issue }, NOW, lockOf);
  const second = nextWork(first.work, { issue }, NOW, lockOf);
  const third = nextWork(second.work, { issue }, NOW - 1000, lockOf);
  expect(new Set([first, second, third].map(({ work }) => work.stamp)).size).toBe(3);
  expect(third.text.startsWith(third.work.stamp)).toBe(true);
});

it('names say which issue is meant, with and without an owner', () => {
  for (const ref of [ISSUE, { repository: 'shop', number: 12 }]) {
    expect(issueOfName(issueName(ref))).toEqual(ref);
  }
});
