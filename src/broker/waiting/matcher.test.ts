import { describe, expect, it } from 'vitest';
import { entry, idOf, plan } from '../../../test/contract/store/world.ts';
import {
  calls,
  open,
  type Place,
  useMatchers,
  wait,
  waiting,
} from '../../../test/support/matchers.ts';
import { busy } from '../../core/errors.ts';
import { pausedSetting } from '../../core/pairing/paused.ts';
import type { Store } from '../../core/store.ts';
import { roleOf } from '../loops/presence.ts';

useMatchers();

describe('who waits', () => {
  it('is served when a task appears, and nobody else is woken', async () => {
    const here = open();
    const first = await waiting(here, 'hana');
    here.time.advance(10);
    const second = await waiting(here, 'kenji');
    await here.mirror(entry(1));
    await here.rest();
    expect([first.got(), second.got()]).toEqual([idOf(1), undefined]);
    expect(await here.store.tickets.count()).toBe(1);
    await here.mirror(entry(2));
    await here.rest();
    expect(second.got()).toBe(idOf(2));
  });

  it('is paired best overall: the specialist gets what only it can do', async () => {
    const here = open();
    const able = await waiting(here, 'hana', { capabilities: ['python', 'rust'] });
    here.time.advance(10);
    const special = await waiting(here, 'kenji', { capabilities: ['python'] });
    await here.store.mirror([entry(1), entry(2, { labels: ['rust'] })]);
    await here.rest();
    expect([able.got(), special.got()]).toEqual([idOf(2), idOf(1)]);
  });

  it('gets nothing when its time is over, and its ticket goes', async () => {
    const here = open();
    const waits = wait(here, here.ticket('hana'), { ms: 2000 });
    await here.pass(1500);
    expect(waits.got()).toBeUndefined();
    await here.pass(1000);
    expect(waits.got()).toBeNull();
    expect(await here.store.tickets.count()).toBe(0);
  });

  it('waits no longer than tickets live', async () => {
    const here = open({ policy: { ticketTtlSeconds: 3 } });
    const waits = wait(here, here.ticket('hana'), { ms: 60_000 });
    await here.pass(2500);
    expect(waits.got()).toBeUndefined();
    await here.pass(1000);
    expect(waits.got()).toBeNull();
  });

  it('for what is reserved for it gets that, whatever it offers', async () => {
    const here = open();
    const author = await waiting(here, 'hana', { capabilities: ['docs'] });
    const fix = { authors: ['hana'], authorFirstMs: 60_000 };
    await here.mirror(entry(1, { plans: [plan(idOf(1, 'fix'), fix)] }));
    await here.rest();
    expect(author.got()).toBe(idOf(1, 'fix'));
  });

  it('is not served while an operator has paused it, and whoever waits beside it is', async () => {
    const here = open();
    const paused = await waiting(here, 'hana');
    here.time.advance(10);
    const beside = await waiting(here, 'kenji');
    await here.store.putSetting(pausedSetting('hana'), true);
    await here.mirror(entry(1), entry(2));
    await here.rest();
    expect([paused.got(), beside.got()]).toEqual([undefined, idOf(1)]);
    await here.store.putSetting(pausedSetting('hana'), null);
    await here.rest();
    expect(paused.got()).toBe(idOf(2));
  });

  it('with a label that is new finds the tasks that carry it', async () => {
    const here = open();
    await here.mirror(
      entry(1, {
        labels: ['cobol'],
        plan: { want: { state: 'held', reason: 'x', graceMs: null } },
      }),
    );
    const waits = await waiting(here, 'hana', { capabilities: ['cobol'] });
    await here.mirror(entry(1, { labels: ['cobol'], issue: { updatedAt: 1 } }));
    await here.rest();
    expect(waits.got()).toBe(idOf(1));
  });
});

describe('an agent that holds a task', () => {
  it('is not paired, however many of its requests wait, and starves nobody', async () => {
    const here = open();
    await here.mirror(entry(1));
    await here.take('hana', { requestId: 'other' });
    const holder = await waiting(here, 'hana');
    here.time.advance(10);
    const free = await waiting(here, 'kenji');
    await here.mirror(entry(2));
    await here.rest();
    expect([holder.got(), free.got()]).toEqual([undefined, idOf(2)]);
  });

  it('that took it at this instant leaves what was meant for it to somebody else in the same turn', async () => {
    const here = open({ wrapStore: (store) => ({ ...store, holding: async () => new Set() }) });
    await here.mirror(entry(1));
    await here.take('hana', { requestId: 'other' });
    const holder = await waiting(here, 'hana');
    here.time.advance(10);
    const free = await waiting(here, 'kenji');
    await here.mirror(entry(2));
    await here.rest();
    expect([holder.got(), free.got()]).toEqual([undefined, idOf(2)]);
  });
});

