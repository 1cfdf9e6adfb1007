// Every regular expression in src is tried with inputs made of its own words: a new one that takes more than
// linear time is found here without anybody having to list it.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { superlinear } from '../support/growth.ts';
import { type RegexLiteral, regexLiterals } from '../support/regex-literals.ts';

const SRC = join(import.meta.dirname, '..', '..', 'src');

/** Read from files of the program itself, or from a few characters: never from strangers. */
const NOT_FROM_STRANGERS: Record<string, string> = {
  'store/redis/connection/library.ts': "Banto's own Lua files",
  'store/redis/keys-tool/hold-lock.ts': "Banto's own Lua files",
  'store/sqlite/statements.ts': "Banto's own SQL files",
};

const WORDS = [
  '\u001b]',
  ' ',
  '\t',
  '\n',
  '\r\n',
  'a',
  '0',
  '#',
  '-',
  '*',
  '_',
  '`',
  '"',
  '\\',
  '<',
  '.',
  '/',
];

/** Letters, words and marks that the pattern itself names. */
function wordsOf({ source }: RegexLiteral): string[] {
  const named = source.match(/[A-Za-z][a-z_ ]{2,}|\\.|[^\\\w\s()[\]{}|?*+^$]/g) ?? [];
  const plain = named.map((word) => word.replace(/^\\(?=\W)/, ''));
  return [...new Set([...plain.filter((word) => !/^\\[a-zA-Z]/.test(word)), ...WORDS])].slice(
    0,
    28,
  );
}

/** Bounded everywhere: the time for one place in the text has a limit. */
function isBounded({ source }: RegexLiteral): boolean {
  const bare = source.replaceAll(/\\./g, 'e').replaceAll(/\[[^\]]*\]/g, 'c');
  return !/[*+]|\{\d+,\}/.test(bare);
}

function trial(literal: RegexLiteral): (text: string) => void {
  const flags = literal.flags.replaceAll(/[gy]/g, '');
  const pattern = new RegExp(
    literal.source,
    literal.flags.includes('y') ? `${flags}y` : `${flags}g`,
  );
  return (text) => {
    pattern.lastIndex = 0;
    text.replace(pattern, '');
  };
}

const literals = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.endsWith('.test.ts') && NOT_FROM_STRANGERS[file] === undefined)
  .flatMap((file) =>
    regexLiterals(readFileSync(join(SRC, file), 'utf8')).map((literal) => ({ file, literal })),
  );

/** Quick at this length, so that hundreds of inputs can be tried for each pattern. */
const TRIED = { from: 4096, to: 16_384 };

function attacksOn(literal: RegexLiteral): { prefix: string; pump: string }[] {
  const words = wordsOf(literal);
  const pumps = [...words, ...words.slice(0, 8).flatMap((a) => [` ${a}`])];
  return ['', ...words.slice(0, 5), '# a', '- a'].flatMap((prefix) =>
    pumps.map((pump) => ({ prefix, pump })),
  );
}

function findSlow(literal: RegexLiteral): string | null {
  const run = trial(literal);
  for (const { prefix, pump } of attacksOn(literal)) {
    const worst = (length: number) => `${prefix}${pump.repeat(length / pump.length)}\u0001`;
    const found = superlinear(run, worst, TRIED);
    if (found !== null) return `${JSON.stringify({ prefix, pump })}: ${found}`;
  }
  return null;
}

describe('every regular expression takes linear time', () => {
  it('finds the patterns of the source at all', () => {
    expect(literals.length).toBeGreaterThan(100);
  });

  it.each([
    { source: '^ {0,3}#[ \\t]+(.*?)(?:[ \\t]+#+)?[ \\t]*$', flags: '' },
    { source: '[-.]+$', flags: 'g' },
    { source: '\\x1b\\][^\\x07]*\\x07', flags: 'g' },
  ])('would find $source', (bad) => {
    expect(findSlow(bad)).not.toBeNull();
  });

  it.each(literals.filter(({ literal }) => !isBounded(literal)))(
    '$file: $literal.source',
    ({ literal }) => expect(findSlow(literal)).toBeNull(),
  );
});
