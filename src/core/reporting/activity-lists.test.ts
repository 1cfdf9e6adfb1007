import { describe, expect, it } from 'vitest';
import { createFailures, createMinutes, createNewest } from './activity-lists.ts';

const MINUTE = 60_000;

describe('rows of numbers by the minute', () => {
  it('are summed up by column, and forgotten when the window has moved on', () => {
    const minutes = createMinutes(3 * MINUTE, 2);
    minutes.add(0, 0, 1);
    minutes.add(MINUTE - 1, 1, 2);
    minutes.add(MINUTE, 0, 5);
    minutes.add(3 * MINUTE, 1, 7);
    minutes.add(3 * MINUTE, 1, 1);
    expect([minutes.read(0, 0), minutes.read(0, 1)]).toEqual([1, 2]);
    expect([minutes.read(1, 0), minutes.read(1, 1)]).toEqual([5, 0]);
    expect([minutes.read(2, 0), minutes.read(3, 1)]).toEqual([0, 8]);
    minutes.add(4 * MINUTE, 1, 9);
    expect([minutes.read(0, 0), minutes.read(4, 0), minutes.read(4, 1)]).toEqual([0, 0, 9]);
    expect(minutes.read(1, 0)).toBe(5);
  });

  it('take nothing from a window ago', () => {
    const minutes = createMinutes(3 * MINUTE, 1);
    minutes.add(5 * MINUTE, 0, 3);
    minutes.add(MINUTE, 0, 9);
    expect(minutes.read(5, 0)).toBe(3);
    expect(minutes.read(1, 0)).toBe(0);
  });
});

describe('the newest', () => {
  it('come first, none twice, and not without end', () => {
    const newest = createNewest(3);
    for (const id of ['a', 'b', 'c']) newest.add(id);
    expect(newest.list()).toEqual(['c', 'b', 'a']);
    newest.add('a');
    expect(newest.list()).toEqual(['a', 'c', 'b']);
    newest.add('d');
    expect(newest.list()).toEqual(['d', 'a', 'c']);
    newest.remove('a');
    expect(newest.list()).toEqual(['d', 'c']);
  });
});

describe('failures of the ledger', () => {
  const failed = (number: number, error: string, final = false) =>
    ({
      seq: 1,
      at: number,
      type: 'ledger_failed',
      repository: 'o/r',
      number,
      error,
      final,
    }) as const;
  const written = (number: number) =>
    ({ seq: 1, at: 9, type: 'ledger_written', repository: 'o/r', number, labels: [] }) as const;

  it('are shown until the issue was written or nothing is tried any more, the last one first', () => {
    const failures = createFailures();
    expect(failures.last()).toBeNull();
    failures.take(failed(1, 'one'));
    failures.take(failed(2, 'two'));
    expect(failures.last()).toEqual({ error: 'two', at: 2 });
    failures.take(failed(1, 'again'));
    expect(failures.last()?.error).toBe('again');
    failures.take({ seq: 1, at: 1, type: 'setting_changed', name: 'x', value: 1 });
    failures.take(written(1));
    expect(failures.last()?.error).toBe('two');
    failures.take(failed(2, 'never', true));
    expect(failures.last()).toBeNull();
  });
});