describe('a round of matching', () => {
  /** Of how many agents it is asked whether they hold something, each time. */
  const counting =
    (asked: number[]) =>
    (store: Store): Store => ({
      ...store,
      holding(agentIds) {
        asked.push(agentIds.length);
        return store.holding(agentIds);
      },
    });

  it('reads no ticket where no suitable bucket is filled', async () => {
    const here = open();
    await waiting(here, 'hana', { capabilities: ['rust'] });
    calls.length = 0;
    await here.mirror(
      entry(1),
      entry(2, { plan: { want: { state: 'held', reason: 'x', graceMs: null } } }),
    );
    await here.rest();
    await here.matcher.runOnce();
    expect(calls).toEqual([]);
  });

  it('knows whoever waits here, and reads only the tickets of others', async () => {
    const here = open();
    const own = await waiting(here, 'hana');
    const foreign = here.ticket('kenji', { instanceId: 'elsewhere', createdAt: 0 });
    await here.store.lead(roleOf('elsewhere'), 'elsewhere', 60_000);
    calls.length = 0;
    await here.mirror(entry(1));
    await here.rest();
    expect([own.got(), calls]).toEqual([idOf(1), []]);
    const second = await waiting(here, 'mio');
    await here.store.tickets.create(foreign, 60_000);
    await here.mirror(entry(2));
    await here.rest();
    // It has waited since the beginning: fair is fair, also towards another instance.
    expect(calls).toContain('getMany 1');
    expect(second.got()).toBeUndefined();
    expect((await here.task(idOf(2))).state).toBe('leased');
  });

  it('asks only of a few whether they may have something, however many wait', async () => {
    const asked: number[] = [];
    const here = open({ wrapStore: counting(asked) });
    const first = await waiting(here, 'agent-0');
    for (let number = 1; number < 200; number += 1) {
      here.time.advance(1);
      wait(here, here.ticket(`agent-${number}`));
    }
    await here.rest();
    asked.length = 0;
    await here.mirror(entry(1));
    await here.rest();
    expect([first.got(), asked]).toEqual([idOf(1), [1]]);
  });

  it('asks of more each time where those who wait hold something already', async () => {
    const asked: number[] = [];
    const agents = Array.from({ length: 30 }, (_, number) => `agent-${number}`);
    const here = open({ wrapStore: counting(asked) });
    await here.mirror(...agents.map((_, number) => entry(number + 1)));
    for (const agent of agents) await here.take(agent, { requestId: 'other' });
    for (const agent of agents) wait(here, here.ticket(agent));
    here.time.advance(1);
    const free = await waiting(here, 'kenji');
    asked.length = 0;
    await here.mirror(entry(31));
    await here.rest();
    expect(free.got()).toBe(idOf(31));
    expect(asked).toEqual([1, 4, 16, 10]);
  });

  it('drops the tickets of an instance that is not alive', async () => {
    const here = open();
    await here.store.tickets.create(
      here.ticket('ghost', { instanceId: 'dead', createdAt: 0 }),
      60_000,
    );
    const own = await waiting(here, 'hana');
    await here.mirror(entry(1));
    await here.rest();
    expect(own.got()).toBe(idOf(1));
    expect(await here.store.tickets.count()).toBe(0);
  });

  it('gives back the tickets that it could not serve, so that the next one sees them', async () => {
    const here = open();
    await here.store.lead(roleOf('elsewhere'), 'elsewhere', 60_000);
    const foreign = here.ticket('mio', { instanceId: 'elsewhere' });
    const first = await waiting(here, 'hana');
    await here.store.tickets.create({ ...foreign, createdAt: here.time.now() + 1 }, 60_000);
    calls.length = 0;
    await here.mirror(entry(1));
    await here.rest();
    expect([first.got(), calls]).toEqual([idOf(1), ['listActive', 'getMany 1']]);
    expect(await here.store.tickets.listActive(10, 0)).toEqual([foreign.id]);
  });

  it('leaves the tickets of those who wait here to whoever asks for them', async () => {
    const here = open();
    await waiting(here, 'hana');
    const second = await waiting(here, 'kenji');
    await here.mirror(entry(1));
    await here.rest();
    expect(await here.store.tickets.listActive(10, 0)).toEqual([second.ticket.id]);
  });

  it('is made again when somebody else was faster', async () => {
    let stolen = false;
    const here = open({
      wrapStore: (store) => ({
        ...store,
        async claim(input) {
          if (stolen || input.agentId !== 'hana') return store.claim(input);
          stolen = true;
          await store.claim({
            ...input,
            agentId: 'thief',
            requestId: 'theft',
            token: 'banto_thief',
          });
          return store.claim(input);
        },
      }),
    });
    const waits = await waiting(here, 'hana');
    await here.mirror(entry(1), entry(2));
    await here.rest();
    expect([stolen, waits.got()]).toEqual([true, idOf(2)]);
  });

  it.each([
    ['while leases from before a loss of data run out', { outcome: 'quarantine', untilAt: 9e12 }],
    ['while an operator has paused everything', { outcome: 'maintenance' }],
  ] as const)('is not made again %s', async (_when, answer) => {
    let claims = 0;
    const claim: Store['claim'] = async () => {
      claims += 1;
      return answer;
    };
    const here = open({ wrapStore: (store) => ({ ...store, claim }) });
    await waiting(here, 'hana');
    await waiting(here, 'kenji');
    await here.mirror(entry(1), entry(2));
    await here.rest();
    expect(claims).toBe(2);
  });
});

