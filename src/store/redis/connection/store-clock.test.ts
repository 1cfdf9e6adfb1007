import { afterEach, describe, expect, it, vi } from 'vitest';
import { startRedisServer } from '../../../../test/support/redis-server.ts';
import { openRedisStore } from '../redis-store.ts';
import { createStoreClock } from './store-clock.ts';

afterEach(() => vi.restoreAllMocks());

describe('what the clock of Redis says without asking', () => {
  it('is not known before it was heard of', () => {
    expect(createStoreClock(undefined).known()).toBeNull();
  });

  it('is what it said last and the time since, for a second', () => {
    const monotonic = vi.spyOn(performance, 'now').mockReturnValue(100);
    const clock = createStoreClock(undefined);
    clock.told(5000, 0, 0);
    expect(clock.known()).toBe(5000);
    monotonic.mockReturnValue(1100);
    expect(clock.known()).toBe(6000);
    monotonic.mockReturnValue(1101);
    expect(clock.known()).toBeNull();
  });

  it('is not known of a clock that a test sets', () => {
    const clock = createStoreClock({ now: () => 5000 });
    clock.told(5000, 0, 0);
    expect(clock.known()).toBeNull();
  });

  it('does not go back with a clock that does', () => {
    vi.spyOn(performance, 'now').mockReturnValue(100);
    const clock = createStoreClock(undefined);
    clock.told(5000, 0, 0);
    clock.told(4000, 0, 0);
    expect(clock.known()).toBe(5000);
  });
});

it('a store knows the time without asking Redis again, and is busy while Redis is away', async () => {
  const server = await startRedisServer();
  const store = await openRedisStore({ connection: { url: server.url }, commandTimeoutMs: 300 });
  await store.now();
  await server.raw.call('CONFIG', 'RESETSTAT');
  const before = Date.now();
  const read = await store.now();
  expect(Math.abs(read - before)).toBeLessThan(1000);
  expect(await server.raw.info('commandstats')).not.toContain('cmdstat_fcall');
  await server.kill();
  await expect.poll(() => store.now().catch((error: { code: string }) => error.code)).toBe('busy');
  await store.close();
  await server.stop();
});
