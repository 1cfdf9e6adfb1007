import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loadPrompts } from './load-prompts.ts';

const folder = mkdtempSync(join(tmpdir(), 'banto-prompts-'));
const own = { path: join(folder, 'prompts'), isNamed: false };

afterEach(() => {
  rmSync(own.path, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  mkdirSync(own.path, { recursive: true });
  writeFileSync(join(own.path, name), text);
}

it('has a shipped prompt for every kind of task', () => {
  expect(Object.keys(loadPrompts())).toEqual(['implement', 'review', 'fix']);
});

it('takes the shipped prompts where the repository has none', () => {
  expect(loadPrompts(own)).toEqual(loadPrompts());
});

it("takes the repository's prompt above the shipped one, and the others as they are", () => {
  write('review.md', 'Be strict.');
  write('README.md', 'About {{these}}');
  expect(loadPrompts(own)).toEqual({ ...loadPrompts(), review: ['Be strict.'] });
});

it('refuses a folder that was named and is not there', () => {
  expect(() => loadPrompts({ ...own, isNamed: true })).toThrow(/cannot be read.*PROMPTS_DIR/);
});

it('refuses a file that would never be read', () => {
  write('implment.md', 'Do it.');
  expect(() => loadPrompts(own)).toThrow(/implment\.md is no prompt: the files are implement\.md/);
});

it('refuses a link, which could show a file from elsewhere', () => {
  write('implement.md', 'Do it.');
  symlinkSync(join(own.path, 'implement.md'), join(own.path, 'fix.md'));
  expect(() => loadPrompts(own)).toThrow(/fix\.md must be a plain file/);
});

it('names the file in which an unknown variable stands', () => {
  write('fix.md', 'Fix {{everything}}');
  expect(() => loadPrompts(own)).toThrow(/fix\.md: \{\{everything\}\} is no variable/);
});
