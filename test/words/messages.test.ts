// Every text that people or models can meet, found in the source: none says "busy" without a reason, none
// shows a trace, none names a command or an option that does not exist.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/doors/cli/program.ts';
import type { Shell } from '../../src/doors/cli/shell.ts';

const ROOT = join(import.meta.dirname, '..', '..');

interface Text {
  readonly where: string;
  readonly text: string;
}

/** Literals of a source file. Comments are taken out first: they are for whoever reads the code. */
function textsIn(file: string): Text[] {
  const source = readFileSync(file, 'utf8');
  const code = source
    .replaceAll(/^\s*(?:\/\/|\/\*|\*).*$/gm, (line) => ' '.repeat(line.length))
    .replaceAll(/\s\/\/ .*$/gm, (line) => ' '.repeat(line.length));
  const literals = code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gs);
  return [...literals].map((match) => ({
    where: `${relative(ROOT, file)}:${code.slice(0, match.index).split('\n').length}`,
    text: match[0].slice(1, -1).replaceAll('\\`', '`').replaceAll("\\'", "'"),
  }));
}

const FILES = [
  ...globSync('src/**/*.ts', { cwd: ROOT }),
  ...globSync('bin/*.js', { cwd: ROOT }),
].filter((file) => !file.endsWith('.test.ts'));
const TEXTS = FILES.flatMap((file) => textsIn(join(ROOT, file)));

const PAGES: Text[] = ['README.md', ...globSync('docs/*.md', { cwd: ROOT })].flatMap((page) =>
  readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    .map((text, index) => ({ where: `${page}:${index + 1}`, text })),
);

const program = createProgram({ version: '1.2.3' } as Shell, () => undefined);

/** The command that these words begin with, and the words behind it. */
function find(words: readonly string[]): { command: Command; rest: readonly string[] } | null {
  let command: Command = program;
  let at = 0;
  for (; at < words.length; at += 1) {
    const next = command.commands.find((child) =>
      [child.name(), ...child.aliases()].includes(words[at] ?? ''),
    );
    if (next === undefined) break;
    command = next;
  }
  // A group alone may be named (`banto keys`), but not with a word that it does not have.
  const word = words[at] ?? '';
  const isStrange = command.commands.length > 0 && /^[a-z]/.test(word);
  return command === program || isStrange ? null : { command, rest: words.slice(at) };
}

/** Where a text shows a command: in backquotes, as an example, or behind "run". */
const SHOWN = [
  /`(?:[A-Z_]+=\S+ )*banto ([^`]+)`/g,
  /(?:^|\$ |[Rr]un:? |[Cc]reate one first: )(?:[A-Z_]+=\S+ )*banto ((?:[a-z-]+)(?: [^\n.;#]*)?)/gm,
];

function commandsIn({ text }: Text): string[] {
  return SHOWN.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? ''));
}

function problemWith(shown: string): string | null {
  // `banto agents`, `banto token create|list`, `<task>`, `…` and `--port 9000 | head` are words about it.
  const words = shown
    .replaceAll(/\$\{[^}]*\}/g, '')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 || /[<[…|]/.test(words[0] ?? '')) return null;
  if (words[0]?.startsWith('-')) return null;
  const alternatives = words[1]?.includes('|') ? words[1].split('|') : [words[1] ?? ''];
  for (const second of alternatives) {
    const found = find([words[0] ?? '', second, ...words.slice(2)].filter((word) => word !== ''));
    if (found === null) return `there is no command banto ${words.slice(0, 2).join(' ')}`;
    const known = [...found.command.options, ...program.options].flatMap(({ long, short }) => [
      long,
      short,
    ]);
    for (const word of found.rest) {
      if (word === '|' || word === '--') break;
      const option = /^--[a-z][a-z-]*/.exec(word)?.[0];
      if (option !== undefined && option !== '--help' && !known.includes(option)) {
        return `banto ${found.command.name()} has no ${option}`;
      }
    }
  }
  return null;
}

describe('texts', () => {
  it('are found', () => {
    expect(TEXTS.length).toBeGreaterThan(2000);
    const shown = TEXTS.flatMap(commandsIn);
    expect(shown.length).toBeGreaterThan(80);
    expect(shown).toContain('init');
  });

  it.each(['words', 'pages'])('name only commands and options that exist (%s)', (kind) => {
    const wrong = (kind === 'words' ? TEXTS : PAGES).flatMap((one) =>
      commandsIn(one).flatMap((shown) => {
        const problem = problemWith(shown);
        return problem === null ? [] : [`${one.where}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('would be caught if they did not', () => {
    const text =
      'Run `banto frobnicate 7`, or `banto serve --prot 9`, or `banto issue add --label x`.';
    const problems = commandsIn({ where: '', text }).map(problemWith);
    expect(problems).toEqual([
      'there is no command banto frobnicate 7',
      'banto serve has no --prot',
      null,
    ]);
  });

  it('never say "busy" without a reason', () => {
    // The one sentence that the API keeps in `error`; `detail` beside it says why.
    const allowed = /^(?:Server is busy\. Please try again later\.|busy|[a-z_]*busy[a-z_]*)$/;
    const found = TEXTS.filter(({ text }) => /\bbusy\b/i.test(text) && !allowed.test(text.trim()));
    const bare = found.filter(
      ({ text }) => !/\$\{|away|paused|because|PRAGMA|busy_timeout/.test(text),
    );
    expect(bare).toEqual([]);
  });

  it('never show a trace', () => {
    const wrong = TEXTS.filter(({ text }) => /\$\{[^}]*\.stack\b/.test(text));
    // The command line shows it at debug level only; `exit.ts` asks for that first.
    expect(wrong.map(({ where }) => where.replace(/:\d+$/, ''))).toEqual([
      'src/doors/cli/terminal/exit.ts',
    ]);
  });

  it('of an error end with a full stop, or say what to run', () => {
    const sources = FILES.map((file) => readFileSync(join(ROOT, file), 'utf8'));
    const sentences = sources.flatMap((source) => [
      ...source.matchAll(
        /(?:new BantoError\(\s*'[a-z_]+',\s*|misconfigured\(\s*)(['`"])((?:(?!\1)[^\\]|\\.)+)\1/gs,
      ),
    ]);
    const open = sentences
      .map((match) => match[2] ?? '')
      .filter((text) => /^[A-Z$]/.test(text) && !/(?:[.!?]|\$\{[^}]+\})$/.test(text))
      .filter((text) => !/: [^.]+$/.test(text));
    expect(sentences.length).toBeGreaterThan(50);
    expect(open).toEqual([]);
  });
});
