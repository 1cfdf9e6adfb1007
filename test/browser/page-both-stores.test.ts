// The live page in a real browser against a running Banto, on both stores: what changes is seen at once, in
// every tab, and what a person does there is done.

import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowser, openPage, type WatchedPage } from '../support/browser.ts';
import { openPageStage, type PageStage } from '../support/page-stage.ts';

// A browser takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const columnOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

describe.each(['sqlite', 'redis'] as const)('the page on %s', (store) => {
  let stage: PageStage;
  /** Two people look at the same Banto. */
  let tabs: readonly [WatchedPage, WatchedPage];
  beforeAll(async () => {
    stage = await openPageStage(store, { reviewDelaySeconds: 3600 });
    await stage.repository.write(1, { title: 'Fix the login', labels: ['python'] });
    await stage.repository.write(2, { title: 'Dark mode', labels: ['css', 'frontend'] });
    await stage.repository.write(3, { title: 'Export as CSV', labels: ['go'] });
    await stage.repository.write(4, { title: 'Make it nicer', labels: ['css'], body: 'Somehow.' });
    await stage.known(4);
    tabs = [await openPage(browser, stage.url), await openPage(browser, stage.url)];
  });
  afterAll(async () => {
    for (const { page } of tabs) await page.close();
    await stage.close();
  });
  afterEach(() => {
    for (const { wrong } of tabs) expect(wrong).toEqual([]);
  });

  test('a task moves across the board without a reload, and two tabs agree', async () => {
    for (const { page } of tabs) {
      await page.goto(`${stage.url}/board`);
      await columnOf(page, 'Ready').getByText('Fix the login').waitFor();
      await page.evaluate('globalThis.notReloaded = true');
    }
    let lists = 0;
    tabs[0].page.on('request', (request) => {
      if (request.url().endsWith('/api/v1/cards')) lists += 1;
    });

    const task = await stage.take('ann');
    for (const { page } of tabs) {
      await columnOf(page, 'Leased').getByText('Fix the login').waitFor();
      await columnOf(page, 'Leased').getByText('ann').waitFor();
      expect(await columnOf(page, 'Ready').getByText('Fix the login').count()).toBe(0);
    }
    await stage.client.complete(task.task_id, { lease_token: task.lease.token, summary: 'done' });
    for (const { page } of tabs) {
      await columnOf(page, 'Done').getByText('Fix the login').waitFor();
      // The review that follows waits its time.
      await columnOf(page, 'Delayed').getByText('Fix the login').waitFor();
      expect(await page.evaluate('globalThis.notReloaded')).toBe(true);
    }
    // Changes are read one by one; the list as a whole was read once, before.
    expect(lists).toBe(0);
  });

  test('a new issue appears, and what needs a person is said with its cause', async () => {
    const [{ page }] = tabs;
    await page.goto(stage.url);
    const needs = page.locator('.needs');
    await needs.getByText('Held: No deliverables section').waitFor();
    await stage.repository.write(5, { title: 'Clean the cache', labels: ['ops'], body: 'Soon.' });
    await needs.getByText('#5 Clean the cache').waitFor();
    expect(await page.locator('.tabs .badge').innerText()).toContain('2');

    // The one button solves it: what is missing is written here, and the task is offered.
    const row = needs.locator('.need').filter({ hasText: 'Clean the cache' });
    await row.getByRole('button', { name: 'Edit issue…' }).click();
    const text = page.getByRole('dialog', { name: 'Edit repo#5' }).getByLabel('Text');
    await text.fill('Soon.\n\n## Deliverables\n\n- an empty cache\n');
    await page.getByRole('button', { name: 'Save issue' }).click();
    await page.getByText('repo#5 was saved').waitFor();
    await row.waitFor({ state: 'detached' });
    const id = await stage.known(5);
    await expect.poll(async () => (await stage.client.task(id)).state).toBe('ready');
    // Who did it is said, here and in the history of the task.
    await page.locator('.fact').getByText('repo#5 was edited by operator').waitFor();
    await page.goto(`${stage.url}/tasks/${id}`);
    await page.locator('.hist').getByText('it was edited by operator').waitFor();
  });

  test('filters are in the address: a link shows the same to somebody else', async () => {
    const [{ page }] = tabs;
    await page.goto(`${stage.url}/board`);
    await columnOf(page, 'Ready').getByText('Dark mode').waitFor();
    await page.getByRole('combobox', { name: 'Label' }).selectOption('css');
    await expect.poll(() => columnOf(page, 'Ready').getByText('Export as CSV').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?label=css');
    await page.getByRole('searchbox').first().fill('dark');
    await expect.poll(() => new URL(page.url()).search).toBe('?label=css&q=dark');

    const [, other] = tabs;
    await other.page.goto(page.url());
    await columnOf(other.page, 'Ready').getByText('Dark mode').waitFor();
    await expect
      .poll(() => other.page.locator('.view-head .dim').innerText())
      .toMatch(/^1 of \d tasks$/);
    // To the task and back: the filter is still there.
    await other.page.getByRole('link', { name: 'Dark mode' }).click();
    await other.page.getByRole('heading', { level: 1, name: 'Dark mode' }).waitFor();
    await other.page.keyboard.press('Escape');
    await expect.poll(() => new URL(other.page.url()).search).toBe('?label=css&q=dark');
  });

  test('an action asks first, says what it did, and is in the history', async () => {
    const [{ page }] = tabs;
    const id = await stage.known(3);
    await page.goto(`${stage.url}/tasks/${id}`);
    const cancel = page.getByRole('button', { name: 'Cancel task…' });
    await cancel.click();
    const dialog = page.getByRole('alertdialog', { name: 'Cancel repo#3?' });
    await dialog.waitFor();
    expect(
      await dialog.getByRole('button', { name: 'Keep task' }).evaluate((b) => b.matches(':focus')),
    ).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect((await stage.client.task(id)).state).toBe('ready');

    await cancel.click();
    await dialog.getByLabel('Reason, for the history').fill('Replaced by #9');
    await dialog.getByRole('button', { name: 'Cancel task' }).click();
    await page.getByRole('status').getByText('repo#3 is cancelled').waitFor();
    expect(await stage.client.task(id)).toMatchObject({
      state: 'cancelled',
      reason: 'Replaced by #9',
    });
    await page.locator('.hist').getByText('it was cancelled by operator').waitFor();
    await page.locator('.task-meta .pill').getByText('Cancelled').waitFor();
    expect(await cancel.isDisabled()).toBe(true);

    // What was refused is said too: somebody else was quicker.
    await page.getByRole('button', { name: 'Requeue…' }).click();
    await page
      .getByRole('dialog', { name: 'Requeue repo#3?' })
      .getByRole('button', { name: 'Requeue' })
      .click();
    await page.locator('.task-meta .pill').getByText('Ready').waitFor();
  });

  test('hand-out is paused and resumed, and every tab knows', async () => {
    const [{ page }] = tabs;
    const [, other] = tabs;
    await page.goto(stage.url);
    await other.page.goto(`${stage.url}/agents`);
    await page.getByRole('button', { name: 'Pause hand-out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause hand-out' }).click();
    await other.page.getByText('Hand-out is paused.').waitFor();
    expect((await stage.client.flags()).maintenance).toBe(true);
    await other.page.locator('.stale').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Hand-out is paused.').waitFor({ state: 'detached' });
    expect((await stage.client.flags()).maintenance).toBe(false);
  });

  test('timeline, agents and flow show what the facts say', async () => {
    const task = await stage.take('ben', ['css']);
    const [{ page }] = tabs;
    await page.goto(`${stage.url}/timeline?zoom=15m`);
    await page.locator('.tl-svg .b-running').waitFor();
    expect(await page.locator('.tl-svg .b-completed').count()).toBe(1);
    await stage.client.fail(task.task_id, { lease_token: task.lease.token, reason: 'no luck' });
    await page.locator('.tl-svg .b-failed').waitFor();
    expect(await page.locator('.tl-svg .b-running').count()).toBe(0);
    await page.getByRole('link', { name: /#2 failed/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Dark mode' }).waitFor();

    await page.goto(`${stage.url}/agents`);
    const row = page.getByRole('row').filter({ hasText: 'ben' });
    await expect.poll(() => row.innerText()).toContain('100 %');

    await page.goto(`${stage.url}/flow?range=hour`);
    const chart = page.getByRole('img', { name: /^Leases:/ });
    await expect
      .poll(() => chart.getAttribute('aria-label'))
      .toBe('Leases: 1 completed, 1 failed, 0 expired, 2 handed out');
  });

  test('the log of a running attempt is read to its end and followed', async () => {
    const task = await stage.take('dora', ['go']);
    const [{ page }] = tabs;
    const append = (offset: number, text: string) =>
      stage.client.appendLog(task.task_id, { lease_token: task.lease.token, offset, text });
    const long = `${'x'.repeat(99)}\n`.repeat(900);
    let { size } = await append(0, long);
    ({ size } = await append(size, 'one test left\n'));
    await page.goto(`${stage.url}/tasks/${task.task_id}`);
    const log = page.locator('.log');
    await log.getByText('one test left').waitFor();
    await append(size, 'all tests pass <b>really</b>\n');
    await log.getByText('all tests pass <b>really</b>').waitFor();
    const end = 'document.querySelector(".log")';
    expect(
      await page.evaluate(`${end}.scrollHeight - ${end}.scrollTop - ${end}.clientHeight`),
    ).toBeLessThan(30);
    await stage.client.release(task.task_id, { lease_token: task.lease.token });
  });
});
