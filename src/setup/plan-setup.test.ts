import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planSetup, type SetupAsked, type SetupPlan, type SetupWorld } from './plan-setup.ts';
import { SETUP_TOOLS, type SetupTool } from './tools.ts';

let root: string;
let called: string[];
let listed: Record<string, string>;
let installed: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'banto-setup-'));
  for (const folder of ['project', 'home']) mkdirSync(join(root, folder));
  called = [];
  listed = {};
  installed = ['banto', ...SETUP_TOOLS];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function everything(): Record<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );
}

async function setup(tool: SetupTool, over: Partial<SetupAsked> = {}): Promise<SetupPlan> {
  const world: SetupWorld = {
    project: join(root, 'project'),
    home: join(root, 'home'),
    plugin: '/opt/banto/plugin',
    version: '1.2.3',
    skill: '# The skill\n',
    isInstalled: (program) => installed.includes(program),
    run: (program, args) => {
      called.push([program, ...args].join(' '));
      return Promise.resolve({ code: 0, output: listed[args.join(' ')] ?? '' });
    },
  };
  const asked: SetupAsked = { tool, scope: 'project', remove: false, print: false, ...over };
  const plan = await planSetup(asked, world);
  if (!asked.print) await plan.apply();
  return plan;
}

const PEOPLE: Record<string, string> = {
  'project/AGENTS.md': '# Ours\n\nNo line end here',
  'project/CLAUDE.md': '# Claude\r\n',
  'project/.mcp.json': '{\n    "mcpServers": {\n        "db": {"command": "db"}\n    }\n}\n',
  'project/.gemini/settings.json': '{\n  // dark\n  "ui": {"theme": "x"}\n}\n',
  'project/.codex/config.toml': 'model = "x"\n',
  'project/opencode.json': '{"model": "a/b"}',
  'project/.github/workflows/ci.yml': 'on: push\n',
};

describe('project files', () => {
  beforeEach(() => {
    for (const [path, text] of Object.entries(PEOPLE)) write(path, text);
  });

  it.each(SETUP_TOOLS)('of %s are written once and taken back exactly', async (tool) => {
    const before = everything();
    const first = await setup(tool);
    expect(first.steps.length).toBeGreaterThan(1);
    const after = everything();
    expect((await setup(tool)).steps).toEqual([]);
    expect(everything()).toEqual(after);
    await setup(tool, { remove: true });
    expect(everything()).toEqual(before);
    expect((await setup(tool, { remove: true })).steps).toEqual([]);
  });

  it('that two tools share stay until the last of them is gone', async () => {
    const before = everything();
    for (const tool of SETUP_TOOLS) await setup(tool);
    await setup('codex', { remove: true });
    expect(Object.keys(everything())).toContain('project/.agents/skills/banto/SKILL.md');
    expect(everything()['project/AGENTS.md']).toContain('banto:begin');
    for (const tool of SETUP_TOOLS) await setup(tool, { remove: true });
    expect(everything()).toEqual(before);
  });

  it('never hold a token', async () => {
    for (const tool of SETUP_TOOLS) await setup(tool);
    expect(JSON.stringify(everything())).not.toMatch(/Bearer|bnt_/);
  });

  it('are only shown with --print', async () => {
    const before = everything();
    const { steps } = await setup('claude', { print: true });
    expect(steps).toContainEqual({ path: '.mcp.json', what: 'change' });
    expect(everything()).toEqual(before);
  });

  it('are not begun when one of them cannot be read', async () => {
    write('project/.mcp.json', '{"mcpServers": ');
    const before = everything();
    await expect(setup('claude')).rejects.toThrow(/^\.mcp\.json cannot be used: it is not JSON/);
    expect(everything()).toEqual(before);
  });

  it("leave somebody's own entry and changed skill alone, and say so", async () => {
    write('project/.mcp.json', '{"mcpServers": {"banto": {"url": "https://banto.example/mcp"}}}');
    write('project/.claude/skills/banto/SKILL.md', '# My own\n');
    const before = everything();
    const { notes } = await setup('claude');
    expect(notes.join(' ')).toMatch(/\.mcp\.json has an entry.*SKILL\.md was changed/);
    await setup('claude', { remove: true });
    expect(everything()).toEqual(before);
  });

  it('say when Copilot CLI would not read them, until .mcp.json has Banto too', async () => {
    const hidden = /reads \.mcp\.json instead of \.github\/mcp\.json.*banto setup claude --project/;
    expect((await setup('copilot')).notes.join(' ')).toMatch(hidden);
    expect((await setup('copilot')).notes.join(' ')).toMatch(hidden);
    await setup('claude');
    expect((await setup('copilot')).notes.join(' ')).not.toMatch(hidden);
    expect((await setup('copilot', { remove: true })).notes).toEqual([]);
  });

  it('are never written through a link that leads out of the project', async () => {
    rmSync(join(root, 'project/CLAUDE.md'));
    write('home/.profile', 'export A=1\n');
    symlinkSync(join(root, 'home/.profile'), join(root, 'project/CLAUDE.md'));
    await expect(setup('claude')).rejects.toThrow(/CLAUDE\.md is a link that leads out/);
    expect(readFileSync(join(root, 'home/.profile'), 'utf8')).toBe('export A=1\n');
  });

  it('put the block where CLAUDE.md sends its reader', async () => {
    write('project/CLAUDE.md', '@AGENTS.md\n');
    await setup('claude');
    expect(everything()['project/CLAUDE.md']).toBe('@AGENTS.md\n');
    expect(everything()['project/AGENTS.md']).toContain('banto:begin');
  });
});

describe('the plugin', () => {
  const plugin = { scope: null };

  it("is put into the tool by the tool's own commands", async () => {
    await setup('codex', plugin);
    expect(called.slice(2)).toEqual([
      'codex plugin marketplace add /opt/banto/plugin',
      'codex plugin add banto@banto',
    ]);
  });

  it('is not put there again', async () => {
    listed = {
      'plugin marketplace list': '  ❯ banto\n    Source: Folder (/opt/banto/plugin)\n',
      'plugin list': '  ❯ banto@banto\n    Version: 1.2.3\n',
    };
    expect((await setup('claude', plugin)).steps).toEqual([]);
  });

  it('is brought up to date where the tool keeps a copy, and moves with Banto', async () => {
    listed = {
      'plugin marketplace list': 'MARKETPLACE ROOT\nbanto       /opt/banto/plugin\n',
      'plugin list': 'banto@banto  installed, enabled  1.2.2  /opt/banto/plugin/plugins/banto\n',
    };
    await setup('codex', plugin);
    expect(called.slice(2)).toEqual(['codex plugin add banto@banto']);
    called = [];
    listed['plugin marketplace list'] = 'banto       /old/plugin\n';
    await setup('codex', plugin);
    expect(called.slice(2)).toEqual([
      'codex plugin remove banto@banto',
      'codex plugin marketplace remove banto',
      'codex plugin marketplace add /opt/banto/plugin',
      'codex plugin add banto@banto',
    ]);
  });

  it('is only shown with --print: no command of the tool is started', async () => {
    expect((await setup('copilot', { ...plugin, print: true })).steps).toHaveLength(2);
    expect(called).toEqual([]);
  });

  it('gives way to project files where the tool is not installed, unless it was asked for', async () => {
    installed = [];
    expect((await setup('claude', plugin)).scope).toBe('project');
    await expect(setup('claude', { scope: 'user' })).rejects.toThrow(/not installed.*--project/);
  });
});
