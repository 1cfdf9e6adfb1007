// What a worker makes of what a tool did, on a real Banto.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PRESETS } from '../../src/worker/presets/presets.ts';
import { commits, makeWorkshop, type Workshop } from '../support/workshop.ts';

let shop: Workshop;
beforeEach(async () => {
  shop = await makeWorkshop();
  shop.addIssue(7);
});
afterEach(() => shop.close());

const TASK = 'shop~7~implement.1';
const again = () => shop.client.requeue(TASK).catch(() => null);
const tree = () => join(shop.workDir, 'trees', 'w1', 'shop-7');
const claude = { tool: 'claude', script: 'commit' } as const;

/** The back-off of a failure is skipped. */
async function ready(): Promise<void> {
  const { state } = await shop.client.task(TASK);
  if (state === 'delayed') await again();
}

it('an agent that exits 0 without a commit never reaches review and costs two attempts', async () => {
  const idle = { does: 'echo all done', speaks: claude } as const;
  const first = await shop.once(idle);
  expect(first.last).toMatchObject({
    how: 'failed',
    text: expect.stringContaining('no new commit'),
  });
  expect((await shop.client.task(TASK)).state).toBe('delayed');
  const { earlier_attempts: attempts } = await shop.client.task(TASK);
  expect(attempts.at(-1)).toMatchObject({
    outcome: 'failed',
    note: expect.stringContaining('The end of the log:'),
  });
  await ready();
  const second = await shop.once(idle);
  expect(second.last?.text).toMatch(/very same files: the task waits for a person/);
  expect(await shop.client.task(TASK)).toMatchObject({ state: 'held', reason: 'no_progress' });
  expect((await shop.client.why(TASK)).summary).toMatch(
    /two attempts in a row left the same files/,
  );
  expect(readdirSync(join(shop.workDir, 'kept'))).toHaveLength(2);
});

it('an agent that says that nothing has to be changed goes to review with that word', async () => {
  const answer = 'I looked.\nBANTO: no change needed: it is on main already';
  const end = await shop.once({ does: 'true', speaks: { ...claude, answer } });
  expect(end.last).toMatchObject({
    how: 'completed',
    text: expect.stringMatching(/^No change needed/),
  });
  expect((await shop.client.task(TASK)).result?.summary).toContain('on main already');
  const reviewed = await shop.once({
    agentId: 'r1',
    does: `echo '{"verdict":"approve","summary":"yes","comments":[]}'`,
  });
  expect(reviewed.last?.how).toBe('completed');
  expect(shop.prompt()).toContain('The branch has no change');
});

it('what a tool leaves uncommitted is asked for once more, in its session', async () => {
  const does = `if [ -f a.txt ]; then git add -A && git commit -qm late; else echo a > a.txt; fi`;
  const end = await shop.once({ does, speaks: claude });
  expect(end.last?.how).toBe('completed');
  expect(shop.calls()[1]).toContain('--resume');
  expect(shop.prompt()).toMatch(/Changes were left uncommitted: a\.txt/);
});

it('what a command leaves uncommitted is a failure, or committed with --commit', async () => {
  const end = await shop.once({ does: 'echo a > a.txt' });
  expect(end.last).toMatchObject({
    how: 'failed',
    text: expect.stringContaining('uncommitted: a.txt'),
  });
  await ready();
  const second = await shop.once({ does: 'echo b > b.txt', commit: true });
  expect(second.last?.how).toBe('completed');
  expect(shop.git('log', '-1', '--format=%s', 'feature/issue-7')).toBe('Issue 7 (#7)');
});

it('a check that fails is repaired by the tool, at most so many times', async () => {
  const check = 'test -f fixed.txt || { echo "fixed.txt is missing"; exit 3; }';
  const does = `if [ -f a.txt ]; then ${commits('fixed.txt')}; else ${commits('a.txt')}; fi`;
  const end = await shop.once({ does, speaks: claude, check });
  expect(end.last?.how).toBe('completed');
  expect(shop.calls()).toHaveLength(2);
  expect(shop.prompt()).toMatch(/failed with exit code 3[^]*fixed\.txt is missing/);
});

