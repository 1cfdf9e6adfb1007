// One command in a process group of its own: its output line by line, and an end for the whole group,
// whatever the command started.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { type Halt, haltOf } from './halt.ts';
import { endStrays } from './strays.ts';

export interface CommandSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Null: nothing on standard input. */
  readonly stdin: string | null;
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void;
  readonly onStart?: (pid: number) => void;
}

export interface CommandEnd {
  /** 128 + the signal's number where a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | null;
  readonly halt: Halt | null;
  /** It could not be started. */
  readonly startError: string | null;
}

/** Between SIGTERM and SIGKILL. */
export const KILL_AFTER_MS = 5000;
/** Something that the command left behind may hold its pipes open. */
const PIPES_MS = 1000;
const MOST_LINE = 8 * 1024 * 1024;

export function signalGroup(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

function lineReader(take: (line: string) => void) {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    push(chunk: Buffer): void {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line.replace(/\r$/, ''));
      if (rest.length > MOST_LINE) {
        take(rest);
        rest = '';
      }
    },
    end(): void {
      const last = rest + decoder.end();
      rest = '';
      if (last !== '') take(last);
    },
  };
}

export interface Stops {
  /** SIGTERM to the group, SIGKILL when it stays. */
  readonly halt: AbortSignal;
  /** SIGKILL at once. */
  readonly urgent: AbortSignal;
}

export function runCommand(spec: CommandSpec, stops: Stops): Promise<CommandEnd> {
  const { promise, resolve } = Promise.withResolvers<CommandEnd>();
  const before = haltOf(stops.halt);
  if (before !== null) {
    return Promise.resolve({ exitCode: 143, signal: 'SIGTERM', halt: before, startError: null });
  }
  const child = spawn(spec.file, [...spec.args], {
    cwd: spec.cwd,
    env: spec.env,
    detached: true,
    stdio: [spec.stdin === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  let killing: NodeJS.Timeout | null = null;
  let pipes: NodeJS.Timeout | null = null;

  function kill(): void {
    if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  }
  function terminate(): void {
    if (pid === undefined) return;
    signalGroup(pid, 'SIGTERM');
    killing ??= setTimeout(kill, KILL_AFTER_MS);
  }
  function finish(end: Omit<CommandEnd, 'halt'>): void {
    if (killing !== null) clearTimeout(killing);
    if (pipes !== null) clearTimeout(pipes);
    stops.halt.removeEventListener('abort', terminate);
    stops.urgent.removeEventListener('abort', kill);
    resolve({ ...end, halt: haltOf(stops.halt) });
  }

  stops.halt.addEventListener('abort', terminate, { once: true });
  stops.urgent.addEventListener('abort', kill, { once: true });
  const out = lineReader((line) => spec.onLine(line, 'stdout'));
  const err = lineReader((line) => spec.onLine(line, 'stderr'));
  child.stdout?.on('data', out.push);
  child.stderr?.on('data', err.push);
  child.stdin?.on('error', () => undefined).end(spec.stdin ?? '');
  if (pid !== undefined) spec.onStart?.(pid);

  let ended: Omit<CommandEnd, 'halt'> | null = null;
  function close(): void {
    if (ended === null) return;
    out.end();
    err.end();
    finish(ended);
    ended = null;
  }
  child.on('error', (error) => {
    finish({ exitCode: 127, signal: null, startError: error.message });
  });
  child.on('exit', (code, signal) => {
    const number = signal === null ? 0 : (constants.signals[signal] ?? 0);
    ended = { exitCode: code ?? 128 + number, signal, startError: null };
    // What it left running in the background ends with it.
    kill();
    const { BANTO_WORKTREE: worktree, BANTO_HOOK: hook } = spec.env;
    if (worktree !== undefined && hook === undefined) endStrays(worktree);
    pipes = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      close();
    }, PIPES_MS);
  });
  child.on('close', close);
  return promise;
}
