// Whether a tool is ready to work without a person: installed, logged in, trusted where it will run.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PresetName } from './names.ts';

export interface ToolFinding {
  readonly check: 'installed' | 'login' | 'trust';
  readonly status: 'ok' | 'warning' | 'problem';
  readonly message: string;
  readonly fix?: string;
}

export interface ExamineInput {
  readonly program: string;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
}

interface Ran {
  readonly ok: boolean;
  readonly text: string;
}

const PATIENCE_MS = 30_000;

function run({ program, env }: ExamineInput, ...args: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, [...args], { env, timeout: PATIENCE_MS }, (error, stdout, stderr) => {
      resolve({ ok: error === null, text: `${stdout}\n${stderr}`.trim() });
    });
  });
}

interface Habits {
  readonly install: string;
  readonly howToLogIn: string;
  /** Variables that log it in. */
  readonly variables: readonly string[];
  /** Files below the home folder that show a login. */
  readonly files: readonly string[];
  /** The tool's own answer, where it has one. */
  ask?(input: ExamineInput): Promise<boolean>;
  /** Why it does not ask about trust when `banto work` runs it. */
  readonly trust: string;
}

const OPENAI_KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'];

const HABITS: Readonly<Record<PresetName, Habits>> = {
  claude: {
    install: 'npm install -g @anthropic-ai/claude-code',
    howToLogIn: 'Run `claude` once and log in, or set ANTHROPIC_API_KEY.',
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    files: [],
    ask: async (input) => (await run(input, 'auth', 'status')).ok,
    trust: 'with -p it asks nobody; it may edit files and run git add, git commit and the check',
  },
  codex: {
    install: 'npm install -g @openai/codex',
    howToLogIn: 'Run `codex login`, or set CODEX_API_KEY.',
    variables: ['CODEX_API_KEY'],
    files: [],
    // A provider of its own needs no login.
    async ask(input) {
      const config = join(input.env['CODEX_HOME'] ?? join(input.home, '.codex'), 'config.toml');
      const own = existsSync(config) && /^model_provider\s*=/m.test(readFileSync(config, 'utf8'));
      return own || (await run(input, 'login', 'status')).ok;
    },
    trust: 'it runs in a sandbox that lets it write the worktree and its git folder',
  },
  gemini: {
    install: 'npm install -g @google/gemini-cli',
    howToLogIn: 'Run `gemini` once and log in, or set GEMINI_API_KEY.',
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
    files: ['.gemini/oauth_creds.json'],
    trust: 'banto work says that the worktree is trusted; every tool call is approved',
  },
  copilot: {
    install: 'npm install -g @github/copilot',
    howToLogIn: 'Run `copilot login`, or set COPILOT_GITHUB_TOKEN.',
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'COPILOT_PROVIDER_BASE_URL'],
    files: ['.copilot/config.json'],
    trust: 'all its tools are allowed; GITHUB_TOKEN is not handed on to it',
  },
  opencode: {
    install: 'npm install -g opencode-ai',
    howToLogIn: 'Run `opencode auth login`.',
    variables: [...OPENAI_KEYS],
    files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json'],
    trust: 'every permission is granted (--auto)',
  },
  aider: {
    install: 'python -m pip install aider-install && aider-install',
    howToLogIn: 'Set the API key of its model, such as OPENAI_API_KEY.',
    variables: [...OPENAI_KEYS, 'AIDER_OPENAI_API_KEY', 'AIDER_ANTHROPIC_API_KEY'],
    files: ['.aider.conf.yml'],
    trust: 'it says yes to everything (--yes-always)',
  },
};

async function isLoggedIn(habits: Habits, input: ExamineInput): Promise<string | null> {
  const variable = habits.variables.find((name) => (input.env[name] ?? '') !== '');
  if (variable !== undefined) return `logged in by ${variable}`;
  const file = habits.files.find((name) => existsSync(join(input.home, name)));
  if (file !== undefined) return `logged in (~/${file})`;
  return habits.ask !== undefined && (await habits.ask(input)) ? 'logged in' : null;
}

export async function examinePreset(name: PresetName, input: ExamineInput): Promise<ToolFinding[]> {
  const habits = HABITS[name];
  const version = await run(input, '--version');
  if (!version.ok) {
    return [
      {
        check: 'installed',
        status: 'problem',
        message: `${input.program} cannot be run (${version.text.split('\n')[0] || 'not found'})`,
        fix: `Install it: ${habits.install}`,
      },
    ];
  }
  const login = await isLoggedIn(habits, input);
  const number =
    /\d{1,9}\.\d{1,9}(?:[\w.+-]{0,40}\w)?/.exec(version.text)?.[0] ?? version.text.split('\n')[0];
  return [
    { check: 'installed', status: 'ok', message: `${name} ${number}` },
    login === null
      ? { check: 'login', status: 'problem', message: 'not logged in', fix: habits.howToLogIn }
      : { check: 'login', status: 'ok', message: login },
    { check: 'trust', status: 'ok', message: habits.trust },
  ];
}
