// What people do with the files of a backlog while agents are at work: other branches, deletions, repairs.

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Assignment } from '../../src/broker/broker.ts';
import { openLocalForge } from '../../src/forge/local/local-forge.ts';
import { gitAt } from '../support/local-repository.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

const file = (number: number) =>
  join(world.repository.repoDir, 'backlog', `${String(number).padStart(4, '0')}-issue.md`);
const git = (...args: string[]) => gitAt(world.repository.repoDir, ...args);

async function take(agentId: string, capabilities = ['python']): Promise<Assignment> {
  const task = await world.request(agentId, { capabilities, onUnfinished: 'resume' });
  if (task === null) throw new Error('expected a task');
  return task;
}

const complete = ({ task, lease }: Assignment) =>
  world.broker.complete({
    taskId: task.id,
    token: lease.token,
    summary: 'the old result',
    prNumber: null,
    verdict: null,
    comments: [],
  });

const states = async () =>
  (await world.store.tasks({ limit: 100 })).tasks.map(({ id, state }) => `${id} ${state}`).sort();

/** Commits the backlog on main, but leaves a branch without it. */
async function committed(): Promise<void> {
  writeFileSync(join(world.repository.repoDir, 'backlog', 'README.md'), 'The backlog.\n');
  git('add', 'backlog/README.md');
  git('commit', '--quiet', '-m', 'readme');
  git('branch', 'before');
  await world.repository.write(7);
  git('add', '.');
  git('commit', '--quiet', '-m', 'backlog');
}

describe('another branch in the shared folder', () => {
  it('keeps the leases of issues whose files it does not have', async () => {
    await committed();
    await world.runUntilIdle();
    const task = await take('hana');
    git('stash', '--quiet');
    git('checkout', '--quiet', 'before');
    await world.runUntilIdle();
    await world.runUntilIdle();
    expect(await states()).toEqual(['repo~7~implement.1 leased']);
    await world.broker.heartbeat({
      taskId: task.task.id,
      token: task.lease.token,
      progress: null,
    });
    git('checkout', '--quiet', 'main');
    world.time.advance(60_000);
    await world.runUntilIdle();
    await world.runUntilIdle();
    expect(await world.repository.labels(7)).toContain('in-progress');
  });

  it('keeps them also for a Banto that is started meanwhile, and hands out what is elsewhere', async () => {
    await committed();
    await world.runUntilIdle();
    git('checkout', '--quiet', 'before');
    const { repoDir } = world.repository;
    const forge = await openLocalForge({ repoDir, backlogDir: 'backlog', graceMs: 0 });
    expect(await forge.read('repo', 7)).toMatchObject({ number: 7, state: 'open', problem: null });
    expect(await forge.read('repo', 8)).toBeNull();
    await forge.close();
    await world.runUntilIdle();
    expect(await world.request('hana')).toMatchObject({ ledger: 'pending' });
    git('checkout', '--quiet', 'main');
    world.time.advance(120_000);
    await world.runUntilIdle();
    await world.runUntilIdle();
    expect(await world.repository.labels(7)).toEqual(['python', 'in-progress', 'hana']);
  });

  it('is no protection for a file that is deleted on the default branch, or in the work tree', async () => {
    await committed();
    await world.runUntilIdle();
    await take('hana');
    git('stash', '--quiet');
    rmSync(file(7));
    await world.runUntilIdle();
    await world.runUntilIdle();
    expect(await states()).toEqual(['repo~7~implement.1 cancelled']);
  });
});

describe('a number that comes back', () => {
  const write = (title: string, body: string) =>
    world.repository.write(5, { title, body: `## Deliverables\n\n- ${body}\n` });

  it('as another issue begins a new life, though a review of the old one was still to come', async () => {
    await write('Old', 'old things');
    await world.runUntilIdle();
    await complete(await take('hana'));
    await world.runUntilIdle();
    rmSync(file(5));
    await world.runUntilIdle();
    await write('New', 'new things');
    await world.runUntilIdle();
    expect(await take('kenji')).toMatchObject({
      task: { id: 'repo~5~implement.101', result: null },
    });
    expect(await states()).toContain('repo~5~review.1 cancelled');
  });

  it('under another file name while Banto was not looking takes the old lease away', async () => {
    await write('Old', 'old things');
    await world.runUntilIdle();
    await take('hana');
    rmSync(file(5));
    const other = join(world.repository.repoDir, 'backlog', '0005-new.md');
    writeFileSync(other, '---\nlabels: [python]\n---\n# New\n\n## Deliverables\n\n- new\n');
    await world.runUntilIdle();
    expect(await states()).toEqual(['repo~5~implement.1 cancelled', 'repo~5~implement.101 ready']);
  });

  it('as the same issue, or as one that was only edited, goes on', async () => {
    await write('Old', 'old things');
    await world.runUntilIdle();
    await take('hana');
    await write('Retitled', 'and rewritten');
    await world.runUntilIdle();
    expect(await states()).toEqual(['repo~5~implement.1 leased']);
  });
});

describe('a file that cannot be written', () => {
  const broken = (text: string) => text.replace('labels: [', 'labels: [[');

  it('holds its review only until it was repaired', async () => {
    await world.repository.write(7);
    await world.runUntilIdle();
    await complete(await take('hana'));
    await world.runUntilIdle();
    world.time.advance(400_000);
    await world.runUntilIdle();
    const whole = readFileSync(file(7), 'utf8');
    writeFileSync(file(7), broken(whole));
    expect(await world.request('rin', { capabilities: ['review', 'python'] })).toBeNull();
    expect(await states()).toContain('repo~7~review.1 held');
    await world.runUntilIdle();
    writeFileSync(file(7), whole);
    await world.runUntilIdle();
    expect(await take('rin', ['review', 'python'])).toMatchObject({ task: { kind: 'review' } });
  });

  it('is offered again when it was repaired before anybody looked', async () => {
    await world.repository.write(7);
    await world.runUntilIdle();
    const whole = readFileSync(file(7), 'utf8');
    writeFileSync(file(7), broken(whole));
    expect(await world.request('hana')).toBeNull();
    writeFileSync(file(7), whole);
    await world.broker.loops.mirror.runOnce();
    await world.runUntilIdle();
    expect(await take('hana')).toMatchObject({ task: { kind: 'implement' } });
  });
});

it('tells agents to work in a place of their own', async () => {
  await world.repository.write(7);
  await world.runUntilIdle();
  expect((await take('hana')).prompt).toMatch(/git worktree add/);
});
