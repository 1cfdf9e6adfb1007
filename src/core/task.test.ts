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

  it('reads exactly what this pattern reads, also from ids that are almost right', () => {
    const pattern =
      /^([A-Za-z0-9._-]+(?:~[A-Za-z0-9._-]+)?)~([1-9]\d{0,14})~(implement|review|fix)\.([1-9]\d{0,5})$/;
    const byPattern = (id: string) => {
      const [, repository, number, kind, round] = pattern.exec(id) ?? [];
      if (repository === undefined) return null;
      const name = repository.replace('~', '/');
      return { repository: name, number: Number(number), kind, round: Number(round) };
    };
    const strange = fc.constantFrom(
      '',
      ...' 1e3 0 01 1a -1 1.5 ٣ 1234567 1234567890123456 Fix fixx fi é'.split(' '),
      ...'~ ~~ . .. / ~r o~ a~b~c'.split(' '),
      '\n',
    );
    const mostly = (...right: string[]) =>
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...right) }, strange);
    const almost = fc
      .tuple(
        mostly('o', 'o~r', 'o~q', 'owner.x~re_po-1', '~r', '..'),
        mostly('~'),
        mostly('1', '12', '123456789012345'),
        mostly('~'),
        mostly('fix', 'review', 'implement'),
        mostly('.'),
        mostly('1', '20', '123456'),
        mostly(''),
      )
      .map((parts) => parts.join(''));
    let right = 0;
    fc.assert(
      fc.property(fc.oneof(almost, fc.string()), (id) => {
        const expected = byPattern(id);
        if (expected !== null) right += 1;
        expect(parseTaskId(id)).toEqual(expected);
      }),
      { numRuns: 20_000 },
    );
    expect(right).toBeGreaterThan(1000);
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
