// What goes wrong at the worst instant: callers that go, answers that are lost, news that nobody hears.

import { describe, expect, it } from 'vitest';
import { entry, idOf } from '../../../test/contract/store/world.ts';
import { open, useMatchers, wait, waiting } from '../../../test/support/matchers.ts';
import { busy } from '../../core/errors.ts';
import { pausedSetting } from '../../core/pairing/paused.ts';
import type { Store } from '../../core/store.ts';
import { roleOf } from '../loops/presence.ts';

useMatchers();

describe('a caller that goes while it is claimed for', () => {
  const isByMatcher = (token: string) => !token.startsWith('token-');

  async function goesDuringClaim(wrap: (store: Store) => Partial<Store>) {
    const gone = new AbortController();
    const here = open({ wrapStore: (store) => ({ ...store, ...wrap(store) }) });
    const waits = wait(here, here.ticket('hana'), { signal: gone.signal });
    await here.rest();
    await here.mirror(entry(1));
    await here.rest();
    gone.abort();
    await here.rest();
    return { here, waits };
  }

  it('leaves no lease behind where the claim is kept before it goes', async () => {
    const answer = Promise.withResolvers<void>();
    const { here, waits } = await goesDuringClaim((store) => ({
      async claim(input) {
        const result = await store.claim(input);
        await answer.promise;
        return result;
      },
    }));
    answer.resolve();
    await here.rest();
    expect(waits.got()).toBeNull();
    expect((await here.task(idOf(1))).state).toBe('ready');
  });

  it('leaves none behind where the claim is kept after it has gone', async () => {
    const begin = Promise.withResolvers<void>();
    const { here, waits } = await goesDuringClaim((store) => ({
      async claim(input) {
        await begin.promise;
        return store.claim(input);
      },
    }));
    expect(waits.got()).toBeNull();
    begin.resolve();
    await here.rest();
    expect((await here.task(idOf(1))).state).toBe('ready');
  });

  it('leaves none behind where the claim is kept while it goes', async () => {
    const begin = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const { here, waits } = await goesDuringClaim((store) => ({
      async claim(input) {
        await begin.promise;
        return store.claim(input);
      },
      async recall(input) {
        const found = await store.recall(input);
        if (input.writeLockMs !== null) await looked.promise;
        return found;
      },
    }));
    begin.resolve();
    await here.rest();
    expect((await here.task(idOf(1))).state).toBe('leased');
    looked.resolve();
    await here.rest();
    expect(waits.got()).toBeNull();
    expect((await here.task(idOf(1))).state).toBe('ready');
  });

  it('hears at once of what another instance claims for it, after a claim here that missed', async () => {
    const here = open({
      wrapStore: (store) => ({
        ...store,
        claim: async (input) =>
          isByMatcher(input.token) ? { outcome: 'none' } : store.claim(input),
      }),
    });
    const waits = await waiting(here, 'hana');
    await here.mirror(entry(1));
    await here.rest();
    expect(waits.got()).toBeUndefined();
    await here.take('hana', { requestId: waits.ticket.requestId });
    await here.rest();
    expect(waits.got()).toBe(idOf(1));
  });
});

