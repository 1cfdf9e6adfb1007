import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startOf } from '../run/process-identity.ts';
import { isLocked, lockAgent } from './agent-lock.ts';
import { endOrphan } from './leftovers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'banto-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('lets one worker in, and the next one when the first has left', async () => {
  const unlock = await lockAgent(folder, 'w1');
  await expect(lockAgent(folder, 'w1')).rejects.toThrow(/already runs here/);
  expect(await isLocked(folder)).toBe(true);
  unlock();
  expect(await isLocked(folder)).toBe(false);
  (await lockAgent(folder, 'w1'))();
});

it('takes the lock of a process that is gone, even if its number was given again', async () => {
  const path = join(folder, 'worker.lock');
  writeFileSync(path, JSON.stringify({ pid: process.pid, startedAt: 't1' }));
  (await lockAgent(folder, 'w1'))();
});

it('ends the command of a dead worker, and nobody else', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const startedAt = (await startOf(pid)) ?? '';
  const memory = { taskId: 't', phase: 'running', start: null, session: null } as const;
  expect(await endOrphan({ ...memory, process: { pid, startedAt: 't1' } })).toBe(false);
  const ended = once(child, 'exit');
  expect(await endOrphan({ ...memory, process: { pid, startedAt } })).toBe(true);
  expect((await ended)[1]).toBe('SIGKILL');
});
