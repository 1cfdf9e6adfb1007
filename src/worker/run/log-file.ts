// The log of one attempt on disk. Each line is written before the next one is read, so that a killed worker
// loses nothing; past its size the older half makes way.

import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogFile {
  readonly path: string;
  write(line: string): void;
  close(): void;
}

/** Together with the older half, at most this many bytes. */
export const LOG_BYTES = 10 * 1024 * 1024;

export function openLogFile(path: string, mostBytes = LOG_BYTES): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  rmSync(`${path}.old`, { force: true });
  let handle: number | null = openSync(path, 'w', 0o600);
  let size = 0;

  function rotate(): void {
    if (handle !== null) closeSync(handle);
    renameSync(path, `${path}.old`);
    handle = openSync(path, 'w', 0o600);
    size = 0;
  }

  return {
    path,
    write(line) {
      if (handle === null) return;
      const bytes = Buffer.from(`${line}\n`);
      if (size > 0 && size + bytes.length > mostBytes / 2) rotate();
      writeSync(handle, bytes.subarray(0, mostBytes / 2));
      size += bytes.length;
    },
    close() {
      if (handle !== null) closeSync(handle);
      handle = null;
    },
  };
}
