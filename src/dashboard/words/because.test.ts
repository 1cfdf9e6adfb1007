// The server's words for why a task is not offered, and the page's sentences for them.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REASONS } from '../../core/pairing/why.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';
import { becauseOf } from './ja-because.ts';

const CORE = join(import.meta.dirname, '..', '..', 'core');

/** Every word that a rule is explained with. */
const CODES = globSync('**/*.ts', { cwd: CORE })
  .filter((file) => !file.endsWith('.test.ts'))
  .flatMap((file) => [
    ...readFileSync(join(CORE, file), 'utf8').matchAll(/\bbecause\(\s*'([a-z_]+)'/g),
  ])
  .map(([, code]) => code);

it('has a Japanese sentence for every word that a rule is explained with, and no other', () => {
  expect(Object.keys(becauseOf).sort()).toEqual([...new Set(CODES)].sort());
});

it.each([
  ['English', en],
  ['Japanese', ja],
])('has a sentence in %s for every reason of a task', (_, { reasons }) => {
  expect(Object.keys(REASONS).filter((word) => !Object.hasOwn(reasons, word))).toEqual([]);
});

it('leaves out what was not said', () => {
  expect(becauseOf['state']?.({ state: '作業中', agent: 'hana' })).toBe(
    'タスクの状態は「作業中」（担当 hana）です。',
  );
  expect(becauseOf['labels']?.({ labels: 'css', agent: 'hana' })).toBe(
    '課題のラベルは css です。hana は能力を登録していません。一致するものはありません。',
  );
  expect(becauseOf['dependencies']?.({ cycle: '#1 → #2 → #1' })).toMatch(/^依存関係が循環/);
});
