import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, idOf } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import { busy } from '../../core/errors.ts';
import type { Store } from '../../core/store.ts';
import { type AbandonedRequests, createAbandonedRequests, giveBack } from './abandoned-requests.ts';

let desk: Desk;
let abandoned: AbandonedRequests;
let away: boolean;
let recalls: number;

/** A store that can be away: one in memory never is. */
function mayBeAway(store: Store): Store {
  return {
    ...store,
    recall(input) {
      recalls += 1;
      return away ? Promise.reject(busy()) : store.recall(input);
    },
  };
}

beforeEach(async () => {
  away = false;
  recalls = 0;
  desk = makeDesk({ wrapStore: mayBeAway });
  abandoned = createAbandonedRequests(desk.context);
  await desk.mirror(entry(1), entry(2));
});
afterEach(async () => {
  abandoned.stop();
  await desk.close();
});

const stateOf = async (number: number) => (await desk.task(idOf(number))).state;
const take = ({ agentId, requestId }: ReturnType<Desk['ticket']>) =>
  desk.take(agentId, { requestId });

describe('what was claimed for an abandoned request', () => {
  it('is given back before its agent asks again, and its ticket goes', async () => {
    const ticket = desk.ticket('hana');
    await desk.store.tickets.create(ticket, 60_000);
    await take(ticket);
    abandoned.remember(ticket, true);
    await abandoned.settleAgent('hana');
    expect(await stateOf(1)).toBe('ready');
    expect(await desk.store.tickets.count()).toBe(0);
    expect(await desk.history(idOf(1))).toContainEqual(
      expect.objectContaining({
        type: 'released',
        reason: 'the request ended before the answer',
      }),
    );
  });

  it('is looked for at the request of that agent only', async () => {
    const ticket = desk.ticket('hana');
    await take(ticket);
    abandoned.remember(ticket, true);
    await abandoned.settleAgent('kenji');
    expect(await stateOf(1)).toBe('leased');
    await abandoned.settleAll();
    expect(await stateOf(1)).toBe('ready');
  });

  it('is asked for once: what is sure is not asked again', async () => {
    abandoned.remember(desk.ticket('hana'), true);
    await abandoned.settleAll();
    await abandoned.settleAll();
    await abandoned.settleAgent('hana');
    expect(recalls).toBe(1);
    abandoned.remember(desk.ticket('kenji'), false);
    await abandoned.settleAll();
    expect(recalls).toBe(1);
  });

  it('is given back when it is claimed only afterwards', async () => {
    const ticket = desk.ticket('hana');
    abandoned.remember(ticket, false);
    await take(ticket);
    abandoned.claimed(ticket);
    await desk.rest();
    expect(await stateOf(1)).toBe('ready');
  });

  it('stays where the agent was told of it after all', async () => {
    const ticket = desk.ticket('hana');
    const { task, lease } = await take(ticket);
    await desk.store.markAnswered({ taskId: task.id, token: lease.token });
    abandoned.remember(ticket, true);
    await abandoned.settleAll();
    expect(await stateOf(1)).toBe('leased');
  });

  it('stays where nobody gave the request up', async () => {
    const ticket = desk.ticket('hana');
    await take(ticket);
    abandoned.claimed(ticket);
    await desk.rest();
    expect([await stateOf(1), recalls]).toEqual(['leased', 0]);
  });
});

describe('while the store is away', () => {
  it('a claim is warned about and given back later', async () => {
    const ticket = desk.ticket('hana');
    abandoned.remember(ticket, false);
    await take(ticket);
    away = true;
    abandoned.claimed(ticket);
    await desk.rest();
    expect(desk.warnings).toEqual(['could not give back a hand-out yet; trying again']);
    expect(await stateOf(1)).toBe('leased');
    away = false;
    await abandoned.settleAll();
    expect(await stateOf(1)).toBe('ready');
  });

  it('its agent hears of it, and an unsure request is remembered for as long as it takes', async () => {
    const ticket = desk.ticket('hana');
    await take(ticket);
    abandoned.remember(ticket, true);
    away = true;
    await expect(abandoned.settleAgent('hana')).rejects.toThrow(/busy/);
    await desk.pass(120_000);
    away = false;
    await abandoned.settleAgent('hana');
    expect(await stateOf(1)).toBe('ready');
  });
});

describe('an abandoned request', () => {
  it('is forgotten after 30 seconds, when no matcher can be busy with it any more', async () => {
    const soon = desk.ticket('hana');
    const late = desk.ticket('kenji');
    abandoned.remember(soon, false);
    abandoned.remember(late, false);
    await desk.pass(29_500);
    await take(soon);
    abandoned.claimed(soon);
    await desk.rest();
    expect(await stateOf(1)).toBe('ready');
    await desk.pass(1000);
    await take(late);
    abandoned.claimed(late);
    await desk.rest();
    expect(await stateOf(1)).toBe('leased');
  });

  it('that is given up once more is remembered from then on', async () => {
    const ticket = desk.ticket('hana');
    abandoned.remember(ticket, false);
    await desk.pass(20_000);
    abandoned.remember(ticket, false);
    await desk.pass(20_000);
    await take(ticket);
    abandoned.claimed(ticket);
    await desk.rest();
    expect(await stateOf(1)).toBe('ready');
  });

  it('is not remembered after a stop, and leaves no timer behind', async () => {
    const ticket = desk.ticket('hana');
    abandoned.remember(ticket, true);
    abandoned.stop();
    abandoned.remember(desk.ticket('kenji'), true);
    await abandoned.settleAll();
    expect(recalls).toBe(0);
  });
});

it('gives nothing back where nothing was claimed', async () => {
  await giveBack(desk.store, { agentId: 'hana', requestId: 'r1' });
  expect(recalls).toBe(1);
  expect(await stateOf(1)).toBe('ready');
});
