// What Banto knows about a tool: how it is called without a person, and what its stream of events means.

import type { Usage } from '../usage.ts';

export interface CallInput {
  readonly prompt: string;
  readonly promptFile: string;
  readonly worktree: string;
  /** What a sandbox must let it write, so that it can commit. */
  readonly gitFolders: readonly string[];
  /** The tool's session to go on with; null: a new one. */
  readonly session: string | null;
  /** For a review: the schema that the answer must fit, as a file and as text. */
  readonly schema: { readonly file: string; readonly text: string } | null;
  /** The command that has to pass; the tool may run it. */
  readonly check: string | null;
  /** The person's own arguments. */
  readonly extra: readonly string[];
  /** A folder for files of this run, outside the worktree. */
  readonly scratch: string;
}

export interface Call {
  readonly args: readonly string[];
  /** Null: the prompt is in the arguments. */
  readonly stdin: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** The tool's own last word. */
export interface ToolResult {
  readonly ok: boolean;
  /** Why not, in the tool's words. */
  readonly error: string | null;
}

export interface Quota {
  /** In milliseconds since 1970; null: not said. */
  readonly returnsAt: number | null;
  readonly message: string;
}

export interface Waiting {
  readonly since: number;
  readonly why: string;
}

/** What a stream has said so far. */
export interface Reading {
  sessionId: string | null;
  /** As the tool counts, at its end. */
  usage: Usage | null;
  /** Of this run alone, while it goes on; null: the tool does not say. */
  live: Usage | null;
  result: ToolResult | null;
  /** The last thing it said to people. */
  lastText: string;
  /** The answer to a schema, where the tool keeps it apart. */
  structured: unknown;
  /** It was refused for good until then. */
  quota: Quota | null;
  /** It tries the same request again and again by itself: since when, and why. */
  waiting: Waiting | null;
  /** It cannot work at all: not logged in, not trusted. */
  fault: string | null;
  /** What it wanted to do and was not allowed to. */
  readonly denials: string[];
}

export function newReading(): Reading {
  return {
    sessionId: null,
    usage: null,
    live: null,
    result: null,
    lastText: '',
    structured: undefined,
    quota: null,
    waiting: null,
    fault: null,
    denials: [],
  };
}

/** Reads one run of the tool. Each call answers with lines for people. */
export interface StreamReader {
  readonly reading: Reading;
  stdout(line: string): string[];
  stderr(line: string): string[];
  /** After the end, with its exit code; files of the run may be read now. */
  finish(exitCode: number, scratch: string): void;
}

export interface Preset {
  readonly name: string;
  /** The program's name where the person gives none. */
  readonly program: string;
  call(input: CallInput): Call;
  reader(now: () => number): StreamReader;
  /** Whether its usage counts from the beginning of the session or of the run. */
  readonly counts: 'session' | 'run';
  /** It can go on with an earlier session. */
  readonly resumes: boolean;
  /** It writes a result at its end; without one, the run did not end well. */
  readonly hasResult: boolean;
  /** Files that it keeps for itself in the worktree, as patterns: they are no part of the work. */
  readonly toolFiles?: readonly string[];
}