it('a check that goes on failing fails the task, and nothing is pushed', async () => {
  const does = 'echo x >> a.txt && git add a.txt && git commit -qm more';
  const end = await shop.once({ does, check: 'exit 1' });
  expect(end.last).toMatchObject({ how: 'failed', text: 'The check `exit 1` does not pass.' });
  expect(shop.calls()).toHaveLength(3);
  expect(shop.git('ls-remote', 'origin')).not.toContain('feature/issue-7');
});

it('a tool that is stopped for its silence has failed, and says so', async () => {
  const end = await shop.once({ does: 'sleep 60', stallSeconds: 1 });
  expect(end.last?.text).toMatch(/stalled: no output and no change in the worktree for 1 s/);
});

it('a tool that is killed has failed, and says so', async () => {
  const end = await shop.once({ does: `${commits('a.txt')}; kill -9 $$` });
  expect(end.last).toMatchObject({ how: 'failed', text: 'It was killed by SIGKILL.' });
});

it('hooks run around the task, with what they need to know, and those of the worktree do not', async () => {
  const hooks = join(shop.repo, '.banto', 'hooks');
  const seen = join(shop.root, 'seen');
  mkdirSync(hooks, { recursive: true });
  for (const name of ['after_create', 'before_run', 'after_run']) {
    const note = `echo "$BANTO_HOOK $BANTO_KIND $BANTO_ISSUE $(basename "$PWD")" >> ${seen}\n`;
    writeFileSync(join(hooks, name), `#!/bin/sh\n${note}`, { mode: 0o755 });
  }
  const inTree = `mkdir -p .banto/hooks && echo 'echo evil >> ${seen}' > .banto/hooks/before_remove`;
  await shop.once({
    does: `${inTree}; echo "tool \${BANTO_TOKEN-none} $BANTO_BRANCH" >> ${seen}; ${commits('a.txt')}`,
    hooks: { before_remove: `echo removing >> ${seen}` },
  });
  expect(readFileSync(seen, 'utf8').trim().split('\n')).toEqual([
    'after_create implement 7 shop-7',
    'before_run implement 7 shop-7',
    'tool none feature/issue-7',
    'after_run implement 7 shop-7',
    'removing',
  ]);
});

it('a hook that fails before the run fails the attempt, with its words', async () => {
  const hooks = { before_run: 'echo no database; exit 2' };
  const end = await shop.once({ does: commits('a.txt'), hooks });
  expect(end.last?.text).toBe('The hook before_run failed: exit code 2\nno database');
  expect(existsSync(join(shop.root, 'calls'))).toBe(false);
});

it('a worker whose tool is not logged in gives the task back and ends', async () => {
  const said = {
    type: 'result',
    subtype: 'success',
    is_error: true,
    result: 'Not logged in · Please run /login',
  };
  const does = `echo '${JSON.stringify(said)}'; exit 1`;
  const worker = shop.start({ does, speaks: { tool: 'claude', script: 'limit' } });
  await expect(worker.ended).rejects.toThrow(/Not logged in/);
  expect(await shop.client.task(TASK)).toMatchObject({ state: 'ready', attempts: 0 });
});

it('a branch that the person works on is left alone', async () => {
  shop.git('switch', '--quiet', '--create', 'feature/issue-7');
  const worker = shop.start({ does: commits('a.txt') });
  await expect.poll(() => worker.events.some((event) => event.type === 'ended')).toBe(true);
  expect(worker.events.find((event) => event.type === 'ended')).toMatchObject({
    how: 'released',
    text: expect.stringMatching(/is checked out in .*shop\. Switch that folder/),
  });
});

