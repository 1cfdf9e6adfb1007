// The outbox, as decisions on one ledger row.

import { describe, expect, it, test } from 'vitest';
import {
  decide,
  ISSUE,
  leased,
  ledger,
  moment,
  NOW,
  TASK,
  task,
} from '../../../test/support/decide.ts';
import type { LedgerRow } from '../rows/ledger-row.ts';
import type { LeasedRow } from '../rows/task-row.ts';
import type { Settlement } from '../store.ts';
import { claimTask, heldAlready, heldOutcome, takeAgain, takeWritesOf } from './claim.ts';
import { labels, settleWrite, takeWrites, touchLabels } from './outbox.ts';
import { adopt, lock, sameLabels, want, writeBranch } from './wants.ts';

const LABELS = 'labels:octo/park#7';
const wanting = want(ledger(), ['needs-review'], NOW);

test.each([
  [[], [], true],
  [['A', 'b'], ['B', 'a', 'a'], true],
  [['a'], ['b'], false],
  [[], ['a'], false],
  [['a', 'b'], ['a'], false],
])('labels compare without case and order: %j and %j', (a, b, same) => {
  expect(sameLabels(a, b)).toBe(same);
});

describe('want', () => {
  it('makes one entry, and merges later wants into it with a new version', () => {
    const again = want(wanting, ['approved'], NOW);
    expect(again.writes).toHaveLength(1);
    expect(again.writes[0]?.version).toBeGreaterThan(wanting.writes[0]?.version ?? 0);
    expect(again.version).toBe(again.writes[0]?.version);
  });
  it('asks for nothing where it stands already, and goes on with what is pending', () => {
    const there = ledger({ written: ['approved'] });
    expect(want(there, ['Approved'], NOW)).toMatchObject({ wanted: ['Approved'], writes: [] });
    expect(want({ ...wanting, written: ['x'] }, ['x'], NOW).writes).toHaveLength(1);
    expect(want(wanting, ['needs-review'], NOW)).toBe(wanting);
  });
  it('leaves a lock until the write under way has ended', () => {
    const [entry] = wanting.writes;
    if (entry === undefined) throw new Error('no entry');
    const locked = lock(wanting, entry, NOW + 50);
    expect(locked.written).toEqual(['needs-review']);
    expect(want(locked, ['x'], NOW + 10).writes).toMatchObject([{ availableAt: NOW + 50 }]);
    expect(want(locked, ['x'], NOW + 50).writes).toMatchObject([{ availableAt: NOW + 50 }]);
    expect(want(locked, ['x'], NOW + 60).writes).toMatchObject([{ availableAt: NOW + 60 }]);
  });
});

test('what is adopted is removed unless it is wanted', () => {
  expect(adopt(ledger(), ['in-progress'], NOW)).toMatchObject({
    written: ['in-progress'],
    writes: [{ type: 'labels' }],
  });
  expect(adopt(ledger({ wanted: ['x'] }), ['x'], NOW).writes).toEqual([]);
});

test('labels are touched once, and only of an issue that is known', () => {
  expect(decide(touchLabels, { issue: ISSUE }).ledger?.writes).toHaveLength(1);
  expect(decide(touchLabels, { issue: ISSUE }, { ledger: wanting }).ledger).toBeUndefined();
});

test('a write is taken while it is due', () => {
  const take = (now: number, ids = [LABELS]) =>
    decide(takeWrites, { issue: ISSUE, ids, lockMs: 30 }, { ledger: wanting, now });
  expect(take(NOW - 1).answer).toEqual([]);
  expect(take(NOW, ['other']).answer).toEqual([]);
  const taken = take(NOW);
  expect(taken.answer).toMatchObject([{ id: LABELS, type: 'labels', number: 7 }]);
  expect(taken.ledger?.writes).toMatchObject([{ availableAt: NOW + 30 }]);
});

test('what is read for a write may stand on the issue from then on, also where it is wanted since the lock', () => {
  const read = (row: LedgerRow) => decide(labels, { issue: ISSUE }, { ledger: row });
  const changed = ledger({ wanted: ['in-progress', 'a1'], written: ['needs-review'] });
  const put = ['needs-review', 'in-progress', 'a1'];
  expect(read(changed)).toMatchObject({ ledger: { written: put }, answer: { written: put } });
  expect(read(ledger({ wanted: ['a1'], written: ['a1', 'x'] })).ledger).toBeUndefined();
});