describe('a request that ends', () => {
  it('at the instant of a hand-out is still answered with it', async () => {
    let place: Place | null = null;
    const here = open({
      wrapStore: (store) => ({
        ...store,
        tickets: {
          ...store.tickets,
          async delete(id) {
            // Another instance claims for it just before its ticket is gone.
            if (place !== null) await place.take('hana', { requestId: 'mine' });
            place = null;
            return store.tickets.delete(id);
          },
        },
      }),
    });
    const waits = wait(here, here.ticket('hana', { requestId: 'mine' }), { ms: 1000 });
    await here.rest();
    await here.store.putSetting('flags:maintenance', true);
    await here.mirror(entry(1));
    await here.store.putSetting('flags:maintenance', null);
    place = here;
    here.time.advance(1000);
    await here.rest();
    expect(waits.got()).toBe(idOf(1));
  });

  it('because its caller has gone leaves no lease behind', async () => {
    const here = open();
    const gone = new AbortController();
    const waits = wait(here, here.ticket('hana'), { signal: gone.signal });
    await here.rest();
    gone.abort();
    await here.rest();
    expect(waits.got()).toBeNull();
    await here.mirror(entry(1));
    await here.take('hana', { requestId: waits.ticket.requestId });
    await here.rest();
    // What a slower matcher claimed for it is given back as soon as its fact is heard.
    expect((await here.task(idOf(1))).state).toBe('ready');
  });

  it('keeps what is claimed for it where the agent named the request and can ask again', async () => {
    const here = open();
    const gone = new AbortController();
    wait(here, here.ticket('hana', { requestId: 'mine' }), {
      signal: gone.signal,
      ownRequestId: true,
    });
    await here.rest();
    gone.abort();
    await here.rest();
    await here.mirror(entry(1));
    await here.take('hana', { requestId: 'mine' });
    await here.rest();
    expect((await here.task(idOf(1))).state).toBe('leased');
  });
});

describe('several instances', () => {
  it('answer each where it waits, whichever of them matched it', async () => {
    const here = open();
    const there = open({ beside: here, instanceId: 'there' });
    for (const { context } of [here, there]) {
      await here.store.lead(roleOf(context.instanceId), context.instanceId, 600_000);
    }
    const one = await waiting(here, 'hana');
    const two = await waiting(there, 'kenji');
    await here.mirror(entry(1), entry(2));
    await here.rest();
    expect([one.got(), two.got()].sort()).toEqual([idOf(1), idOf(2)]);
    expect(await here.store.tickets.count()).toBe(0);
  });

  it('with the same request answer it at both', async () => {
    const here = open();
    const there = open({ beside: here, instanceId: 'there' });
    for (const { context } of [here, there]) {
      await here.store.lead(roleOf(context.instanceId), context.instanceId, 600_000);
    }
    const one = await waiting(here, 'hana', { requestId: 'same' });
    const two = await waiting(there, 'hana', { requestId: 'same' });
    await here.mirror(entry(1));
    await here.rest();
    expect([one.got(), two.got()]).toEqual([idOf(1), idOf(1)]);
    expect(await here.store.tickets.count()).toBe(0);
  });
});

