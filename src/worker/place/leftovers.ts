// What a worker that was killed leaves behind: processes that still run, worktrees nobody will ask for.

import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { signalGroup } from '../run/command.ts';
import { startOf } from '../run/process-identity.ts';
import { endStrays } from '../run/strays.ts';
import { isLocked } from './agent-lock.ts';
import type { Checkout } from './checkout.ts';
import type { Layout } from './layout.ts';
import { openMemory, type TaskMemory } from './memory.ts';
import { removeWorktree } from './worktree.ts';

/** The command of a run whose worker is gone must not go on in the same files. */
export async function endOrphan({ process: left }: TaskMemory): Promise<boolean> {
  if (left === null || (await startOf(left.pid)) !== left.startedAt) return false;
  return signalGroup(left.pid, 'SIGKILL');
}

/** Those of other agents on this machine that worked on the same issue and whose worker is gone. */
export async function endOrphansOf(layout: Layout, key: string): Promise<void> {
  const agents = join(layout.root, 'agents');
  for (const path of globSync(join(agents, '*', 'memory', `${key}.json`))) {
    const agent = join(path, '..', '..');
    if (agent === layout.agent || (await isLocked(agent))) continue;
    const memory = openMemory(path).read();
    if (memory !== null) await endOrphan(memory);
    endStrays(join(layout.root, 'trees', basename(agent), key));
  }
}

const FORGOTTEN_MS = 7 * 86_400_000;

/** At the start, before anything is asked for. */
export async function tidy(checkout: Checkout, layout: Layout, now: number): Promise<void> {
  for (const path of globSync(join(layout.memories, '*.json'))) {
    const memory = openMemory(path);
    const known = memory.read();
    if (known !== null) await endOrphan(known);
    const tree = layout.tree(basename(path, '.json'));
    endStrays(tree);
    if (now - statSync(path).mtimeMs < FORGOTTEN_MS) continue;
    if (existsSync(tree)) await removeWorktree(checkout, tree);
    memory.forget();
  }
}

/** The newest stay. */
export async function pruneKept(checkout: Checkout, folder: string, most: number): Promise<void> {
  if (!existsSync(folder)) return;
  const kept = readdirSync(folder)
    .map((name) => ({ path: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const { path } of kept.slice(most)) await removeWorktree(checkout, path);
}
