import { expect, it } from 'vitest';
import { BantoError, busy, underMaintenance } from '../errors.ts';
import { reasonOf } from './reason.ts';

it.each<[unknown, string]>([
  ['away', 'away'],
  [7, '7'],
  [new Error('no disk'), 'no disk'],
  [new Error('no disk', { cause: new Error('deeper') }), 'no disk'],
  [busy(new Error('no disk')), 'no disk'],
  [busy(busy(new Error('no disk'))), 'no disk'],
  [underMaintenance('Hand-out is paused.'), 'Hand-out is paused.'],
  [Object.assign(new Error('no disk'), { detail: '' }), 'no disk'],
  [Object.assign(new Error('no disk'), { detail: 5 }), 'no disk'],
])('%s: %s', (error, reason) => {
  expect(reasonOf(error)).toBe(reason);
});

it('is that the server is busy, where nothing more is known', () => {
  const bare = new BantoError('busy', 'Server is busy. Please try again later.');
  expect(reasonOf(bare)).toBe(bare.message);
});
