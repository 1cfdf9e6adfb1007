// The one place that starts git: never through a shell, never with the caller's GIT_* variables.

import { execFile } from 'node:child_process';

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly error: string;
  /** False where the program itself could not be started. */
  readonly installed: boolean;
}

export type Git = (...args: readonly string[]) => Promise<GitAnswer>;

const TIMEOUT_MS = 30_000;

/** GIT_DIR and its kin would point git at another repository than the one that was asked for. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}

/** Hundreds of hand-outs at once must not become hundreds of processes at once. */
const MOST_AT_ONCE = 4;

export function gitIn(repoDir: string): Git {
  const waiting: (() => void)[] = [];
  let running = 0;

  function next(): void {
    running -= 1;
    waiting.shift()?.();
  }

  function start(args: readonly string[], done: (answer: GitAnswer) => void): void {
    running += 1;
    run(repoDir, args, (answer) => {
      next();
      done(answer);
    });
  }

  return (...args) =>
    new Promise((resolve) => {
      if (running < MOST_AT_ONCE) start(args, resolve);
      else waiting.push(() => start(args, resolve));
    });
}

function run(repoDir: string, args: readonly string[], done: (answer: GitAnswer) => void): void {
  const options = { env: cleanEnvironment(), timeout: TIMEOUT_MS, maxBuffer: 16 * 1024 * 1024 };
  execFile('git', ['-C', repoDir, ...args], options, (error, stdout, stderr) => {
    done({
      ok: error === null,
      out: stdout.trim(),
      error: stderr.trim() || (error?.message ?? ''),
      installed: error?.code !== 'ENOENT',
    });
  });
}
