// Processes that a tool started apart from its own group, as some do with every command: a signal to the group does
// not reach them, and they would go on in files that are somebody else's by then. They are known by the variable that
// names the worktree. Only where the system shows it (Linux).

import { readdirSync, readFileSync } from 'node:fs';

/** Services that a hook started for the whole attempt are the hook's to end. */
function isStray(environment: string, worktree: string): boolean {
  const variables = environment.split('\0');
  return (
    variables.includes(`BANTO_WORKTREE=${worktree}`) &&
    !variables.some((variable) => variable.startsWith('BANTO_HOOK='))
  );
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** Answers how many there were. */
export function endStrays(worktree: string): number {
  const strays = pids().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      return isStray(readFileSync(`/proc/${pid}/environ`, 'utf8'), worktree);
    } catch {
      // Gone meanwhile, or another user's.
      return false;
    }
  });
  for (const pid of strays) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return strays.length;
}
