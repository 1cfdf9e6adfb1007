import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandNames, createProgram, runCommandLine } from './program.ts';
import type { Shell } from './shell.ts';

/** The help needs nothing of the outside: every other part of the shell is missing. */
async function helpOf(...command: string[]): Promise<string> {
  let stdout = '';
  const shell = {
    version: '1.2.3',
    stdout: { write: (text: string) => (stdout += text) },
    stderr: { write: (text: string) => (stdout += `stderr: ${text}`) },
  } as unknown as Shell;
  expect(await runCommandLine([...command, '--help'], shell)).toBe(0);
  return stdout;
}

const commands = commandNames(createProgram({ version: '1.2.3' } as Shell, () => undefined));
const page = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');

test.each(commands)('%s has examples, and a place in docs/commands.md', async (name) => {
  const help = await helpOf(...name.split(' '));
  expect(help).toMatch(new RegExp(`Examples:\\n  \\$ .*banto ${name}`));
  expect(page).toContain(`banto ${name}`);
  const options = [...help.matchAll(/^ +(?:-., )?(--[a-z-]+)/gm)].map((match) => match[1]);
  for (const option of options) expect(page).toContain(option);
});

test('the help lists every command', async () => {
  const stdout = await helpOf();
  for (const name of new Set(commands.map((command) => command.split(' ')[0]))) {
    expect(stdout).toMatch(new RegExp(`^  ${name}[ |]`, 'm'));
  }
  expect(stdout).toContain('Exit codes: 0 ok');
});
