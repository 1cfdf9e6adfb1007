// What a command gets from outside: a terminal, the clock, the client and the few things that do not go
// through the server. `src/command-line.ts` fills it; tests run the real thing as a child process.

import type { Client } from '../../client/client.ts';
import type { TokenRequest } from '../../core/token.ts';
import type { SetupAsked, SetupPlan } from '../../setup/plan-setup.ts';
import type { WorkEvent } from '../../worker/events.ts';
import type { PresetName } from '../../worker/presets/names.ts';
import type { AddIssueBody, EditIssueBody, IssueAnswer } from '../schema/issues.ts';
import type { TokenAnswer, TokensAnswer, TokenView } from '../schema/tokens.ts';
import type { WorkRequest } from './agent/work-request.ts';
import type { KeysTool } from './operate/keys-tool.ts';
import type { SettingFlags } from './options/setting-flags.ts';
import type { LocalLog } from './read/local-log.ts';
import type { Check } from './start/check.ts';

interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  write(text: string): unknown;
}

export interface AddedIssue {
  readonly number: number;
  /** The file, or the address where a server wrote it. */
  readonly place: string;
  /** Sentences on why it would wait longer than its author may think. */
  readonly hints: readonly string[];
}

/** The local backlog, through its files or through a server. */
export interface IssueRoom {
  list(): Promise<IssueAnswer[]>;
  show(number: number): Promise<IssueAnswer>;
  add(issue: AddIssueBody): Promise<AddedIssue>;
  edit(number: number, change: EditIssueBody): Promise<IssueAnswer>;
}

export interface InitPlan {
  /** The root of the repository. */
  readonly root: string;
  /** What would be written, relative to the root; empty: everything is there. */
  readonly files: readonly { readonly path: string; readonly about: string }[];
  write(): Promise<void>;
  /** The commands that come next. */
  readonly next: readonly string[];
}

/** Somebody who can be asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

export interface Session {
  readonly client: Client;
  readonly agentId: string | null;
  readonly taskId: string | null;
  readonly leaseToken: string | null;
}

/** The same calls on a running server and on its store. */
export interface TokenDesk {
  createToken(input: TokenRequest): Promise<TokenAnswer>;
  tokens(): Promise<TokensAnswer>;
  revokeToken(id: string): Promise<TokenView>;
}

export interface Shell {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdin: AsyncIterable<Buffer | string>;
  /** Null: nobody can be asked. */
  readonly terminal: Terminal | null;
  readonly color: boolean;
  /** Show where an error was thrown. */
  readonly debug: boolean;
  readonly version: string;
  now(): number;
  /** The client of a command, from its flags, the environment and the file. */
  session(flags: SettingFlags): Session;
  serve(flags: SettingFlags): Promise<number>;
  /** Speaks MCP over standard input and output until the client hangs up. */
  serveMcp(client: Client): Promise<void>;
  init(flags: SettingFlags): Promise<InitPlan>;
  /** What setting up a coding agent would do. */
  setup(asked: SetupAsked): Promise<SetupPlan>;
  demo(options: DemoOptions): Promise<number>;
  issues(flags: SettingFlags): Promise<IssueRoom>;
  /** Works on tasks until it is stopped. */
  work(request: WorkRequest, tell: (event: WorkEvent) => void): Promise<number>;
  /** The same, once, on a server and a repository of its own. */
  smoke(request: WorkRequest, tell: (event: WorkEvent) => void): Promise<number>;
  /** The logs of a task that workers wrote on this machine, oldest first. */
  localLogs(flags: SettingFlags, task: string): Promise<readonly LocalLog[]>;
  /** The tokens of a server that is not running: opens its store, uses it and closes it. */
  withTokens<T>(flags: SettingFlags, use: (tokens: TokenDesk) => Promise<T>): Promise<T>;
  checks(flags: SettingFlags): readonly Check[];
  /** Whether a coding agent is ready to work here. */
  presetChecks(preset: PresetName): Promise<readonly Check[]>;
  /** The keys of the namespace that the settings name. */
  keys(flags: SettingFlags): Promise<KeysTool>;
  /** Resolves when the person wants to leave (SIGINT, SIGTERM). */
  untilStopped(): Promise<void>;
}

interface DemoOptions {
  /** Null: BROKER_PORT, or any free one. */
  readonly port: number | null;
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
