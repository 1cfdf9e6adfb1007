import { describe, expect, it, test } from 'vitest';
import { ISSUE, ledger, TASK } from '../../../test/support/decide.ts';
import {
  countWrites,
  dueWrites,
  firstWriteAt,
  issueOfWrite,
  type WriteRow,
  writeId,
} from './ledger-row.ts';

test.each([
  [{ type: 'labels', taskId: null, event: null }, 'labels:octo/park#7'],
  [{ type: 'branch', taskId: TASK, event: null }, `branch:${TASK}`],
  [{ type: 'comment', taskId: TASK, event: 'dead' }, `comment:${TASK}:dead`],
] as const)('the id of a write says which issue it belongs to: %j', (write, id) => {
  expect(writeId(ISSUE, write)).toBe(id);
  expect(issueOfWrite(id)).toEqual(ISSUE);
});

test.each(['labels:', 'labels:x', 'labels:a/b#x', 'branch:nothing', 'comment:x', ''])(
  'what is no id belongs to no issue: %s',
  (id) => {
    expect(issueOfWrite(id)).toBeNull();
  },
);

const write = (availableAt: number, attempts = 0): WriteRow =>
  ({ availableAt, attempts }) as WriteRow;

test('the first write says when there is something to do', () => {
  expect(firstWriteAt({ writes: [] })).toBeNull();
  expect(firstWriteAt({ writes: [write(30), write(10), write(20)] })).toBe(10);
  expect(firstWriteAt({ writes: [write(0)] })).toBe(0);
});

test('writes are counted, and those that failed', () => {
  expect(countWrites({ writes: [] })).toEqual({ pending: 0, failing: 0 });
  const writes = [write(1), write(2, 1), write(3, 4)];
  expect(countWrites({ writes })).toEqual({ pending: 3, failing: 2 });
});

describe('writes that are due', () => {
  const of = (number: number, ...instants: number[]) => ({
    ...ledger({ number }),
    writes: instants.map((availableAt, index): WriteRow => {
      const type = index === 0 ? 'labels' : 'comment';
      return { ...write(availableAt), type, taskId: TASK, event: `e${index}` };
    }),
  });
  const id = (number: number) => `labels:octo/park#${number}`;

  it('come oldest first, whichever issue they are of', () => {
    const ledgers = [of(1, 10, 30), of(2, 20)];
    const ids = [id(1), id(2), `comment:${TASK}:e1`];
    expect(dueWrites(ledgers, 30, 9, null)).toEqual({ ids, nextAt: null });
  });

  it.each([
    ['of those that are not due yet', 15, 9, null, [id(1)], 20],
    ['of those that are too many', 30, 1, null, [id(1)], 20],
    ['of other issues', 15, 9, 17, [id(1)], 17],
    ['of these where others come later', 15, 9, 99, [id(1)], 20],
    ['and there is none', 99, 9, null, [id(1), id(2), id(3)], null],
    ['where nothing is due', 5, 9, null, [], 10],
  ] as const)('are followed by the first %s', (_what, until, limit, othersAt, ids, nextAt) => {
    const ledgers = [of(3, 40), of(1, 10), of(2, 20)];
    expect(dueWrites(ledgers, until, limit, othersAt)).toEqual({ ids, nextAt });
  });
});
