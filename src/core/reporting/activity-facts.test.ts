// What activity makes of each kind of fact, and of tasks that it does not know from the beginning.

import { describe, expect, it } from 'vitest';
import {
  accepted,
  completed,
  expired,
  facts,
  failed,
  ID,
  leased,
  MINUTE,
  NOTHING,
  REVIEW,
  START,
  taken,
} from '../../../test/support/activity-facts.ts';
import type { FactBody } from '../facts.ts';
import { BANDS, type Band } from './activity.ts';

/** Only that it happened. */
const of = (type: string, state = 'ready'): FactBody =>
  ({ ...expired, type, state, reason: 'x' }) as unknown as FactBody;

describe('a task whose first facts are forgotten', () => {
  const ofAnn = { taskId: ID, agentId: 'ann', fence: 1 };
  const now = { ...NOTHING, ready: 5, leased: 5, held: 5, dead: 5, review: 5, done: 5 };
  /** How many stood in each band before this fact, where there are five now. */
  const before = (body: FactBody): Partial<Record<Band, number>> => {
    const activity = taken(facts([10, body]));
    const to = START + 20 * MINUTE;
    const [first] = activity.flow({ from: START + 9 * MINUTE, to, stepMs: MINUTE, now });
    const tasks = first?.tasks ?? NOTHING;
    return Object.fromEntries(BANDS.filter((band) => tasks[band] !== 5).map((b) => [b, tasks[b]]));
  };

  it.each<[string, FactBody, Partial<Record<Band, number>>]>([
    ['nowhere, before it was accepted', accepted(ID), { ready: 4 }],
    ['ready, before its lease', leased(ID, 'ann'), { ready: 6, leased: 4 }],
    ['in review, before its lease', leased(REVIEW, 'ann'), {}],
    ['leased, before it failed', failed, { leased: 6, held: 4 }],
    ['leased, before it expired', expired, { leased: 6, ready: 4 }],
    ['leased, before it was done', completed(ID), { leased: 6, done: 4 }],
    [
      'leased, before it was unlocked',
      { ...ofAnn, type: 'unlocked', state: 'ready' },
      { leased: 6, ready: 4 },
    ],
    [
      'held, before it was cancelled',
      { ...ofAnn, type: 'cancelled', state: 'cancelled', reason: 'x' },
      { held: 6 },
    ],
    [
      'dead, before it was requeued',
      { taskId: ID, type: 'requeued', state: 'ready', readyAt: null },
      { dead: 6, ready: 4 },
    ],
    [
      'ready, before it was held',
      { taskId: ID, type: 'held', state: 'held', reason: 'x' },
      { ready: 6, held: 4 },
    ],
    [
      'ready, before it was delayed',
      { taskId: ID, type: 'delayed', state: 'delayed', reason: null, readyAt: 1 },
      { ready: 6, held: 4 },
    ],
    [
      'held, before it was ready',
      { taskId: ID, type: 'ready', state: 'ready', reason: null },
      { held: 6, ready: 4 },
    ],
  ])('was %s', (_title, body, expected) => {
    expect(before(body)).toEqual(expected);
  });
});

describe('what was told', () => {
  it('keeps the last forty facts that people want to read', () => {
    const many = Array.from({ length: 100 }, (_, index): [number, FactBody] => [
      index,
      leased(`shop~${index + 1}~implement.1`, 'ann'),
    ]);
    const { recent } = taken(facts(...many));
    expect([recent[0]?.seq, recent.at(-1)?.seq, recent.length]).toEqual([100, 61, 40]);
  });

  it.each<[string, FactBody, boolean]>([
    ['a lease', leased(ID, 'ann'), true],
    ['an end', completed(ID), true],
    ['a failure', failed, true],
    ['an expiry', expired, true],
    ['a release', of('released'), true],
    ['a refusal', of('refused'), true],
    ['a death', { taskId: ID, type: 'dead', state: 'dead', reason: 'x' }, true],
    ['a question', of('asked'), true],
    ['an answer', of('answered'), true],
    ['a budget', of('budgeted'), true],
    ['a priority', of('prioritized'), true],
    ['an unlock', of('unlocked'), true],
    ['a cancellation', of('cancelled'), true],
    ['a requeue', of('requeued'), true],
    [
      'a failed write',
      { type: 'ledger_failed', repository: 'shop', number: 7, error: 'x', final: false },
      true,
    ],
    ['a renewal', of('renewed'), false],
    ['an acceptance', accepted(ID), false],
    [
      'a written label',
      { type: 'ledger_written', repository: 'shop', number: 7, labels: [] },
      false,
    ],
  ])('%s is news: %#', (_title, body, told) => {
    expect(taken(facts([0, body])).recent).toHaveLength(told ? 1 : 0);
  });
});

