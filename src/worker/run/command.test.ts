import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommand } from './command.ts';
import { startOf } from './process-identity.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'banto-command-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(script: string, stdin: string | null = null, env: NodeJS.ProcessEnv = {}) {
  const halt = new AbortController();
  const urgent = new AbortController();
  const lines: string[] = [];
  const ended = runCommand(
    {
      file: '/bin/sh',
      args: ['-c', script],
      cwd: folder,
      env: { ...process.env, ...env },
      stdin,
      onLine: (line, stream) => lines.push(`${stream}: ${line}`),
    },
    { halt: halt.signal, urgent: urgent.signal },
  );
  return { halt, urgent, lines, ended };
}

const pidIn = (name: string) => {
  try {
    return Number(readFileSync(join(folder, name), 'utf8'));
  } catch {
    return 0;
  }
};
const isGone = async (pid: number) => pid > 0 && (await startOf(pid)) === null;

it('gives standard input, and every line of both outputs', async () => {
  const { lines, ended } = start('cat; printf "no end"; echo oops >&2; exit 3', 'one\ntwo\r\n');
  expect(await ended).toEqual({ exitCode: 3, signal: null, halt: null, startError: null });
  expect(lines.toSorted()).toEqual([
    'stderr: oops',
    'stdout: no end',
    'stdout: one',
    'stdout: two',
  ]);
});

it('ends the whole group, and says why it was stopped even when the exit code is 0', async () => {
  const { halt, ended } = start('trap "exit 0" TERM; sleep 60 & echo $! > child; wait');
  await expect.poll(() => pidIn('child')).toBeGreaterThan(0);
  halt.abort({ by: 'lease_lost' });
  expect(await ended).toMatchObject({ halt: { by: 'lease_lost' } });
  await expect.poll(() => isGone(pidIn('child'))).toBe(true);
});

it('kills at once what ignores SIGTERM when it is urgent', async () => {
  const { halt, urgent, ended } = start('trap "" TERM; echo $$ > own; sleep 60; sleep 60');
  await expect.poll(() => pidIn('own')).toBeGreaterThan(0);
  halt.abort({ by: 'shutdown' });
  urgent.abort();
  expect(await ended).toMatchObject({ signal: 'SIGKILL', exitCode: 137 });
  expect(await isGone(pidIn('own'))).toBe(true);
});

it('ends what the command left running in the background, and does not wait for its pipes', async () => {
  const { ended } = start('sleep 60 & echo $! > child');
  expect(await ended).toMatchObject({ exitCode: 0 });
  await expect.poll(() => isGone(pidIn('child'))).toBe(true);
});

it('says when a command cannot be started', async () => {
  const end = await runCommand(
    { file: '/no/such/tool', args: [], cwd: folder, env: {}, stdin: 'x', onLine: () => undefined },
    { halt: new AbortController().signal, urgent: new AbortController().signal },
  );
  expect(end.startError).toMatch(/ENOENT/);
});

it('starts nothing after it was told to stop', async () => {
  const halt = AbortSignal.abort({ by: 'shutdown' });
  const end = await runCommand(
    {
      file: '/bin/sh',
      args: ['-c', 'echo x > ran'],
      cwd: folder,
      env: {},
      stdin: null,
      onLine: () => undefined,
    },
    { halt, urgent: new AbortController().signal },
  );
  expect(end.halt).toEqual({ by: 'shutdown' });
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

it.runIf(existsSync('/proc/self/environ'))(
  'ends what a tool started apart from its group, and leaves the services of hooks',
  async () => {
    const apart = 'setsid sh -c "echo \\$\\$ > child; exec sleep 60" > /dev/null 2>&1 & ';
    const waits = 'until [ -s child ]; do sleep 0.01; done';
    const hook = { BANTO_WORKTREE: folder, BANTO_HOOK: 'before_run' };
    await start(`${apart} ${waits}`, null, hook).ended;
    const service = pidIn('child');
    expect(await isGone(service)).toBe(false);
    rmSync(join(folder, 'child'));
    await start(`${apart} ${waits}`, null, { BANTO_WORKTREE: folder }).ended;
    await expect.poll(() => isGone(pidIn('child'))).toBe(true);
    expect(await isGone(service)).toBe(false);
    process.kill(service, 'SIGKILL');
  },
);