describe('an answer of the store that is lost', () => {
  const failing = (fails: () => boolean) => (store: Store) => ({
    ...store,
    async claim(input: Parameters<Store['claim']>[0]) {
      const result = await store.claim(input);
      if (fails()) throw busy();
      return result;
    },
  });

  it('to a claim is asked for again: the waiting agent gets what was claimed', async () => {
    let away = true;
    const here = open({ wrapStore: failing(() => away) });
    const waits = await waiting(here, 'hana');
    await here.mirror(entry(1));
    await here.rest();
    away = false;
    expect(waits.got()).toBeUndefined();
    await here.pass(2500);
    expect(waits.got()).toBe(idOf(1));
  });

  it('when it hears of a hand-out is asked for again', async () => {
    let away = false;
    const here = open({
      wrapStore: (store) => ({
        ...store,
        recall: (input) => (away ? Promise.reject(busy()) : store.recall(input)),
      }),
    });
    const waits = await waiting(here, 'hana');
    await here.store.putSetting(pausedSetting('hana'), true);
    await here.mirror(entry(1));
    await here.rest();
    away = true;
    await here.take('hana', { requestId: waits.ticket.requestId });
    await here.rest();
    expect(here.warnings).toContain('could not fetch a hand-out yet; trying again');
    away = false;
    await here.pass(2500);
    expect(waits.got()).toBe(idOf(1));
  });

  it.each([
    [false, 0],
    [true, 1],
  ])(
    'to a new ticket leaves none behind, unless the agent named its request (%s)',
    async (ownRequestId, left) => {
      let away = true;
      const here = open({
        policy: { maxWaitingPerAgent: 1 },
        wrapStore: (store) => ({
          ...store,
          tickets: {
            ...store.tickets,
            async create(...call) {
              const made = await store.tickets.create(...call);
              if (away) throw busy();
              return made;
            },
          },
        }),
      });
      const waits = wait(here, here.ticket('hana'), { ownRequestId });
      await here.rest();
      expect(waits.error()).toMatchObject({ code: 'busy' });
      away = false;
      await here.pass(2500);
      expect(await here.store.tickets.count()).toBe(left);
      if (left === 0) expect((await waiting(here, 'hana')).error()).toBeUndefined();
    },
  );
});

describe('a stop before the news', () => {
  it.each([
    [false, 'ready'],
    [true, 'leased'],
  ])(
    'gives back what was claimed, unless the agent named its request (%s)',
    async (ownRequestId, state) => {
      const here = open({
        wrapStore: (store) => ({ ...store, subscribe: () => () => undefined }),
      });
      const waits = wait(here, here.ticket('hana'), { ownRequestId });
      await here.rest();
      await here.store.putSetting(pausedSetting('hana'), true);
      await here.mirror(entry(1));
      await here.take('hana', { requestId: waits.ticket.requestId });
      await here.matcher.stop();
      await here.rest();
      expect(waits.error()).toMatchObject({ code: 'stopping' });
      expect((await here.task(idOf(1))).state).toBe(state);
      expect(await here.store.tickets.count()).toBe(0);
    },
  );

  it('is the end of it: nothing is matched or repaired any more', async () => {
    const here = open();
    const waits = await waiting(here, 'hana');
    await here.matcher.stop();
    await here.store.tickets.create(here.ticket('ghost', { instanceId: 'dead' }), 600_000);
    await here.mirror(entry(1));
    await here.pass(5000);
    expect(waits.got()).toBeUndefined();
    expect((await here.task(idOf(1))).state).toBe('ready');
    expect(await here.store.tickets.count()).toBe(1);
  });
});

describe('what nobody told of', () => {
  it('is found within two seconds, as long as somebody waits', async () => {
    const here = open({
      wrapStore: (store) => ({ ...store, subscribe: () => () => undefined }),
    });
    const waits = await waiting(here, 'hana');
    await here.mirror(entry(1));
    await here.rest();
    expect(waits.got()).toBeUndefined();
    await here.pass(2000);
    expect(waits.got()).toBe(idOf(1));
  });

  it('of an instance that died goes by itself, and nothing of the living does', async () => {
    const here = open();
    await here.store.lead(roleOf('elsewhere'), 'elsewhere', 60_000);
    await here.store.tickets.create(here.ticket('kenji', { instanceId: 'elsewhere' }), 600_000);
    await here.store.tickets.create(here.ticket('ghost', { instanceId: 'dead' }), 600_000);
    await here.rest();
    await here.pass(2500);
    expect(await here.store.tickets.count()).toBe(1);
  });
});

it('a ticket outlives its wait by the time that a matcher may still be busy with it', async () => {
  const lives: number[] = [];
  const here = open({
    policy: { ticketTtlSeconds: 30 },
    wrapStore: (store) => ({
      ...store,
      tickets: {
        ...store.tickets,
        create(ticket, ttlMs, most) {
          lives.push(ttlMs);
          return store.tickets.create(ticket, ttlMs, most);
        },
      },
    }),
  });
  wait(here, here.ticket('hana'), { ms: 20_000 });
  wait(here, here.ticket('kenji'), { ms: 60_000 });
  await here.rest();
  expect(lives).toEqual([25_000, 35_000]);
});