describe('a lease', () => {
  const renewed = (progress: string | null): FactBody => ({
    type: 'renewed',
    taskId: ID,
    state: 'leased',
    agentId: 'ann',
    fence: 1,
    expiresAt: START + 9 * 3_600_000,
    progress,
  });

  it('shows the last words of its agent, and then those of its end', () => {
    const activity = taken(facts([0, accepted(ID)], [1, leased(ID, 'ann')], [2, renewed('half')]));
    expect(activity.openLease(ID)).toMatchObject({
      note: 'half',
      noteAt: START + 2 * MINUTE,
      expiresAt: START + 9 * 3_600_000,
      priority: 100,
      endedAt: null,
    });
    for (const fact of facts([3, renewed(null)])) activity.take(fact);
    expect(activity.openLease(ID)).toMatchObject({ note: 'half', noteAt: START + 3 * MINUTE });
    for (const fact of facts([4, expired])) activity.take(fact);
    expect(activity.openLease(ID)).toBeNull();
    expect(activity.leases(START, START + 9 * MINUTE, 10)).toMatchObject([
      { note: 'half', outcome: 'expired', endedAt: START + 4 * MINUTE },
    ]);
  });

  it('has the priority that an operator gave its task', () => {
    const prioritized: FactBody = { type: 'prioritized', taskId: ID, state: 'ready', priority: 7 };
    const activity = taken(facts([0, accepted(ID)], [1, prioritized], [2, leased(ID, 'ann')]));
    expect(activity.openLease(ID)?.priority).toBe(7);
    expect(taken(facts([0, leased(ID, 'ann')])).openLease(ID)?.priority).toBeNull();
  });

  it('is found where it touches the time that is asked for', () => {
    const activity = taken(facts([5, leased(ID, 'ann')], [9, failed]));
    const found = (from: number, to: number) =>
      activity.leases(START + from * MINUTE, START + to * MINUTE, 10).length;
    expect([found(0, 4.9), found(0, 5), found(6, 7), found(9, 20), found(9.1, 20)]).toEqual([
      0, 1, 1, 1, 0,
    ]);
    const open = taken(facts([5, leased(ID, 'ann')]));
    expect(open.leases(START + 20 * MINUTE, START + 30 * MINUTE, 10)).toHaveLength(1);
  });
});

describe('a task', () => {
  it('is since when in its state, as long as it is open', () => {
    const activity = taken(facts([0, accepted(ID)], [1, leased(ID, 'ann')]));
    expect(activity.stateSince(ID, 'leased')).toBe(START + MINUTE);
    expect(activity.stateSince(ID, 'ready')).toBeNull();
    for (const fact of facts([2, completed(ID)])) activity.take(fact);
    expect(activity.stateSince(ID, 'leased')).toBeNull();
    expect(activity.stateSince(ID, 'done')).toBeNull();
  });

  it('that was cancelled is listed until it comes back', () => {
    const cancelled = {
      ...expired,
      type: 'cancelled',
      state: 'cancelled',
      reason: 'x',
    } as FactBody;
    const activity = taken(facts([0, accepted(ID)], [1, cancelled]));
    expect(activity.ended.cancelled).toEqual([ID]);
    const back: FactBody = { type: 'requeued', taskId: ID, state: 'ready', readyAt: null };
    for (const fact of facts([2, back])) activity.take(fact);
    expect(activity.ended.cancelled).toEqual([]);
  });
});
