import { describe, expect, it } from 'vitest';
import { leased, task } from '../../../test/support/decide.ts';
import { compareDue, deadlineOf } from './filing.ts';

describe('the instant at which time changes a task', () => {
  it.each([
    ['a lease', leased({}), 'lease'],
    ['a delay', task({ state: 'delayed', readyAt: 70 }), 'delayed'],
    ['a reservation', task({ state: 'ready', onlyAgent: 'a', opensAt: 80 }), 'opening'],
    ['nothing while it is free', task({ state: 'ready' }), null],
    ['nothing while it is held', task({ state: 'held', readyAt: 70 }), null],
  ])('is that of %s', (_what, row, expected) => {
    expect(deadlineOf(row)?.what ?? null).toBe(expected);
  });
});

describe('of tasks that time changes', () => {
  const row = (name: string, readyAt: number, createdAt: number) =>
    task({ id: `octo~park~${name}.1`, state: 'delayed', readyAt, createdAt });

  it('the earlier comes first, then the older, then the lower number, then the name', () => {
    const first = row('9~implement', 10, 9);
    const older = row('9~implement', 20, 1);
    const lower = row('3~review', 20, 2);
    const fix = row('10~fix', 20, 2);
    const implement = row('10~implement', 20, 2);
    const inOrder = [first, older, lower, fix, implement];
    expect(inOrder.toReversed().sort(compareDue)).toEqual(inOrder);
    expect([...inOrder].sort(compareDue)).toEqual(inOrder);
  });
});
