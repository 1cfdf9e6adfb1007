import { expect, it } from 'vitest';
import { labelPlaces } from './label-places.ts';

const room = { gap: 10, top: 0, bottom: 100 };

it('leaves labels where they have room', () => {
  expect(labelPlaces([80, 50, 20], room)).toEqual([80, 50, 20]);
});

it('moves labels that would write over each other apart', () => {
  expect(labelPlaces([60, 58, 57], room)).toEqual([60, 50, 40]);
});

it('keeps the topmost inside, and pushes the others down for it', () => {
  expect(labelPlaces([60, 12, 9, 8, 6], room)).toEqual([60, 35, 25, 15, 5]);
});

it('keeps the lowest inside', () => {
  expect(labelPlaces([99], room)).toEqual([95]);
});
