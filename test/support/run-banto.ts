// Runs the real command line as a child process.

import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

const BIN = resolve(import.meta.dirname, '../../bin/banto.js');

/** Starts it, waits for the first line that matches, and hands over the child. */
export async function startBanto(
  args: readonly string[],
  ready: RegExp,
  options: RunOptions = {},
): Promise<{ child: ChildProcess; ended: Promise<Ran>; said: string }> {
  const child = start(args, options);
  const ended = collect(child);
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (text: string) => ready.test(text) && resolve(text));
    child.on('close', () => reject(new Error('it ended before it was ready')));
  });
  return { child, ended, said };
}

export function runBanto(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return collect(start(args, options));
}

function start(args: readonly string[], options: RunOptions): ChildProcess {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
    cwd: options.cwd,
    stdio: 'pipe',
  });
  child.stdin.end(options.input ?? '');
  return child;
}

function collect(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}
