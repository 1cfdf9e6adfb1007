import { expect, test } from 'vitest';
import { entry } from '../../../test/contract/store/world.ts';
import { createMapArchive } from '../../../test/support/memory-store/map-archive.ts';
import type { Archive, Changes } from '../memory/archive.ts';
import { withPictureCache } from './picture-cache.ts';

const picture = (number: number, length = 1000) => ({
  ...entry(number).issue,
  title: '',
  body: 'x'.repeat(length),
});
const changes = (...issues: { seq: number; picture: ReturnType<typeof picture> | null }[]) =>
  ({ issues }) as unknown as Changes;

function counted(fails: () => boolean = () => false) {
  const read: number[] = [];
  const archive: Archive = {
    ...createMapArchive(),
    picture: (seq) => {
      read.push(seq);
      return picture(seq);
    },
    write: () => {
      if (fails()) throw new Error('full');
    },
  };
  return { read, cache: withPictureCache(archive, 5000) };
}

test('what was written last is not read', () => {
  const { read, cache } = counted();
  cache.write(changes({ seq: 1, picture: picture(1) }, { seq: 2, picture: null }));
  expect(cache.picture(1).number).toBe(1);
  expect(cache.picture(2).number).toBe(2);
  expect(read).toEqual([2]);
});

test('the oldest make room', () => {
  const { read, cache } = counted();
  for (const seq of [1, 2, 3, 4]) cache.write(changes({ seq, picture: picture(seq) }));
  for (const seq of [4, 3, 1]) expect(cache.picture(seq).number).toBe(seq);
  expect(read).toEqual([1]);
  cache.write(changes({ seq: 9, picture: picture(9, 100_000) }));
  expect(cache.picture(9).number).toBe(9);
  expect(read).toEqual([1, 9]);
});

test('a write that fails leaves what was shown before', () => {
  let fails = false;
  const { cache } = counted(() => fails);
  cache.write(changes({ seq: 1, picture: picture(1) }));
  fails = true;
  expect(() => cache.write(changes({ seq: 1, picture: picture(7) }))).toThrow('full');
  expect(cache.picture(1).number).toBe(1);
});
