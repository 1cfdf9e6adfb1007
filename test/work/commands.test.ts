// `banto work` and `banto logs` as people run them.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startOf } from '../../src/worker/run/process-identity.ts';
import { runBanto } from '../support/run-banto.ts';
import { scriptedApi } from '../support/scripted-api.ts';
import { commits, makeWorkshop, type Workshop } from '../support/workshop.ts';

let shop: Workshop;
beforeAll(async () => {
  shop = await makeWorkshop({ reviewDelaySeconds: 3600 });
});
let stray: ChildProcess | null = null;
afterAll(async () => {
  stray?.kill('SIGKILL');
  await shop.close();
});

const banto = (...args: string[]) =>
  runBanto(args, { cwd: shop.repo, env: { BANTO_URL: shop.url, NO_COLOR: '1' } });
const work = (...args: string[]) =>
  banto('work', '--agent', 'w1', '--cap', '*', '--wait', '0', ...args);

function tool(name: string, script: string): string {
  const file = join(shop.root, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

it.each([
  [['--agent', 'w1', '--cap', '*'], 2, /Say what does the work: --preset claude\|codex/],
  [['--cap', '*', '--', 'true'], 2, /Say who works: --agent/],
  [['--agent', 'w1', '--', 'true'], 2, /Say what it can do/],
  [['--agent', 'w1', '--cap', '*', '--preset', 'emacs'], 2, /It must be one of claude/],
  [['--agent', 'w1', '--cap', '*', '--stall', 'soon', '--', 'true'], 2, /90s, 15m or 2h/],
  [['--agent', '-w', '--cap', '*', '--', 'true'], 2, /cannot be an agent's name/],
  [['--agent', 'w1', '--cap', '*', '--', 'no-such-tool'], 1, /no-such-tool was not found/],
])('banto work %j ends with %i', async (args, code, words) => {
  const ran = await runBanto(['work', ...args], { cwd: shop.repo });
  expect(ran.stderr).toMatch(words);
  expect(ran.code).toBe(code);
});

it('says by its exit code what came of one task', async () => {
  const none = await work('--once', '--', 'true');
  expect([none.code, none.stdout]).toEqual([3, expect.stringMatching(/no suitable task\.$/m)]);
  shop.addIssue(1);
  await shop.mirrored(1);
  const done = await work('--once', '--', tool('good.sh', commits('a.txt')));
  expect(done.stdout).toMatch(
    /w1 took shop~1~implement\.1 \(attempt 1\): Issue 1\n.*w1 completed shop~1~implement\.1: - Add a\.txt/,
  );
  expect(done.code).toBe(0);
  shop.addIssue(2);
  await shop.mirrored(3);
  const failed = await work('--once', '--', 'true');
  expect(failed.stdout).toMatch(/w1 failed shop~2~implement\.1: It said it was done/);
  expect(failed.code).toBe(1);
  const logs = await banto('logs', '1');
  expect(logs.stdout).toMatch(/^banto: shop~1~implement\.1, attempt 1/);
  expect((await banto('logs', '1', '--follow')).stdout).toBe(logs.stdout);
  const inside = { cwd: join(shop.repo, 'backlog'), env: { BANTO_URL: shop.url } };
  expect((await runBanto(['logs', '1'], inside)).stdout).toBe(logs.stdout);
  const missing = await banto('logs', '99');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/no log of 99/)]);
});

it('works on no task of another repository than the one it is in', async () => {
  const other = join(shop.root, 'other');
  const clone = join(shop.root, 'clone');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: shop.root });
  git('init', '-q', other);
  git(
    '-C',
    other,
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit',
    '-qm',
    'x',
    '--allow-empty',
  );
  git('clone', '-q', shop.repo, clone);
  shop.addIssue(8);
  await shop.mirrored(4);
  const inside = (repo: string) =>
    work('--once', '--repo', repo, '--kind', 'implement', '--', 'true');
  const wrong = await inside(other);
  expect(wrong.stderr).toMatch(
    /shop~8~implement\.1 is of the repository in .*, but this is .*other/,
  );
  expect(wrong.code).toBe(1);
  const task = await shop.client.task('shop~8~implement.1');
  expect([task.state, task.attempts]).toEqual(['ready', 0]);
  expect((await inside(clone)).stdout).toMatch(
    /w1 failed shop~8~implement\.1: It said it was done/,
  );
});

