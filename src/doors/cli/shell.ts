// What a command gets from outside: a terminal, the clock, the client and the few things that do not go
// through the server. `src/command-line.ts` fills it; tests run the real thing as a child process.

import type { Client } from '../../client/client.ts';
import type { TokenAnswer } from '../schema/tokens.ts';
import type { Check } from './doctor.ts';
import type { KeysRoom } from './keys.ts';

interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

export interface NewIssue {
  readonly title: string;
  readonly labels: readonly string[];
  readonly priority: 'high' | 'normal' | 'low' | null;
  readonly blockedBy: readonly number[];
  readonly body: string;
}

interface AddedIssue {
  readonly number: number;
  readonly path: string;
  /** Sentences on why it would wait longer than its author may think. */
  readonly hints: readonly string[];
}

export interface Session {
  readonly client: Client;
  readonly agentId: string | null;
  readonly taskId: string | null;
  readonly leaseToken: string | null;
}

/** Options of the command line by the name of the setting they stand above. */
export type SettingFlags = Readonly<Record<string, string | undefined>>;

export interface Shell {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Buffer | string>;
  readonly color: boolean;
  readonly version: string;
  now(): number;
  /** The client of a command, from its flags, the environment and the file. */
  session(flags: SettingFlags): Session;
  serve(flags: SettingFlags): Promise<number>;
  demo(options: DemoOptions): Promise<number>;
  addIssue(flags: SettingFlags, issue: NewIssue): Promise<AddedIssue>;
  /** For a server that is not running: writes into its store. */
  createTokenOffline(
    flags: SettingFlags,
    input: { agentId: string | null; note: string | null },
  ): Promise<TokenAnswer>;
  checks(flags: SettingFlags): readonly Check[];
  /** The keys of the namespace that the settings name. */
  keys(flags: SettingFlags): Promise<KeysRoom>;
  /** Resolves when the person wants to leave (SIGINT, SIGTERM). */
  untilStopped(): Promise<void>;
}

interface DemoOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Keep serving after the story. */
  readonly stay: boolean;
  /** A fleet that is always busy, until Ctrl-C. */
  readonly endless: boolean;
  /** Play on the GitHub of the tests. */
  readonly github: boolean;
}

export function print(shell: Shell, ...lines: readonly string[]): void {
  for (const line of lines) shell.stdout.write(`${line}\n`);
}

export function printJson(shell: Shell, value: unknown): void {
  shell.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

const WIDE = 120;
const NARROW = 20;

/** The columns to write for; a pipe has no edge. */
export function columnsOf(shell: Shell): number {
  if (shell.stdout.isTTY !== true) return Number.POSITIVE_INFINITY;
  return Math.max(NARROW, shell.stdout.columns ?? WIDE);
}

export type Paint = (
  code: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan',
  text: string,
) => string;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export function painter(shell: Shell): Paint {
  if (!shell.color || shell.stdout.isTTY !== true) return (_, text) => text;
  return (code, text) => `\u001b[${CODES[code]}m${text}\u001b[0m`;
}