it('goes on with its session and its files when it was stopped, and gets no attempt for it', async () => {
  const does = `if [ -f half.txt ]; then ${commits('half.txt')}; else echo x > half.txt; echo begun; sleep 60; fi`;
  const worker = shop.start({ does, speaks: claude, graceSeconds: 0 });
  await expect.poll(() => existsSync(join(tree(), 'half.txt'))).toBe(true);
  worker.stop();
  expect((await worker.ended)[0]?.last).toMatchObject({
    how: 'released',
    text: 'The worker was stopped.',
  });
  expect(await shop.client.task(TASK)).toMatchObject({ state: 'ready', attempts: 0 });
  const end = await shop.once({ does, speaks: claude });
  expect(end.last?.how).toBe('completed');
});

it('lets a running tool finish within its grace', async () => {
  const does = `touch begun; while [ ! -f go ]; do sleep 0.05; done; rm begun go; ${commits('a.txt')}`;
  const worker = shop.start({ does, graceSeconds: 60 });
  await expect.poll(() => existsSync(join(tree(), 'begun'))).toBe(true);
  worker.stop();
  writeFileSync(join(tree(), 'go'), '');
  expect((await worker.ended)[0]?.last?.how).toBe('completed');
});

it('does not wait for anything at the second signal, and still gives the task back', async () => {
  const does = 'trap "" TERM INT; touch begun; sleep 60; sleep 60';
  const worker = shop.start({ does, graceSeconds: 60 });
  await expect.poll(() => existsSync(join(tree(), 'begun'))).toBe(true);
  worker.stop();
  worker.stopNow();
  expect((await worker.ended)[0]?.last?.how).toBe('released');
  expect(await shop.client.task(TASK)).toMatchObject({ state: 'ready' });
});

it('only one worker of a name runs on one machine', async () => {
  const first = shop.start({ does: 'true', kinds: ['review'] });
  await expect.poll(() => first.events.length).toBeGreaterThan(0);
  await expect(shop.start({ does: 'true' }).ended).rejects.toThrow(/already runs here/);
});

it('ends without a task when there is none', async () => {
  const end = await shop.once({ does: 'true', kinds: ['review'], waitSeconds: 0 });
  expect(end).toEqual({ last: null, fault: null });
});

describe('aider, by a stand-in that behaves as its documentation says', () => {
  // Its cache lies in the worktree whatever it is told.
  const starts = 'mkdir -p .aider.tags.cache.v4 && date > .aider.tags.cache.v4/cache.db';
  const spent = "echo 'Tokens: 12k sent, 1.5k received. Cost: $0.02 message, $0.02 session.'";

  it('commits by itself; what it keeps for itself is no part of the work', async () => {
    const does = `${starts}; echo a > a.txt && git add a.txt && git commit -qm "feat: add a"; ${spent}`;
    const end = await shop.once({ does, preset: PRESETS.aider });
    expect(end.last?.how).toBe('completed');
    expect(shop.calls()[0]).toMatch(
      /--yes-always .*--auto-commits --no-gitignore .*--message-file \S+prompt\.md$/,
    );
    expect(shop.git('show', '--name-only', '--format=', 'feature/issue-7')).toBe('a.txt');
    expect((await shop.client.task(TASK)).usage).toMatchObject({
      input_tokens: 12_000,
      cost_usd: 0.02,
    });
  });

  it('that changes nothing twice is held for a person, whatever its cache looks like', async () => {
    await shop.once({ does: `${starts}; ${spent}`, preset: PRESETS.aider });
    await ready();
    const end = await shop.once({ does: `${starts}; ${spent}`, preset: PRESETS.aider });
    expect(end.last?.text).toMatch(/no new commit.*waits for a person/);
  });

  it('that reached no model is given back, though it ends with exit code 0', async () => {
    const does = "echo 'litellm.RateLimitError: RateLimitError: OpenAIException - rate limit'";
    const end = await shop.once({ does, preset: PRESETS.aider });
    expect(end.last).toMatchObject({ how: 'released', text: expect.stringContaining('quota') });
  });
});
