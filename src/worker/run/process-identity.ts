// Whether a process is still the one that was written down: numbers are given again, start times are not.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Null: there is no such process. */
export async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may contain anything: field 22 is the start, field 3 the state.
    const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return rest[0] === 'Z' ? null : `t${rest[19] ?? ''}`;
  } catch {
    // No /proc: another kind of Unix, or no such process.
  }
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return stdout.trim() || null;
  } catch {
    return null;
  }
}
