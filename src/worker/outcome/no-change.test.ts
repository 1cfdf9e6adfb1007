import { expect, it } from 'vitest';
import { NO_CHANGE_LINE, noChangeIn } from './no-change.ts';

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
