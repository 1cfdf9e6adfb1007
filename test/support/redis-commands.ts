// What a call costs Redis, counted in commands: that does not depend on the machine.

import type { RedisServer } from './redis-server.ts';

/**
 * Not what is asked for here; nor messages, which follow in a write of their own a moment later, and the words around
 * them that ask for silence (`CLIENT REPLY`).
 */
const APART = 'config|info|fcall|publish|client';

/** Commands that Redis ran meanwhile, those inside functions too. */
export async function countCommands(
  { raw }: Pick<RedisServer, 'raw'>,
  act: () => Promise<unknown>,
): Promise<number> {
  await raw.call('CONFIG', 'RESETSTAT');
  await act();
  const stats = await raw.info('commandstats');
  const calls = stats.matchAll(new RegExp(`^cmdstat_(?!${APART})[^:]+:calls=(\\d+)`, 'gm'));
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0);
}

const TIMES = 5;

/**
 * The least of several times, each after `settle`: what people see, and that an agent was heard of, is written when
 * there is time, which may be at any of them.
 */
export async function leastCommands(
  server: Pick<RedisServer, 'raw'>,
  settle: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < TIMES; times += 1) {
    await settle();
    least = Math.min(least, await countCommands(server, act));
  }
  return least;
}