describe('what was lost on the way', () => {
  it('is made good within two seconds: a ticket that is listed nowhere is listed again', async () => {
    const here = open();
    const waits = await waiting(here, 'hana');
    await here.store.tickets.delete(waits.ticket.id);
    await here.pass(2000);
    expect(await here.store.tickets.count()).toBe(1);
    await here.mirror(entry(1));
    await here.rest();
    expect(waits.got()).toBe(idOf(1));
  });

  it('is made good within two seconds: a hand-out that nobody heard of is fetched', async () => {
    let deaf = true;
    const here = open({
      wrapStore: (store) => ({
        ...store,
        subscribe: (listener) => store.subscribe((facts) => (deaf ? undefined : listener(facts))),
      }),
    });
    const waits = await waiting(here, 'hana');
    await here.mirror(entry(1));
    await here.take('hana', { requestId: waits.ticket.requestId });
    await here.store.tickets.assign([waits.ticket.id]);
    await here.rest();
    expect(waits.got()).toBeUndefined();
    deaf = false;
    await here.pass(2000);
    expect(waits.got()).toBe(idOf(1));
  });

  it('by a store that is away is warned about, and made good when it is back', async () => {
    let away = false;
    const here = open({
      wrapStore: (store) => ({
        ...store,
        claim: (input) => (away ? Promise.reject(busy()) : store.claim(input)),
      }),
    });
    const waits = await waiting(here, 'hana');
    away = true;
    await here.mirror(entry(1));
    await here.rest();
    expect(here.warnings).toContain('matcher failed; it will try again');
    expect(waits.got()).toBeUndefined();
    away = false;
    await here.pass(2500);
    expect(waits.got()).toBe(idOf(1));
  });
});

describe('too many', () => {
  it('on all instances together are refused, and no ticket is left', async () => {
    const here = open({ policy: { maxWaiting: 1 } });
    await here.store.lead(roleOf('elsewhere'), 'elsewhere', 60_000);
    await here.store.tickets.create(here.ticket('kenji', { instanceId: 'elsewhere' }), 60_000);
    const waits = await waiting(here, 'hana');
    expect(waits.error()).toMatchObject({ code: 'busy' });
    expect(await here.store.tickets.count()).toBe(1);
  });

  it('make room for the living: tickets of an instance that died go at once', async () => {
    const here = open({ policy: { maxWaiting: 1 } });
    await here.store.tickets.create(here.ticket('ghost', { instanceId: 'dead' }), 600_000);
    expect((await waiting(here, 'hana')).error()).toMatchObject({ code: 'busy' });
    expect(await here.store.tickets.count()).toBe(0);
    expect((await waiting(here, 'hana')).error()).toBeUndefined();
  });

  it('of one agent are refused by its name', async () => {
    const here = open({ policy: { maxWaitingPerAgent: 1 } });
    const first = await waiting(here, 'hana');
    expect((await waiting(here, 'hana')).error()).toMatchObject({ code: 'too_many_requests' });
    expect(first.error()).toBeUndefined();
  });
});

describe('a stop', () => {
  it('tells everybody who waits to ask again, and gives back what was claimed for them', async () => {
    const here = open();
    const waits = await waiting(here, 'hana');
    await here.store.putSetting('flags:maintenance', true);
    await here.mirror(entry(1));
    await here.matcher.stop();
    expect(waits.error()).toMatchObject({ code: 'stopping' });
    expect(await here.store.tickets.count()).toBe(0);
    const late = await waiting(here, 'kenji');
    expect(late.error()).toMatchObject({ code: 'stopping' });
  });

  it('takes the ticket of a named request away too', async () => {
    const here = open();
    const waits = wait(here, here.ticket('hana'), { ownRequestId: true });
    await here.rest();
    await here.matcher.stop();
    await here.rest();
    expect(waits.error()).toMatchObject({ code: 'stopping' });
    expect(await here.store.tickets.count()).toBe(0);
  });
});
