import { expect, test } from 'vitest';
import { ISSUE, TASK } from '../../../test/support/decide.ts';
import { countWrites, firstWriteAt, issueOfWrite, type WriteRow, writeId } from './ledger-row.ts';

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
