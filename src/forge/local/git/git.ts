// Runs git in the repository, a few at a time.

import { execFile } from 'node:child_process';
import { gitArguments, gitEnvironment } from '../../../machine/git-command.ts';

export interface GitAnswer {
  readonly ok: boolean;
  readonly out: string;
  readonly error: string;
  /** False where the program itself could not be started. */
  readonly installed: boolean;
}

export type Git = (...args: readonly string[]) => Promise<GitAnswer>;

const TIMEOUT_MS = 30_000;

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
  const options = {
    env: gitEnvironment(process.env),
    timeout: TIMEOUT_MS,
    maxBuffer: 16 * 1024 * 1024,
  };
  execFile('git', gitArguments(repoDir, args), options, (error, stdout, stderr) => {
    done({
      ok: error === null,
      out: stdout.trim(),
      error: stderr.trim() || (error?.message ?? ''),
      installed: error?.code !== 'ENOENT',
    });
  });
}
