import { expect, test } from 'vitest';
import { ISSUE, TASK } from '../../../test/support/decide.ts';
import { issueOfWrite, writeId } from './ledger-row.ts';

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
