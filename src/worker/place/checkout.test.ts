import { expect, it } from 'vitest';
import { slugOf } from './checkout.ts';

it.each([
  ['git@github.com:octo/shop.git', 'octo/shop'],
  ['https://github.com/octo/shop', 'octo/shop'],
  ['ssh://git@host:22/octo/shop.git/', 'octo/shop'],
  ['/srv/git/shop.git', null],
  ['file:///srv/git/shop.git', null],
  ['../remote.git', null],
])('%s names %s', (address, slug) => {
  expect(slugOf(address)).toBe(slug);
});