describe('settling', () => {
  const [entry] = wanting.writes;
  const version = entry?.version ?? 0;
  const locked = entry === undefined ? wanting : lock(wanting, entry, NOW + 50);
  const touched = want(locked, ['approved'], NOW);
  const written: Settlement = { outcome: 'written', labels: ['needs-review'] };
  const retry: Settlement = { outcome: 'retry', delayMs: 9, error: 'no' };
  const refused: Settlement = { outcome: 'refused', error: 'no' };
  const say = (row: LedgerRow, settlement: Settlement, of = version) =>
    decide(settleWrite, { issue: ISSUE, id: LABELS, version: of, settlement }, { ledger: row });

  it.each([
    [
      'written',
      locked,
      written,
      { writes: [], written: ['needs-review'], writtenAt: NOW },
      'ledger_written',
    ],
    [
      'retried',
      locked,
      retry,
      { writes: [{ attempts: 1, availableAt: NOW + 9, lockedVersion: null }] },
      'ledger_failed',
    ],
    ['refused', locked, refused, { writes: [] }, 'ledger_failed'],
    [
      'written, touched meanwhile',
      touched,
      written,
      { writes: [{ availableAt: NOW, lockedVersion: null }] },
      'ledger_written',
    ],
    [
      'refused, touched meanwhile',
      touched,
      refused,
      { writes: [{ availableAt: NOW, attempts: 0 }] },
      'ledger_failed',
    ],
  ])('%s', (_name, row, settlement, after, fact) => {
    const decision = say(row, settlement);
    expect(decision.ledger).toMatchObject(after);
    expect(decision.facts).toMatchObject([{ type: fact }]);
  });

  describe('by whoever took it over from somebody who was never heard of again', () => {
    const take = (row: LedgerRow, until: number): LedgerRow => {
      const [due] = row.writes;
      return due === undefined ? row : lock(row, due, until);
    };
    const taken = take(want(locked, ['approved'], NOW), NOW + 90);
    const approved: Settlement = { outcome: 'written', labels: ['approved'] };
    const settle = (row: LedgerRow, settlement: Settlement, now = NOW) => {
      const of = row.writes[0]?.version ?? 0;
      const input = { issue: ISSUE, id: LABELS, version: of, settlement };
      return decide(settleWrite, input, { ledger: row, now }).ledger ?? row;
    };

    it('is written once more, when what the other had to write must have arrived', () => {
      const first = settle(taken, approved);
      expect(first).toMatchObject({
        written: ['needs-review', 'approved'],
        writes: [{ availableAt: NOW + 90, lockedVersion: null, attempts: 0 }],
      });
      expect(settle(take(first, NOW + 120), approved, NOW + 90)).toMatchObject({
        written: ['approved'],
        writes: [],
      });
    });

    it('is so also where it is touched meanwhile, or is wanted otherwise before that', () => {
      const touchedAgain = want(taken, ['x'], NOW);
      const of = taken.writes[0]?.version ?? 0;
      const after = say(touchedAgain, approved, of).ledger ?? touchedAgain;
      expect(after.written).toEqual(['needs-review', 'approved']);
      expect(settle(take(after, NOW + 30), { outcome: 'written', labels: ['x'] })).toMatchObject({
        written: ['needs-review', 'approved', 'x'],
        writes: [{ availableAt: NOW + 90 }],
      });
    });

    it('is at an end where the other had the same to write, or has had its time', () => {
      expect(settle(take(locked, NOW + 90), written)).toMatchObject({ writes: [] });
      expect(settle(taken, approved, NOW + 90)).toMatchObject({ writes: [] });
    });

    it('is at no end while one of several had something else', () => {
      const twice = take(take(want(locked, ['approved'], NOW), NOW + 60), NOW + 90);
      expect(settle(twice, approved)).toMatchObject({ writes: [{ availableAt: NOW + 90 }] });
    });
  });

  it('put off is no failure: nothing is counted or told', () => {
    const decision = say(locked, { outcome: 'later', delayMs: 9 });
    const again = { attempts: 0, availableAt: NOW + 9, lockedVersion: null };
    expect(decision.ledger).toMatchObject({ writes: [again] });
    expect(decision.facts).toEqual([]);
  });

  it('is final only for the version that is current', () => {
    expect(say(locked, refused).facts).toMatchObject([{ final: true }]);
    expect(say(touched, refused).facts).toMatchObject([{ final: false }]);
    expect(say(locked, retry).facts).toMatchObject([{ final: false }]);
  });

  it('of a version that nobody holds only remembers labels that may have arrived', () => {
    const late = say(locked, { outcome: 'written', labels: ['late'] }, 1);
    expect(late.ledger?.written).toEqual(['needs-review', 'late']);
    expect(late.ledger?.writes).toEqual(locked.writes);
    expect(late.facts).toBeUndefined();
    expect(say(locked, retry, 1)).toEqual({ answer: undefined });
  });

  it('of an entry that is gone changes nothing where it says nothing new', () => {
    expect(say(ledger(), retry)).toEqual({ answer: undefined });
    const known = ledger({ written: ['needs-review', 'x'] });
    expect(say(known, written)).toEqual({ answer: undefined });
  });

  it('of an entry that somebody else has written since has its labels taken off again', () => {
    const now = ledger({ wanted: ['approved'], written: ['approved'], writtenAt: NOW - 1 });
    const late = say(now, written);
    expect(late.ledger?.written).toEqual(['approved', 'needs-review']);
    expect(late.ledger?.writes).toMatchObject([{ type: 'labels', availableAt: NOW }]);
  });

  it('of an entry that is gone has all its labels taken off again where one of them is new', () => {
    const labels = ['in-progress', 'a0'];
    const now = ledger({ wanted: ['approved'], written: ['in-progress'], writtenAt: NOW - 1 });
    const late = say(now, { outcome: 'written', labels });
    expect(late.ledger?.written).toEqual(labels);
    expect(late.ledger?.writes).toMatchObject([{ type: 'labels', availableAt: NOW }]);
  });

  it('of a store that has lost its data is left to adoption, which knows the names of agents', () => {
    const labels = ['in-progress', 'a0'];
    expect(say(ledger(), { outcome: 'written', labels })).toEqual({ answer: undefined });
  });
});

