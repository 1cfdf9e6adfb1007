// Banto's own git calls: never with the repository's hooks, its fsmonitor or somebody's GIT_ variables, and
// never with a question to a person. What the agent commits by itself is the agent's business.

import { execFile } from 'node:child_process';

const TIMEOUT_MS = 600_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly error: string;
}

export type Git = (...args: readonly string[]) => Promise<GitAnswer>;

const QUIET = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'gc.auto=0'];

function cleanEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !name.startsWith('GIT_') || /^GIT_(?:SSH|SSH_COMMAND|ASKPASS|PROXY_COMMAND)$/.test(name),
  );
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...more };
}

export function gitIn(folder: string, env: Readonly<Record<string, string>> = {}): Git {
  return (...args) =>
    new Promise((resolve) => {
      const options = { env: cleanEnvironment(env), timeout: TIMEOUT_MS, maxBuffer: MOST_OUTPUT };
      execFile('git', [...QUIET, '-C', folder, ...args], options, (error, stdout, stderr) => {
        resolve({
          ok: error === null,
          out: stdout.replace(/\n$/, ''),
          error: stderr.trim() || (error?.message ?? ''),
        });
      });
    });
}

/** The output, or an error that says what was tried. */
export async function must(answer: Promise<GitAnswer>, what: string): Promise<string> {
  const { ok, out, error } = await answer;
  if (ok) return out;
  throw new Error(`git could not ${what}: ${error}`);
}
