// What a worker remembers about an issue across runs and restarts: where the run began, which process it
// started, and the tool's session with the totals it had counted.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Usage } from '../usage.ts';

export interface SessionMemory {
  readonly tool: string;
  readonly id: string;
  /** As the tool counted at the end of its last run. */
  readonly totals: Usage | null;
}

export interface TaskMemory {
  readonly taskId: string;
  /** `running` after a restart means that the worker was killed. */
  readonly phase: 'running' | 'paused' | 'over';
  /** The commit the run began with. */
  readonly start: string | null;
  /** The group of the command, and when its first process started. */
  readonly process: { readonly pid: number; readonly startedAt: string } | null;
  readonly session: SessionMemory | null;
}

export interface Memory {
  read(): TaskMemory | null;
  write(memory: TaskMemory): void;
  forget(): void;
}

export function openMemory(path: string): Memory {
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as TaskMemory;
      } catch {
        return null;
      }
    },
    write(memory) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.new`, JSON.stringify(memory), { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
    forget: () => rmSync(path, { force: true }),
  };
}
