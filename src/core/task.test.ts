import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isAgentId,
  mayFollow,
  nextLife,
  parseTaskId,
  roundInLife,
  TASK_KINDS,
  TASK_STATES,
  taskId,
} from './task.ts';

const part = fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/);

describe('taskId', () => {
  it('can be read back, is safe in a URL, and differs for different tasks', () => {
    const name = fc.record({
      repository: fc.oneof(
        part,
        fc.tuple(part, part).map((both) => both.join('/')),
      ),
      number: fc.integer({ min: 1, max: 1e9 }),
      kind: fc.constantFrom(...TASK_KINDS),
      round: fc.integer({ min: 1, max: 999 }),
    });
    fc.assert(
      fc.property(name, (given) => {
        const id = taskId(given);
        expect(encodeURIComponent(id)).toBe(id);
        expect(parseTaskId(id)).toEqual(given);
      }),
    );
  });

  it.each([
    '',
    'x',
    '../1~implement.1',
    'o~r~0~implement.1',
    'o~r~1~destroy.1',
    'a~b~c~1~fix.1',
    'o~r~1~fix.1\n',
  ])('does not take %j for an id', (text) => {
    expect(parseTaskId(text)).toBeNull();
  });
});

describe('mayFollow', () => {
  it('never leaves done, and lets every other state end or be claimed again', () => {
    const reaches = (from: (typeof TASK_STATES)[number]): Set<string> => {
      const seen = new Set<string>([from]);
      for (const state of seen) {
        for (const next of TASK_STATES) if (mayFollow(state as typeof from, next)) seen.add(next);
      }
      return seen;
    };
    expect(TASK_STATES.filter((to) => mayFollow('done', to))).toEqual([]);
    for (const state of TASK_STATES.filter((s) => s !== 'done')) {
      expect(reaches(state)).toContain('leased');
    }
  });

  it('leads to leased from ready alone', () => {
    expect(TASK_STATES.filter((from) => mayFollow(from, 'leased'))).toEqual(['ready']);
  });
});

describe('lives', () => {
  it('counts rounds from one again in each life', () => {
    expect([1, 3, 101, 103, 201].map(roundInLife)).toEqual([1, 3, 1, 3, 1]);
    expect([1, 3, 101, 150].map(nextLife)).toEqual([101, 101, 201, 201]);
  });
});

describe('isAgentId', () => {
  it.each(['a', 'claude-1', 'A.b_c-9', 'x'.repeat(50)])('takes %s', (id) => {
    expect(isAgentId(id)).toBe(true);
  });
  it.each(['', '-a', '.a', 'a b', 'a/b', 'a\n', 'ä', 'x'.repeat(51), 'a\u0000'])(
    'refuses %j',
    (id) => {
      expect(isAgentId(id)).toBe(false);
    },
  );
});
