// kill -9 of the worker and of the server in the middle of a task, with real processes.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startOf } from '../../src/worker/run/process-identity.ts';
import { startInstance } from '../support/instance.ts';
import { commits, makeWorkshop, type Workshop } from '../support/workshop.ts';

const BIN = resolve(import.meta.dirname, '../../bin/banto.js');
const TASK = 'shop~7~implement.1';
let shop: Workshop;
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
  await shop.close();
});

const tree = (agent: string) => join(shop.workDir, 'trees', agent, 'shop-7');

/** A worker as people start it; its tool commits once, says so, and then hangs until there is a file `go`. */
async function startWorker(
  agent: string,
): Promise<{ kill(): Promise<void>; ended: Promise<unknown> }> {
  const tool = join(shop.root, 'slow.sh');
  const script = `cat > ${shop.root}/prompt-${agent}
[ -f half.txt ] || { ${commits('half.txt')}; }
echo half done; echo $$ > ${shop.root}/pid
while [ -d ${shop.root} ] && [ ! -f ${shop.root}/go ]; do sleep 0.05; done
${commits('rest.txt')}`;
  writeFileSync(tool, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const args = [
    'work',
    '--agent',
    agent,
    '--cap',
    '*',
    '--kind',
    'implement',
    '--lease',
    '10',
    '--once',
    '--',
    tool,
  ];
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: shop.repo,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], BANTO_URL: shop.url },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  cleanups.push(kill);
  return { kill, ended };
}

const toolPid = () =>
  existsSync(join(shop.root, 'pid')) ? Number(readFileSync(join(shop.root, 'pid'), 'utf8')) : 0;
async function begun(agent: string): Promise<void> {
  await expect.poll(() => existsSync(join(tree(agent), 'half.txt'))).toBe(true);
}

it('a killed worker: started again, it goes on with the same task in the same files', async () => {
  shop = await makeWorkshop();
  shop.addIssue(7);
  const first = await startWorker('w1');
  await begun('w1');
  await expect.poll(toolPid).toBeGreaterThan(0);
  const orphan = toolPid();
  await first.kill();
  writeFileSync(join(tree('w1'), 'uncommitted.txt'), 'still here');
  const second = await startWorker('w1');
  await expect.poll(() => ![0, orphan].includes(toolPid())).toBe(true);
  expect(await startOf(orphan)).toBeNull();
  expect(existsSync(join(tree('w1'), 'uncommitted.txt'))).toBe(true);
  writeFileSync(join(shop.root, 'go'), '');
  await second.ended;
  expect(await shop.client.task(TASK)).toMatchObject({ state: 'done', attempts: 0 });
  const pushed = shop.git('--git-dir', shop.remote, 'log', '--format=%s', 'main..feature/issue-7');
  expect(pushed.split('\n')).toEqual(['Add rest.txt', 'Add half.txt']);
});

it('a killed worker that never comes back: another one is told what was done, and has the commits', async () => {
  shop = await makeWorkshop();
  shop.addIssue(7);
  const first = await startWorker('w1');
  await begun('w1');
  // The note goes out with a heartbeat, a third of the lease later.
  const notes = async () =>
    JSON.stringify((await shop.client.task(TASK)).history).includes('half done');
  await expect.poll(notes).toBe(true);
  const orphan = toolPid();
  await first.kill();
  const promptFile = join(shop.root, 'prompt-w2');
  const second = await startWorker('w2');
  const prompt = () => (existsSync(promptFile) ? readFileSync(promptFile, 'utf8') : '');
  await expect.poll(prompt, { timeout: 30_000 }).toMatch(/w1 expired.*half done/);
  await expect.poll(() => existsSync(join(tree('w2'), 'half.txt'))).toBe(true);
  await expect.poll(() => startOf(orphan)).toBeNull();
  writeFileSync(join(shop.root, 'go'), '');
  await second.ended;
  expect((await shop.client.task(TASK)).state).toBe('done');
}, 60_000);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

it('a killed server: the tool goes on, and its work is reported when the server is back', async () => {
  const port = await freePort();
  shop = await makeWorkshop({}, { url: `http://127.0.0.1:${port}` });
  shop.addIssue(7);
  const env = { BROKER_PORT: String(port), LEASE_SECONDS: '60', REVIEW_DELAY_SECONDS: '3600' };
  const first = await startInstance({ repoDir: shop.repo, env });
  cleanups.push(() => first.kill());
  const worker = await startWorker('w1');
  await begun('w1');
  await first.kill();
  writeFileSync(join(shop.root, 'go'), '');
  await expect.poll(() => existsSync(join(tree('w1'), 'rest.txt'))).toBe(true);
  const second = await startInstance({ repoDir: shop.repo, env });
  cleanups.push(() => second.kill());
  await worker.ended;
  expect(await shop.client.task(TASK)).toMatchObject({ state: 'done', attempts: 0 });
});
