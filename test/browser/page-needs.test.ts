// What needs a person, from a real Banto in each of these situations, on both stores: it is said with its cause,
// its one button solves it, and it goes away.

import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowser, openPage } from '../support/browser.ts';
import { gitAt } from '../support/local-repository.ts';
import { openPageStage, type PageStage } from '../support/page-stage.ts';

// A browser takes its time on a busy machine, and a lease is at least ten seconds.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const rowOf = (page: Page, text: string): Locator =>
  page.locator('.needs .need').filter({ hasText: text });
const gone = (row: Locator) => row.waitFor({ state: 'detached' });
const confirm = (page: Page, name: string) =>
  page.locator('dialog').getByRole('button', { name, exact: true }).click();

describe.each(['sqlite', 'redis'] as const)('what needs a person on %s', (store) => {
  let stage: PageStage;
  let page: Page;
  let wrong: string[];
  beforeAll(async () => {
    stage = await openPageStage(store, {
      reviewDelaySeconds: 0,
      maxAttempts: 2,
      maxReviewRounds: 1,
      maxCostPerTaskUsd: 5,
    });
    await stage.repository.write(1, { title: 'Round the total', labels: ['python'] });
    await stage.known(1);
    ({ page, wrong } = await openPage(browser, stage.url));
    await page.goto(stage.url);
    await page.getByText('Nothing needs you.').waitFor();
  });
  afterAll(async () => {
    expect(wrong).toEqual([]);
    await page.close();
    await stage.close();
  });

  test('a question is answered in its row, and the agent has the answer', async () => {
    const task = await stage.take('ann');
    const token = { lease_token: task.lease.token };
    await stage.client.ask(task.task_id, { ...token, question: 'Each line, or the total?' });
    const row = rowOf(page, 'ann asks');
    await row.getByText('Each line, or the total?').waitFor();
    expect(await page.locator('.tabs .badge').innerText()).toContain('1');
    // From any view, by the keyboard alone; who types faster than frames are drawn loses nothing.
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
    await page.evaluate(
      'globalThis.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 300)',
    );
    await page.keyboard.press('a');
    await page.keyboard.type('Each line.');
    expect(await row.getByLabel('Answer to ann').inputValue()).toBe('Each line.');
    await row.getByRole('button', { name: 'Answer' }).click();
    await gone(row);
    await page.goto(stage.url);
    await page.getByText('Nothing needs you.').waitFor();
    expect(await stage.client.heartbeat(task.task_id, token)).toMatchObject({
      answers: [{ answer: 'Each line.' }],
    });
    await stage.client.complete(task.task_id, token);
  });

  test('an approved change is closed', async () => {
    const review = await stage.take('ben', ['review']);
    await stage.client.complete(review.task_id, {
      lease_token: review.lease.token,
      verdict: 'approve',
    });
    const row = rowOf(page, 'Approved, not closed');
    await row.getByText('Approved by ben').waitFor();
    await row.getByRole('button', { name: 'Close issue…' }).click();
    await confirm(page, 'Close issue');
    await gone(row);
    await page.getByText('Nothing needs you.').waitFor();
  });

  test('a dead task is requeued', async () => {
    await stage.repository.write(2, { title: 'Stack coupons', labels: ['go'] });
    await stage.known(2);
    const task = await stage.take('cleo', ['go']);
    await stage.client.fail(task.task_id, {
      lease_token: task.lease.token,
      reason: 'discount applied twice',
      retryable: false,
    });
    const row = rowOf(page, 'Stack coupons');
    await row.getByText('discount applied twice').waitFor();
    await row.getByRole('button', { name: 'Requeue…' }).click();
    await confirm(page, 'Requeue');
    await gone(row);
    expect((await stage.client.task(task.task_id)).state).toBe('ready');
    const again = await stage.take('cleo', ['go']);
    await stage.client.complete(again.task_id, { lease_token: again.lease.token });
  });

  test('reviews that go round in circles ask for a person', async () => {
    const review = await stage.take('ben', ['review']);
    await stage.client.complete(review.task_id, {
      lease_token: review.lease.token,
      verdict: 'request_changes',
      comments: ['not like this'],
    });
    const row = rowOf(page, 'Stack coupons');
    await row.getByText('Reviews kept asking for changes').waitFor();
    await row.getByRole('button', { name: 'Requeue…' }).click();
    await confirm(page, 'Requeue');
    await gone(row);
    const fix = await stage.take('cleo', ['go']);
    expect(fix.kind).toBe('fix');
  });

  test('a label that asks for a person is taken off', async () => {
    await stage.repository.write(3, { title: 'Move the shop', labels: ['ops', 'needs-human'] });
    const row = rowOf(page, 'Move the shop');
    await row.getByText('Labelled needs-human').waitFor();
    await row.getByRole('button', { name: 'Remove label…' }).click();
    await confirm(page, 'Remove label');
    await gone(row);
    await expect.poll(() => stage.repository.labels(3)).toEqual(['ops']);
    await stage.take('olga', ['ops']);
  });

  test('a budget that is used up is raised', async () => {
    await stage.repository.write(4, { title: 'Export the journal', labels: ['csv'] });
    await stage.known(4);
    const task = await stage.take('dora', ['csv']);
    const token = { lease_token: task.lease.token };
    const usage = { model: 'large', cost_usd: 6.02 };
    expect(await stage.client.heartbeat(task.task_id, { ...token, usage })).toMatchObject({
      stop: { reason: 'budget' },
    });
    await stage.client.fail(task.task_id, { ...token, reason: 'stopped' });
    const row = rowOf(page, 'Export the journal');
    await row.getByText('$6.02 used, which is its limit').waitFor();
    await page.locator('.fig').filter({ hasText: '$6.02' }).waitFor();
    await row.getByRole('button', { name: 'Raise budget…' }).click();
    await page.getByLabel('Limit of this task in dollars').fill('20');
    await confirm(page, 'Raise budget');
    await gone(row);
    expect((await stage.client.task(task.task_id)).limits).toMatchObject({ cost_usd: 20 });
  });

  test('ledger writes that fail are tried again', async () => {
    // As a git that was killed leaves it behind.
    const lock = join(stage.repository.repoDir, '.git/refs/heads/feature/issue-5.lock');
    await mkdir(dirname(lock), { recursive: true });
    await writeFile(lock, '');
    await stage.repository.write(5, { title: 'Locked', labels: ['lock'] });
    await stage.known(5);
    const asked = stage.take('emil', ['lock']);
    const row = rowOf(page, 'Labels not written');
    await row.getByText(/writes? failed and (is|are) tried again: .*issue-5/).waitFor();
    await asked;
    await rm(lock);
    await row.getByRole('button', { name: 'Try now' }).click();
    await gone(row);
  });

  test('a task whose branch the forge refused is requeued once that is put right', async () => {
    const inTheWay = (...args: string[]) =>
      gitAt(stage.repository.repoDir, 'branch', ...args, 'feature/issue-7/own');
    inTheWay();
    await stage.repository.write(7, { title: 'Label the shelves', labels: ['shelf'] });
    const id = await stage.known(7);
    const asks = { agent_id: 'hal', capabilities: ['shelf'] };
    expect(await stage.client.requestTask(asks)).toBeNull();
    const row = rowOf(page, 'Label the shelves');
    await row.getByText('Held: Refused by the forge').waitFor();
    await row.getByText('The forge refused to write the branch or the labels').waitFor();
    inTheWay('-D');
    await row.getByRole('button', { name: 'Requeue…' }).click();
    await confirm(page, 'Requeue');
    await gone(row);
    expect((await stage.take('hal', ['shelf'])).task_id).toBe(id);
  });

  test('an agent that stopped is started again', async () => {
    await stage.repository.write(6, { title: 'Left alone', labels: ['alone'] });
    await stage.known(6);
    const asks = { agent_id: 'fay', capabilities: ['alone'] };
    await stage.client.requestTask({ ...asks, lease_seconds: 10, wait_seconds: 5 });
    const row = rowOf(page, 'fay');
    await row.getByText('Agent stopped').waitFor();
    await row.getByText('its lease ran out and was requeued').waitFor();
    await row.getByRole('button', { name: 'Show command' }).click();
    await page
      .locator('dialog')
      .getByText('banto work --agent fay --cap alone --preset claude --url http://')
      .waitFor();
    await page.keyboard.press('Escape');
    await stage.client.requestTask({ ...asks, wait_seconds: 5 });
    await gone(row);
  });
});
