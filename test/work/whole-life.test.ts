// A task from the issue to the approval, by tools that say what the real programs said.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commits, makeWorkshop, type Workshop } from '../support/workshop.ts';

let shop: Workshop;
beforeEach(async () => {
  shop = await makeWorkshop();
});
afterEach(() => shop.close());

const verdict = (verdict: string, ...comments: string[]) =>
  JSON.stringify({ verdict, summary: 'looked', comments });
const pushed = (branch: string) =>
  shop
    .git('--git-dir', shop.remote, 'log', '--format=%s', '--reverse', `main..${branch}`)
    .split('\n');

it('is implemented, reviewed, fixed in the same session, and approved', async () => {
  shop.git('switch', '--quiet', '--create', 'mine');
  const mine = () => shop.git('status', '--porcelain', '--branch', '--', ':!backlog', ':!.banto');
  const before = mine();
  shop.addIssue(7);
  const author = { agentId: 'w1', speaks: { tool: 'claude', script: 'commit' } } as const;
  const reviewer = { agentId: 'r1', kinds: ['review'] } as const;

  const first = await shop.once({ ...author, does: commits('hello.txt') });
  expect(first.last).toMatchObject({ how: 'completed', text: 'done' });
  expect(pushed('feature/issue-7')).toEqual(['Add hello.txt']);

  const answer = verdict('request_changes', 'hello.txt: greet the world');
  const wants = await shop.once({
    ...reviewer,
    does: 'true',
    speaks: { tool: 'codex', script: 'review', answer },
  });
  expect(wants.last).toMatchObject({ how: 'completed', text: 'request_changes: looked' });
  expect(shop.prompt()).toContain('+hello.txt');
  expect(shop.calls().at(-1)).toContain('--output-schema');

  const fixed = await shop.once({ ...author, does: commits('world.txt') });
  expect(fixed.last).toMatchObject({ how: 'completed' });
  expect(shop.calls().at(-1)).toContain('--resume de7fb05c-0e12-43af-84fd-1be34447713f');
  expect(shop.prompt()).toContain('hello.txt: greet the world');
  expect(pushed('feature/issue-7')).toEqual(['Add hello.txt', 'Add world.txt']);

  const approval = verdict('approve');
  await shop.once({
    ...reviewer,
    does: 'true',
    speaks: { tool: 'gemini', script: 'review', answer: approval },
  });
  expect(await shop.states()).toEqual({
    'shop~7~implement.1': 'done',
    'shop~7~review.1': 'done',
    'shop~7~fix.1': 'done',
    'shop~7~review.2': 'done',
  });
  expect(shop.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(existsSync(join(shop.workDir, 'kept'))).toBe(false);
  expect(mine()).toBe(before);
});

it('is done by every tool that Banto knows, and by any command', async () => {
  const tools = ['claude', 'codex', 'gemini', 'opencode', 'copilot'] as const;
  for (const [index] of [...tools, 'any'].entries()) shop.addIssue(index + 1);
  for (const tool of tools) {
    const does = commits(`${tool}.txt`);
    const end = await shop.once({ kinds: ['implement'], does, speaks: { tool, script: 'commit' } });
    expect([tool, end.last?.how]).toEqual([tool, 'completed']);
  }
  const any = await shop.once({ kinds: ['implement'], does: commits('any.txt') });
  expect(any.last).toMatchObject({ how: 'completed', text: '- Add any.txt' });
});

it('asks once more for a verdict that cannot be read, and then gives up', async () => {
  shop.addIssue(7);
  await shop.once({ does: commits('a.txt') });
  const reviewer = { agentId: 'r1', kinds: ['review'] } as const;
  const speaks = { tool: 'claude', script: 'commit', answer: 'It looks good to me.' } as const;
  const end = await shop.once({ ...reviewer, does: 'true', speaks });
  expect(end.last).toMatchObject({
    how: 'failed',
    text: expect.stringMatching(/no usable verdict/),
  });
  const [, first = '', second = ''] = shop.calls();
  expect(first).not.toContain('--resume');
  expect(second).toContain('--resume');
  expect(shop.prompt()).toMatch(/Your answer cannot be used: There is no JSON object/);
});

it('works without a remote, and several tasks at once', async () => {
  await shop.close();
  shop = await makeWorkshop({}, { remote: false });
  for (const number of [1, 2, 3]) shop.addIssue(number);
  await shop.mirrored(3);
  const worker = shop.start({
    parallel: 3,
    once: true,
    kinds: ['implement'],
    does: commits('x.txt'),
  });
  expect((await worker.ended).map(({ last }) => last?.how)).toEqual(Array(3).fill('completed'));
  const names = worker.events.flatMap((event) => (event.type === 'took' ? [event.agentId] : []));
  expect(names.toSorted()).toEqual(['w1', 'w1-2', 'w1-3']);
  expect(readdirSync(join(shop.workDir, 'trees', 'w1'))).toEqual([]);
});
