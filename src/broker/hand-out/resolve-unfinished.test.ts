import { afterEach, expect, it } from 'vitest';
import { entry } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import { BantoError, busy } from '../../core/errors.ts';
import { createResolveUnfinished } from './resolve-unfinished.ts';

let desk: Desk;
afterEach(() => desk.close());

it.each([
  ['lease_lost', new BantoError('lease_lost', 'It expired.'), null],
  ['conflict', new BantoError('conflict', 'It was completed otherwise.'), null],
  ['not_found', new BantoError('not_found', 'It is gone.'), 'not_found'],
  ['busy', busy(), 'busy'],
  ['no error of ours', new Error('broken'), undefined],
])('a task that cannot be ended because of %s', async (_title, error, code) => {
  desk = makeDesk();
  await desk.mirror(entry(1));
  const held = { ...(await desk.take('hana')), answered: true };
  const refuses = () => Promise.reject(error);
  const resolve = createResolveUnfinished(desk.context, {
    complete: refuses,
    fail: refuses,
    release: refuses,
  });
  const completed: string[] = [];
  for (const how of ['complete', 'release'] as const) {
    const resolved = resolve(held, desk.ticket('hana'), how, (id) => completed.push(id));
    // Over by itself: the agent simply gets the next one. Anything else it has to hear of.
    if (code === null) expect(await resolved).toBeNull();
    else await expect(resolved).rejects.toBe(error);
  }
  expect(completed).toEqual([]);
});
