// What each coding agent reads, and the commands by which it takes a plugin. Every tool starts `banto mcp`, which finds
// the server by itself: so no address and no token stands in any file.

import type { Entry } from './json-entry.ts';

export const SETUP_TOOLS = ['claude', 'codex', 'gemini', 'copilot', 'opencode'] as const;
export type SetupTool = (typeof SETUP_TOOLS)[number];
export type Scope = 'project' | 'user';

/** Tools that start a server with few variables have to be told which ones it needs. */
const VARIABLES = ['BANTO_URL', 'BANTO_TOKEN', 'BANTO_AGENT', 'BANTO_CONFIG'];

/** Where a tool's servers stand: an entry of a JSON file, or a marked block of a TOML file. */
export type ServerPlace =
  | {
      readonly kind: 'json';
      readonly files: readonly string[];
      readonly entry: Entry;
      /** Where this file is there, the tool reads it instead. */
      readonly hiddenBy?: { readonly file: string; readonly advice: string };
    }
  | { readonly kind: 'toml'; readonly file: string; readonly table: string; readonly body: string };

export interface FilesOfTool {
  /** Of several names the first that exists is taken, else the last. */
  readonly server: ServerPlace;
  /** The folder of its skills. */
  readonly skills: string;
  /** The files of instructions it reads: the first that exists is taken, else the last. Null: none is needed. */
  readonly instructions: readonly string[] | null;
}

export interface PluginCommands {
  readonly install: string;
  readonly uninstall: string;
}

export interface ToolFacts {
  readonly title: string;
  readonly project: FilesOfTool;
  /** Files in the home folder, or the tool's own plugin commands. */
  readonly user: FilesOfTool | PluginCommands;
  /** What the person still has to do; `list` shows what the tool knows. */
  readonly notes: Readonly<Record<Scope, readonly string[]>>;
}

function servers(value: unknown): Entry {
  return { at: ['mcpServers', 'banto'], value };
}

const PLAIN = { command: 'banto', args: ['mcp'] };
const SHARED_SKILLS = '.agents/skills';

const gemini = {
  // It hides variables whose name says TOKEN from the servers it starts, unless they are named here.
  entry: servers({ ...PLAIN, env: { BANTO_TOKEN: '$BANTO_TOKEN' } }),
};
const opencode: Entry = {
  at: ['mcp', 'banto'],
  value: { type: 'local', command: ['banto', 'mcp'], enabled: true },
  preamble: { $schema: 'https://opencode.ai/config.json' },
};
const codexBlock = [
  '[mcp_servers.banto]',
  `command = "${PLAIN.command}"`,
  `args = ["${PLAIN.args.join('", "')}"]`,
  `env_vars = ["${VARIABLES.join('", "')}"]`,
].join('\n');

export const TOOLS: Readonly<Record<SetupTool, ToolFacts>> = {
  claude: {
    title: 'Claude Code',
    project: {
      server: { kind: 'json', files: ['.mcp.json'], entry: servers(PLAIN) },
      skills: '.claude/skills',
      // AGENTS.md is read only where there is no CLAUDE.md.
      instructions: ['CLAUDE.md', 'AGENTS.md'],
    },
    user: { install: 'install', uninstall: 'uninstall' },
    notes: {
      project: ['Claude Code asks once whether this project may start its server.'],
      user: [],
    },
  },
  codex: {
    title: 'Codex',
    project: {
      server: {
        kind: 'toml',
        file: '.codex/config.toml',
        table: '[mcp_servers.banto]',
        body: codexBlock,
      },
      skills: SHARED_SKILLS,
      instructions: ['AGENTS.md'],
    },
    user: { install: 'add', uninstall: 'remove' },
    notes: {
      project: ['Codex reads .codex/config.toml only in a project that you have trusted.'],
      user: [],
    },
  },
  gemini: {
    title: 'Gemini CLI',
    project: {
      server: { kind: 'json', files: ['.gemini/settings.json'], ...gemini },
      skills: SHARED_SKILLS,
      instructions: ['GEMINI.md'],
    },
    user: {
      server: { kind: 'json', files: ['.gemini/settings.json'], ...gemini },
      skills: SHARED_SKILLS,
      instructions: null,
    },
    notes: {
      project: ['Gemini CLI reads the settings of a folder only where it trusts that folder.'],
      user: [],
    },
  },
  copilot: {
    title: 'Copilot CLI',
    project: {
      server: {
        kind: 'json',
        files: ['.github/mcp.json'],
        entry: servers({ ...PLAIN, tools: ['*'] }),
        hiddenBy: {
          file: '.mcp.json',
          advice:
            'This project has a .mcp.json: Copilot CLI reads .mcp.json instead of .github/mcp.json. Put Banto there too: banto setup claude --project.',
        },
      },
      skills: SHARED_SKILLS,
      instructions: ['AGENTS.md'],
    },
    user: { install: 'install', uninstall: 'uninstall' },
    notes: {
      project: [
        'Copilot CLI reads .github/mcp.json only in a folder that you have trusted (or with --trust-folder).',
      ],
      user: [],
    },
  },
  opencode: {
    title: 'opencode',
    project: {
      server: { kind: 'json', files: ['opencode.jsonc', 'opencode.json'], entry: opencode },
      skills: SHARED_SKILLS,
      instructions: ['AGENTS.md'],
    },
    user: {
      server: {
        kind: 'json',
        files: ['.config/opencode/opencode.jsonc', '.config/opencode/opencode.json'],
        entry: opencode,
      },
      skills: SHARED_SKILLS,
      instructions: null,
    },
    notes: { project: [], user: [] },
  },
};