it('gives the tool its grace at the first Ctrl-C, and none at the second', async () => {
  shop.addIssue(3);
  await shop.mirrored(4);
  const pid = join(shop.root, 'hangs.pid');
  const hangs = tool(
    'hangs.sh',
    `trap "" TERM INT; echo $$ > ${pid}.new; mv ${pid}.new ${pid}; sleep 60; sleep 60`,
  );
  const child = spawn(
    process.execPath,
    [resolve('bin/banto.js'), 'work', '--agent', 'w2', '--cap', '*', '--grace', '10m', '--', hangs],
    {
      cwd: shop.repo,
      env: { PATH: process.env['PATH'], BANTO_URL: shop.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  stray = child;
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit');
  await expect.poll(() => existsSync(pid)).toBe(true);
  child.kill('SIGINT');
  // Two signals at once may become one.
  await expect.poll(() => said).toMatch(/Stopping; what runs gets 10 min/);
  expect((await shop.client.task('shop~3~implement.1')).state).toBe('leased');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect((await shop.client.task('shop~3~implement.1')).state).toBe('ready');
  expect(await startOf(Number(readFileSync(pid, 'utf8')))).toBeNull();
});

it('does not wait with --once for a day on which hand-out goes on', async () => {
  const detail = "Today's work has cost $5.00 of the $5.00 that a day may cost.";
  const api = await scriptedApi(() => ({
    status: 503,
    headers: { 'retry-after': '300' },
    json: { error: 'Server is busy.', code: 'busy', detail },
  }));
  const ran = await work('--once', '--url', api.url, '--', 'true');
  await api.close();
  expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining(detail)]);
});

it('tries a tool on a trivial task of its own', async () => {
  const good = await banto('work', '--smoke', '--', tool('hello.sh', commits('hello.txt')));
  expect(good.stdout).toMatch(/Task {5}done\nPushed {3}\w+ Add hello\.txt/);
  expect([good.code, good.stderr]).toEqual([0, '']);
});

it('says what is wrong with a tool that is not there', async () => {
  const ran = await runBanto(['doctor', '--preset', 'aider'], { env: { PATH: '/nowhere' } });
  expect(ran.stdout).toMatch(/problem {2}installed {2}aider cannot be run[^]*→ Install it: /);
  expect(ran.code).toBe(1);
});

it('follows a task that nobody has taken yet, and says that its attempt wrote nothing', async () => {
  const answers = [
    { fence: 0, text: '', next_offset: 0, ended: null },
    { fence: 9, text: '', next_offset: 0, ended: 'failed' },
  ];
  const api = await scriptedApi(() => ({ json: answers.shift() }));
  const env = { BANTO_URL: api.url };
  const ran = await runBanto(['logs', 'shop~9~fix.1', '--follow'], { cwd: shop.repo, env });
  await api.close();
  expect([ran.code, ran.stdout]).toEqual([0, '']);
  expect(ran.stderr).toMatch(/Nobody has taken .+ yet[^]*It ended \(failed\) without a line\./);
});

it('an attempt is named by a number', async () => {
  const ran = await banto('logs', '1', '--attempt', 'second');
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/--attempt.*whole number/)]);
});

it('shows the log that the server has where this machine has none', async () => {
  const pages = ['one\ntwo\n', 'three\n', ''];
  const api = await scriptedApi(({ query }) => {
    const page = Number(query.get('offset') ?? 0);
    return {
      json: { fence: 9, text: pages[page], next_offset: Math.min(page + 1, 2), ended: 'failed' },
    };
  });
  const ran = await runBanto(['logs', 'shop~9~fix.1', '--follow'], {
    cwd: shop.repo,
    env: { BANTO_URL: api.url },
  });
  await api.close();
  expect([ran.stdout, ran.code]).toEqual(['one\ntwo\nthree\n', 0]);
  expect(api.received[0]?.path).toBe('/api/v1/tasks/shop~9~fix.1/log');
});
