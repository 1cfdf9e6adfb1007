import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDesk } from '../../../test/support/desk.ts';
import { createFakeTime, type FakeTime } from '../../../test/support/fake-time.ts';
import { scratchDir } from '../../../test/support/scratch.ts';
import { silentLog } from '../../../test/support/world.ts';
import { busy } from '../../core/errors.ts';
import { bareTemplates } from '../../core/prompt/prompt-template.ts';
import { DEFAULT_POLICY } from '../../core/settings.ts';
import type { Store } from '../../core/store.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import type { Context } from '../context.ts';
import { createPresence, type Presence, roleOf } from './presence.ts';

let time: FakeTime;
let store: Store;
let away: boolean;
let generation: string;
let happened: string[];

beforeEach(async () => {
  time = createFakeTime();
  store = await openSqliteStore({ dataDir: scratchDir(), clock: time });
  away = false;
  generation = 'first';
  happened = [];
});
afterEach(() => store.close());

function present(instanceId: string): Presence {
  const shared: Store = {
    ...store,
    generation: () => generation,
    lead: (...args) => (away ? Promise.reject(busy()) : store.lead(...args)),
  };
  const context: Context = {
    store: shared,
    forge: null as never,
    policy: () => DEFAULT_POLICY,
    prompts: bareTemplates(),
    instanceId,
    timers: time.timers,
    random: () => 0.5,
    newSecret: () => 'secret',
    log: silentLog,
    reached: () => undefined,
  };
  return createPresence(context, {
    led: () => happened.push(`${instanceId} led`),
    lost: () => happened.push(`${instanceId} lost`),
    refresh: async () => undefined,
    usage: null,
  });
}

/** A beat takes several turns of the event loop: the store answers between them. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    time.advance(500);
    for (let turn = 0; turn < 20; turn += 1) await store.now();
  }
}

describe('presence', () => {
  it('lets the first lead and the next follow, and take over when it leaves', async () => {
    const [one, two] = [present('one'), present('two')];
    await one.start();
    await two.start();
    expect([one.leads(), two.leads()]).toEqual([true, false]);
    await pass(10_000);
    expect([one.leads(), two.leads()]).toEqual([true, false]);
    await one.stop();
    await pass(1500);
    expect(two.leads()).toBe(true);
    expect(happened).toEqual(['two led']);
    await two.stop();
  });

  it('does not go on leading when the store cannot be asked, and leads again when it can', async () => {
    const one = present('one');
    await one.start();
    away = true;
    await pass(3000);
    expect(one.leads()).toBe(true);
    await pass(3000);
    expect(one.leads()).toBe(false);
    away = false;
    await pass(1500);
    expect(one.leads()).toBe(true);
    expect(happened).toEqual(['one led']);
    await one.stop();
  });

  it('says that its instance is alive, and takes that back', async () => {
    const one = present('one');
    await one.start();
    expect(await store.led(['instance:one', 'leader'])).toEqual(
      new Set(['instance:one', 'leader']),
    );
    await one.stop();
    expect(await store.led(['instance:one', 'leader'])).toEqual(new Set());
  });

  it('notices once that the store lost data', async () => {
    const one = present('one');
    await one.start();
    await pass(2000);
    expect(happened).toEqual([]);
    generation = 'second';
    await pass(3000);
    expect(happened).toEqual(['one lost']);
    await one.stop();
  });
});

describe('how a process fares', () => {
  it('is written down every ten beats', async () => {
    const recorded: number[] = [];
    const desk = makeDesk({
      wrapStore: (opened) => ({
        ...opened,
        async recordMetrics(_instance, cpu) {
          recorded.push(cpu);
        },
      }),
    });
    let cpu = 0;
    let refreshed = 0;
    const presence = createPresence(desk.context, {
      led: () => undefined,
      lost: () => undefined,
      refresh: async () => {
        refreshed += 1;
      },
      usage: () => {
        cpu += 1;
        return { cpu, memoryBytes: 1 };
      },
    });
    await presence.start();
    await desk.pass(9000);
    expect(recorded).toEqual([1]);
    // Settings that somebody set by hand are looked for with every beat.
    expect(refreshed).toBeGreaterThanOrEqual(9);
    await desk.pass(2500);
    expect(recorded).toEqual([1, 2]);
    await presence.stop();
    await desk.close();
  });

  it('does not keep it from giving its roles up', async () => {
    const desk = makeDesk();
    const presence = createPresence(desk.context, {
      led: () => undefined,
      lost: () => undefined,
      refresh: async () => undefined,
      usage: null,
    });
    await presence.start();
    const roles = [roleOf('here'), 'leader'];
    expect(await desk.store.led(roles)).toEqual(new Set(roles));
    await presence.stop();
    expect(await desk.store.led(roles)).toEqual(new Set());
    await desk.close();
  });
});
