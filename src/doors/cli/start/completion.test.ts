import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandNames, createProgram } from '../program.ts';
import type { Shell } from '../shell.ts';
import { completionScript } from './completion.ts';

const program = createProgram({ version: '1.2.3' } as Shell, () => undefined);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'banto-completion-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function scriptFor(shell: 'bash' | 'zsh' | 'fish'): string {
  const file = join(folder, shell);
  writeFileSync(file, completionScript(program, shell));
  return file;
}

/** What bash itself answers to a Tab behind these words. */
function tab(...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(' ');
  const run = `source ${scriptFor('bash')}; COMP_WORDS=(banto ${typed}); COMP_CWORD=${words.length}; _banto; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', run], { encoding: 'utf8' });
  return out.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  test('completes commands, commands of a group, options and choices', () => {
    expect(tab('ser')).toEqual(['serve']);
    expect(tab('issue', 're')).toEqual(['reopen']);
    expect(tab('issue', 'add', '--del')).toEqual(['--deliverables']);
    expect(tab('serve', '--port', '9000', '--log')).toEqual(['--log-level']);
    expect(tab('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']));
    expect(tab('nonsense', 'iss')).toEqual(['issue']);
  });

  test('knows every command there is', () => {
    for (const name of commandNames(program)) {
      const words = name.split(' ');
      expect(tab(...words.slice(0, -1), words.at(-1) ?? '')).toContain(words.at(-1));
    }
  });

  test('is told to use it for banto', () => {
    const run = `source ${scriptFor('bash')}; complete -p banto`;
    expect(execFileSync('bash', ['--norc', '-c', run], { encoding: 'utf8' })).toMatch(
      /-F _banto banto/,
    );
  });
});

describe('zsh', () => {
  test('can read it', () => {
    expect(execFileSync('zsh', ['-n', scriptFor('zsh')], { encoding: 'utf8' })).toBe('');
  });

  test('is offered every command with what it does', () => {
    const script = completionScript(program, 'zsh');
    expect(script).toMatch(/^#compdef banto\n/);
    for (const name of commandNames(program)) expect(script).toContain(`'${name}'`);
    expect(script).toContain("'serve:start Banto'");
  });
});

describe('fish', () => {
  test('completes commands and options', () => {
    const file = scriptFor('fish');
    const ask = (typed: string) =>
      execFileSync(
        'fish',
        ['--no-config', '-c', `source ${file}; complete -C ${JSON.stringify(typed)}`],
        {
          encoding: 'utf8',
          env: { ...process.env, HOME: folder },
        },
      )
        .split('\n')
        .map((line) => line.split('\t')[0]);
    expect(ask('banto ser')).toEqual(['serve', '']);
    expect(ask('banto issue re')).toEqual(['reopen', '']);
    expect(ask('banto issue add --del')).toContain('--deliverables');
  });

  test('has a line for every command', () => {
    const script = completionScript(program, 'fish');
    for (const name of commandNames(program)) {
      expect(script).toMatch(new RegExp(`-a ${name.split(' ').at(-1)}( -d '|\n)`));
    }
  });
});
