// The shipped plugin, as three tools take it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PLUGIN = 'plugin/plugins/banto';

function json(path: string): Record<string, never> {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<string, never>;
}

it('has the version of Banto, so that tools which keep a copy notice a new one', () => {
  expect(json(`${PLUGIN}/.claude-plugin/plugin.json`).version).toBe(json('package.json').version);
});

it('is where its marketplace says', () => {
  expect(json('plugin/.claude-plugin/marketplace.json')).toMatchObject({
    name: 'banto',
    plugins: [{ name: 'banto', source: './plugins/banto' }],
  });
});

it('starts banto mcp and names neither an address nor a token', () => {
  const text = readFileSync(join(ROOT, PLUGIN, '.mcp.json'), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    mcpServers: { banto: { command: 'banto', args: ['mcp'] } },
  });
  expect(text).not.toMatch(/https?:|Bearer/);
});

it('has a short skill with a name and a description', () => {
  const skill = readFileSync(join(ROOT, PLUGIN, 'skills/banto/SKILL.md'), 'utf8');
  expect(skill).toMatch(/^---\nname: banto\ndescription: .{50,1024}\n---\n/);
  expect(skill.split('\n').length).toBeLessThan(80);
});

it('is part of the package', () => {
  expect(json('package.json').files).toContain('plugin');
});
