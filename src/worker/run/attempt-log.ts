// The log of one attempt: what people read, the tool's raw stream beside it, the end of it for the report of a
// failure, and what was not yet sent to the server.

import { globSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LOG_BYTES, openLogFile } from './log-file.ts';

export interface AttemptLog {
  readonly path: string;
  /** Banto's own words. */
  banto(line: string): void;
  /** A line for people. */
  readable(line: string): void;
  raw(line: string): void;
  /** The last lines, at most so many characters. */
  tail(most?: number): string;
  /** What came since the last call, and where it begins; null: nothing. */
  take(): { readonly offset: number; readonly text: string } | null;
  /** The server did not get it. */
  giveBack(taken: { readonly offset: number; readonly text: string }): void;
  close(): void;
}

const TAIL_LINES = 60;
const TAIL_CHARACTERS = 4000;
const MOST_PENDING = 1_000_000;
const MOST_SENT = 90_000;
const LOGS_KEPT = 200;

export function logName(taskId: string, fence: number): string {
  return `${taskId}.${fence}.log`;
}

export function openAttemptLog(
  folder: string,
  name: string,
  redact: (text: string) => string,
  { mostBytes = LOG_BYTES, kept = LOGS_KEPT } = {},
): AttemptLog {
  pruneLogs(folder, kept);
  const file = openLogFile(join(folder, name), mostBytes);
  const rawFile = openLogFile(join(folder, name.replace(/\.log$/, '.raw')), mostBytes);
  const last: string[] = [];
  let pending = '';
  let offset = 0;

  function write(line: string): void {
    const clean = redact(line);
    file.write(clean);
    last.push(clean);
    if (last.length > TAIL_LINES) last.shift();
    if (pending.length < MOST_PENDING) pending += `${clean}\n`;
  }

  return {
    path: file.path,
    banto: (line) => write(`banto: ${line}`),
    readable: write,
    raw: (line) => rawFile.write(redact(line)),
    tail(most = TAIL_CHARACTERS) {
      const text = last.join('\n');
      return text.length > most ? `…${text.slice(-most)}` : text;
    },
    take() {
      if (pending === '') return null;
      const text = pending.slice(0, MOST_SENT);
      const taken = { offset, text };
      pending = pending.slice(text.length);
      offset += Buffer.byteLength(text);
      return taken;
    },
    giveBack(taken) {
      pending = taken.text + pending;
      offset = taken.offset;
    },
    close() {
      file.close();
      rawFile.close();
    },
  };
}

/** The newest stay. */
function pruneLogs(folder: string, kept: number): void {
  const logs = globSync('*.log', { cwd: folder })
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const { name } of logs.slice(kept - 1)) {
    const base = join(folder, name.replace(/\.log$/, ''));
    for (const end of ['.log', '.log.old', '.raw', '.raw.old']) rmSync(base + end, { force: true });
  }
}
