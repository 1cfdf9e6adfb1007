import { describe, expect, it } from 'vitest';
import type { Fact } from '../facts.ts';
import type { Attempt } from '../task.ts';
import { HISTORY_SHOWN, handoffOf, historyPage, recordsRenewal } from './history.ts';

const attempt = (fence: number, over: Partial<Attempt> = {}): Attempt => ({
  agentId: `a${fence}`,
  fence,
  branch: null,
  startedAt: 0,
  endedAt: 1,
  outcome: 'failed',
  note: null,
  progress: [],
  usage: null,
  ...over,
});

describe('a heartbeat without news', () => {
  it('is recorded at most once in a quarter of the lease time, however often it comes', () => {
    const seconds = 600;
    let expiresAt = seconds * 1000;
    let recorded = 0;
    for (let now = 0; now < seconds * 1000; now += 100) {
      if (recordsRenewal({ leasedAt: 0, seconds, expiresAt }, now)) recorded += 1;
      expiresAt = now + seconds * 1000;
    }
    expect(recorded).toBe(3);
  });

  it('is recorded when it comes after a quarter of the lease time', () => {
    const lease = { leasedAt: 1000, seconds: 10, expiresAt: 11_000 };
    expect(recordsRenewal(lease, 1000 + 2499)).toBe(false);
    expect(recordsRenewal(lease, 1000 + 2500)).toBe(true);
  });
});

describe('a hand-off', () => {
  it('carries the last five attempts, oldest first', () => {
    const many = Array.from({ length: 2000 }, (_, index) => attempt(index));
    expect(handoffOf(many).map(({ fence }) => fence)).toEqual([1995, 1996, 1997, 1998, 1999]);
  });

  it('cuts long notes, and never through a character', () => {
    const long = `${'x'.repeat(1999)}😀${'y'.repeat(50_000)}`;
    const [only] = handoffOf([attempt(1, { note: long, progress: [long, 'short'] })]);
    expect(only?.note?.length).toBeLessThan(2050);
    expect(only?.note?.isWellFormed()).toBe(true);
    expect(only?.progress[0]?.length).toBeLessThan(2050);
    expect(only?.progress[1]).toBe('short');
  });
});

describe('a page of a history', () => {
  const facts = (count: number): Fact[] =>
    Array.from({ length: count }, (_, index) => ({
      seq: index + 1,
      at: 0,
      type: 'setting_changed',
      name: 'x',
      value: 1,
    }));

  it('says where the next one goes on, if there is one', () => {
    expect(historyPage(facts(HISTORY_SHOWN)).nextHistoryCursor).toBeNull();
    const page = historyPage(facts(HISTORY_SHOWN + 1));
    expect(page.history).toHaveLength(HISTORY_SHOWN);
    expect(page.nextHistoryCursor).toBe('2');
  });

  it('keeps a note of just the length that is handed on', () => {
    const note = 'x'.repeat(2000);
    expect(handoffOf([attempt(1, { note })])[0]?.note).toBe(note);
  });
});
