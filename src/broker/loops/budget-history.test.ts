import { afterEach, expect, test } from 'vitest';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import type { ForgeBudget } from '../../core/forge.ts';
import { type BudgetHistory, createBudgetHistory } from './budget-history.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
let desk: Desk;
let history: BudgetHistory;
afterEach(async () => {
  await history.stop();
  await desk.close();
});
function open(budget?: () => Promise<ForgeBudget | null>): number {
  desk = makeDesk(budget === undefined ? {} : { forge: { budget } });
  history = createBudgetHistory(desk.context);
  return desk.time.now();
}
const left = (remaining: number) => ({ limit: 5000, remaining, resetAt: 0, blockedUntil: null });

test('what is left is noted, and given from the instant that is asked for', async () => {
  let budget: ForgeBudget | null = null;
  const start = open(async () => budget);
  // A forge that has not answered yet has said nothing.
  await history.runOnce();
  expect(history.since(0)).toEqual([]);
  expect(desk.warnings).toEqual([]);
  for (const remaining of [5000, 4900, 4700]) {
    budget = left(remaining);
    desk.advance(MINUTE_MS);
    await history.runOnce();
  }
  const all = [5000, 4900, 4700].map((remaining, index) => ({
    at: start + (index + 1) * MINUTE_MS,
    limit: 5000,
    remaining,
  }));
  expect(history.since(0)).toEqual(all);
  expect(history.since(start + 2 * MINUTE_MS)).toEqual(all.slice(1));
  expect(history.since(start + 2 * MINUTE_MS + 1)).toEqual(all.slice(2));
});

test('what is a day old is forgotten', async () => {
  const start = open(async () => left(1));
  await history.runOnce();
  desk.advance(DAY_MS - 1);
  await history.runOnce();
  expect(history.since(0)).toHaveLength(2);
  desk.advance(1);
  await history.runOnce();
  expect(history.since(0).map(({ at }) => at - start)).toEqual([DAY_MS - 1, DAY_MS]);
});

test('it is noted once a minute', async () => {
  open(async () => left(1));
  history.start();
  await desk.pass(2 * MINUTE_MS + 500);
  expect(history.since(0)).toHaveLength(3);
});

test('a forge without limits has no history', async () => {
  open();
  await history.runOnce();
  expect(history.since(0)).toEqual([]);
});
