import { describe, expect, it } from 'vitest';
import { issue, leased, task } from '../../../test/support/decide.ts';
import type { WriteRow } from '../rows/ledger-row.ts';
import { type Ended, mayForgetIssue, withoutResult } from './forget.ts';

const BEFORE = 1000;

const ended = (over: Partial<Ended> = {}): Ended => ({
  issue: issue({ state: 'closed', seenAt: BEFORE - 1 }),
  ledger: { writes: [] },
  tasks: [task({ state: 'done' }), task({ state: 'cancelled' })],
  awaited: false,
  ...over,
});

describe('an issue', () => {
  it.each<[string, Partial<Ended>, boolean]>([
    ['is closed and old', {}, true],
    ['is closed and old and never had a task', { tasks: [] }, true],
    ['was seen since', { issue: issue({ state: 'closed', seenAt: BEFORE }) }, false],
    ['is open', { issue: issue({ state: 'open', seenAt: 0 }) }, false],
    ['was never mirrored', { issue: undefined }, false],
    ['has something to be written', { ledger: { writes: [{} as WriteRow] } }, false],
    ['is waited for', { awaited: true }, false],
    ['has a dead task', { tasks: [task({ state: 'done' }), task({ state: 'dead' })] }, false],
    ['has a held task', { tasks: [task({ state: 'held' })] }, false],
    ['has a leased task', { tasks: [leased({})] }, false],
  ])('that %s: %#', (_how, over, may) => {
    expect(mayForgetIssue(ended(over), BEFORE)).toBe(may);
  });
});

describe('a result', () => {
  const result = { agentId: 'a1', summary: 's', verdict: null, comments: [], at: 1 };

  it('goes when its task has ended long ago, and nothing else of it', () => {
    const row = task({ state: 'done', result, endedAt: BEFORE - 1 });
    expect(withoutResult(row, BEFORE)).toEqual({ ...row, result: null });
  });

  it.each([
    ['is younger', task({ state: 'done', result, endedAt: BEFORE })],
    ['is not there', task({ state: 'done', endedAt: BEFORE - 1 })],
    ['is of a task that goes on', task({ state: 'ready', result })],
  ])('stays where it %s', (_how, row) => {
    expect(withoutResult(row, BEFORE)).toBeNull();
  });
});
