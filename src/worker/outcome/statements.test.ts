import { expect, it } from 'vitest';
import { NO_CHANGE_LINE, noChangeIn } from './no-change.ts';
import { markTree, treeOfLastFailure } from './tree-mark.ts';

it.each([
  ['BANTO: no change needed: the fix is on main already', 'the fix is on main already'],
  ['I looked.\n\n**Banto: no change needed** - it is a duplicate', 'it is a duplicate'],
  ['banto: no change needed', ''],
  ['There is no change needed, I think', null],
  ['done', null],
  [NO_CHANGE_LINE, null],
])('%j', (text, why) => {
  expect(noChangeIn(text)?.replace(/^[*\s-]+/, '') ?? null).toBe(why);
});

const TREE = '0123456789abcdef0123456789abcdef01234567';
const failed = { outcome: 'failed', note: markTree('It failed.', TREE) };

it.each([
  ['the last failure', [failed], TREE.slice(0, 16)],
  [
    'a failure, then a release',
    [failed, { outcome: 'released', note: 'quota' }],
    TREE.slice(0, 16),
  ],
  ['a failure, then an expiry', [failed, { outcome: 'expired', note: null }], null],
  ['no attempt', null, null],
])('remembers how the files were after %s', (_, attempts, tree) => {
  expect(treeOfLastFailure(attempts)).toBe(tree);
});