describe('claim', () => {
  const input = {
    agentId: 'a1',
    capabilities: [],
    requestId: 'r1',
    token: 't9',
    leaseSeconds: 60,
    groups: [],
    registryVersion: 1,
    writeLockMs: 30,
  };

  it('leases with the next fence, and takes branch and labels with it', () => {
    const { tasks, ledger: after, facts, answer } = claimTask(task(), ledger(), input, moment());
    const fence = NOW * 1000;
    expect(tasks).toMatchObject([
      {
        state: 'leased',
        fence,
        lease: { token: 't9', fence, expiresAt: NOW + 60_000, answered: false },
      },
    ]);
    expect(after).toMatchObject({ wanted: ['in-progress', 'a1'], written: ['in-progress', 'a1'] });
    expect(answer.writes).toMatchObject([
      { type: 'branch', taskId: TASK, fence, branch: 'topic' },
      { type: 'labels', taskId: TASK, fence },
    ]);
    expect(answer.unwritten).toBe(2);
    expect(facts).toMatchObject([{ type: 'leased', fence, attempt: 1, waitedMs: NOW - 500 }]);
  });

  it('never gives a fence twice, whatever the clock says', () => {
    const high = task({ fence: NOW * 5000 });
    expect(claimTask(high, ledger(), input, moment()).answer.row.fence).toBe(NOW * 5000 + 1);
  });

  it('asks for no branch for a review', () => {
    const review = task({ id: TASK.replace('implement', 'review'), kind: 'review' });
    const { answer } = claimTask(review, ledger(), input, moment());
    expect(answer.writes.map(({ type }) => type)).toEqual(['labels']);
  });

  it('leaves to others what they are writing', () => {
    const row = leased();
    const own = writeBranch(ledger(), row, NOW);
    expect(takeWritesOf(row, own, null, NOW)).toMatchObject({
      writes: [],
      unwritten: 1,
      ledger: own,
    });
    expect(takeWritesOf(row, own, 10, NOW).writes).toHaveLength(1);
    expect(takeWritesOf(row, own, 10, NOW - 1)).toMatchObject({ writes: [], unwritten: 1 });
  });

  it('gives the writes of a lost answer to the request that is repeated, and to no other', () => {
    const row = leased() as LeasedRow;
    const before = writeBranch(ledger(), row, NOW);
    const again = (replay: boolean) =>
      decide(takeAgain, { row, replay, writeLockMs: 10 }, { ledger: before });
    expect(again(true).ledger?.writes).toMatchObject([{ availableAt: NOW + 10 }]);
    expect(again(true).answer).toMatchObject({ row, unwritten: 1, writes: [{ type: 'branch' }] });
    expect(again(false)).not.toHaveProperty('ledger');
    expect(again(false).answer).toMatchObject({ row, unwritten: 1, writes: [] });
    expect([true, false].map((replay) => heldOutcome({ row, replay }))).toEqual([
      'leased',
      'unfinished',
    ]);
  });

  it('tells what an agent holds already, and whether it answers this request', () => {
    const lease = leased().lease;
    if (lease === null) throw new Error('no lease');
    const one = leased({ lease: { ...lease, requestId: 'r1', leasedAt: 2 } });
    const other = leased({ lease: { ...lease, requestId: 'r2', leasedAt: 1 } });
    expect(heldAlready([one, other], 'r1', NOW)).toEqual({ row: one, replay: true });
    expect(heldAlready([one, other], 'r3', NOW)).toEqual({ row: other, replay: false });
    expect(heldAlready([one, other], null, NOW)).toEqual({ row: other, replay: false });
    expect(heldAlready([one], 'r1', NOW + 50_000)).toBeNull();
  });
});
