import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import type { Policy } from '../../core/settings.ts';
import { createDayBudget, type DayBudget } from './day-budget.ts';

let desk: Desk;
let day: DayBudget;
let reads: number;
afterEach(() => desk.close());

function open(policy: Partial<Policy>): void {
  reads = 0;
  desk = makeDesk({
    policy,
    wrapStore: (store) => ({
      ...store,
      stats(...call) {
        reads += 1;
        return store.stats(...call);
      },
    }),
  });
  day = createDayBudget(desk.context);
}

async function spend(costUsd: number): Promise<void> {
  const { task, lease } = await desk.take('hana', { leaseSeconds: 100_000 });
  const usage = {
    model: null,
    inputTokens: null,
    outputTokens: null,
    cachedTokens: null,
    costUsd,
    turns: null,
    sessionId: null,
  };
  const call = { taskId: task.id, token: lease.token, agentId: 'hana', progress: null };
  await desk.store.heartbeat({ ...call, usage });
}

describe('what a day may cost', () => {
  it('is not looked at where nothing is limited', async () => {
    open({});
    expect(await day.closed('hana')).toBeNull();
    expect(reads).toBe(0);
  });

  it.each<[string, Partial<Policy>, string | null, boolean]>([
    ['everybody', { maxCostPerDayUsd: 1 }, 'kenji', true],
    ['everybody', { maxCostPerDayUsd: 1 }, null, true],
    ['everybody', { maxCostPerDayUsd: 3 }, 'hana', false],
    ['one agent', { maxCostPerAgentDayUsd: 1 }, 'hana', true],
    ['one agent', { maxCostPerAgentDayUsd: 1 }, 'kenji', false],
  ])('by %s with %j is used up for %j: %s', async (_title, policy, agentId, closed) => {
    open(policy);
    await desk.mirror(entry(1));
    await spend(2);
    expect((await day.closed(agentId)) !== null).toBe(closed);
  });

  it('is read again after two seconds, at midnight, and when the clock was set back', async () => {
    open({ maxCostPerDayUsd: 1 });
    const read = async (afterMs: number) => {
      desk.advance(afterMs);
      const before = reads;
      await day.closed(null);
      return reads > before;
    };
    expect([await read(0), await read(0), await read(1999), await read(1)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    desk.advance(86_400_000 - 2500);
    expect([await read(0), await read(600)]).toEqual([true, true]);
  });

  it('is forgotten at midnight', async () => {
    open({ maxCostPerDayUsd: 1 });
    await desk.mirror(entry(1));
    desk.advance(86_400_000 - 1000);
    await spend(2);
    expect(await day.closed(null)).not.toBeNull();
    desk.advance(1000);
    expect(await day.closed(null)).toBeNull();
  });
});

describe('when to ask again', () => {
  beforeEach(() => open({}));
  it.each([
    [86_400_000, 300],
    [301_000, 300],
    [100_000, 100],
    [99_001, 100],
    [1, 1],
  ])('%i ms before midnight: in %i seconds', async (beforeMs, seconds) => {
    desk.advance(86_400_000 - beforeMs);
    expect(await day.retryAfterSeconds()).toBe(seconds);
  });
});
