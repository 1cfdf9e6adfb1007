// One worker for each agent id on a machine: two would be handed the same task and work in the same folder.

import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WorkerFault } from '../fault.ts';
import { startOf } from '../run/process-identity.ts';

interface Owner {
  readonly pid: number;
  readonly startedAt: string | null;
}

function ownerOf(path: string): Owner | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Owner;
  } catch {
    return null;
  }
}

async function isAlive(owner: Owner | null): Promise<boolean> {
  return owner !== null && (await startOf(owner.pid)) === owner.startedAt;
}

/** Whether a living worker owns the folder of this agent. */
export function isLocked(folder: string): Promise<boolean> {
  return isAlive(ownerOf(join(folder, 'worker.lock')));
}

export async function lockAgent(folder: string, agentId: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'worker.lock');
  const mine = `${path}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, startedAt: await startOf(process.pid) }));
  try {
    for (let turn = 0; turn < 3; turn += 1) {
      try {
        linkSync(mine, path);
        return () => rmSync(path, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const owner = ownerOf(path);
      if (await isAlive(owner)) {
        throw new WorkerFault(
          `A worker for the agent ${agentId} already runs here (process ${owner?.pid}). Stop it, or choose another --agent.`,
        );
      }
      rmSync(path, { force: true });
    }
    throw new WorkerFault(`The lock ${path} cannot be taken.`);
  } finally {
    rmSync(mine, { force: true });
  }
}
