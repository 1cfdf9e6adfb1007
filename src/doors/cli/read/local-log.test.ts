import { expect, test } from 'vitest';
import { NOTHING_YET, unseen } from './local-log.ts';

test('who follows a log sees each line once, also while it rotates', () => {
  const looks = [
    { older: '', newer: 'a\n' },
    { older: '', newer: 'a\nb\n' },
    { older: 'a\nb\nc\n', newer: 'd\n' },
    { older: 'a\nb\nc\n', newer: 'd\ne\n' },
    { older: 'd\ne\n', newer: 'f\n' },
  ];
  let before = NOTHING_YET;
  const shown = looks.map((now) => {
    const text = unseen(before, now);
    before = now;
    return text;
  });
  expect(shown).toEqual(['a\n', 'b\n', 'c\nd\n', 'e\n', 'f\n']);
});

test('what is left is shown where it rotated more than once between two looks', () => {
  const now = { older: 'x\n', newer: 'y\n' };
  expect(unseen({ older: 'a\n', newer: 'b\n' }, now)).toBe('x\ny\n');
});
