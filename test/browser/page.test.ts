// The live page in a real browser: what it must never do, and what it must always do.

import axeCore from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openBrowser, openPage } from '../support/browser.ts';
import { openDoor } from '../support/http-door.ts';
import { openPageStage, type PageStage } from '../support/page-stage.ts';

// A browser takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const HOSTILE = '<img src=x onerror=globalThis.hacked=1><script>globalThis.hacked=1</script>';
const HOSTILE_BODY = `${HOSTILE}
<style>body{display:none}</style><iframe src="https://example.invalid"></iframe>
[click](javascript:globalThis.hacked=1) ![pixel](https://example.invalid/pixel.png)
<a href="https://example.invalid" style="position:fixed;inset:0">x</a>

## Deliverables

- <b onclick="globalThis.hacked=1">bold</b> and **strong** and [a link](https://example.invalid/page)
`;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each(['sqlite', 'redis'] as const)('the page on %s', (store) => {
  let stage: PageStage;
  let hostileTask: string;
  beforeAll(async () => {
    stage = await openPageStage(store, { reviewDelaySeconds: 0, leaseSeconds: 600 });
    const { repository, client } = stage;
    await repository.write(1, { title: 'Fix the login', labels: ['python'], priority: 'high' });
    await repository.write(2, {
      title: 'Dark mode',
      labels: ['css', 'frontend', 'long-label-'.padEnd(50, 'x')],
    });
    await repository.write(3, {
      title: HOSTILE,
      labels: ['go', HOSTILE.slice(0, 40)],
      body: HOSTILE_BODY,
    });
    await repository.write(4, { title: 'Make it nicer', labels: ['css'], body: 'Somehow.' });
    await repository.write(5, { title: 'Wait for it', labels: ['css'], blockedBy: [1] });
    await repository.write(6, { title: 'Sort accounts', labels: ['ops'] });
    await stage.known(6);
    // One of everything: done and approved, failed, dead, running with a note.
    const first = await stage.take('ann');
    await client.complete(first.task_id, { lease_token: first.lease.token, summary: HOSTILE });
    const review = await stage.take('ben', ['review']);
    await client.complete(review.task_id, { lease_token: review.lease.token, verdict: 'approve' });
    const dies = await stage.take('cleo', ['ops']);
    await client.fail(dies.task_id, {
      lease_token: dies.lease.token,
      reason: HOSTILE,
      retryable: false,
    });
    const runs = await stage.take('dora', ['go']);
    await client.heartbeat(runs.task_id, { lease_token: runs.lease.token, progress: HOSTILE });
    hostileTask = runs.task_id;
  });
  afterAll(() => stage.close());

  const views = (): Readonly<Record<string, string>> => ({
    overview: '/',
    board: '/board?show=dead,cancelled',
    timeline: '/timeline?zoom=15m',
    agents: '/agents',
    flow: '/flow?range=hour',
    task: `/tasks/${hostileTask}`,
  });

  /** The view is there when its heading and its figures are. */
  async function show(page: Page, name: string): Promise<void> {
    await page.goto(stage.url + (views()[name] ?? ''));
    await page.locator('.live:not(.not)').waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const parts: Readonly<Record<string, string>> = {
      board: '.card:visible',
      timeline: '.tl-svg a',
      agents: 'tbody tr',
      flow: '.plot canvas',
      task: 'table.why tbody tr',
    };
    const part = parts[name];
    if (part !== undefined) await page.locator(part).first().waitFor();
  }

  test('hostile titles, bodies, labels and notes are text and do nothing', async () => {
    const { page, wrong } = await openPage(browser, stage.url);
    for (const name of Object.keys(views())) {
      await show(page, name);
      expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
      expect(await page.locator('main img, main script, main iframe, main style').count()).toBe(0);
      expect(await page.locator('main [onclick], main [style*="fixed"]').count()).toBe(0);
    }
    // On the task: Markdown is Markdown, tags are text, and links go out carefully.
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor();
    const prose = page.locator('.prose').first();
    expect(await prose.locator('strong').innerText()).toBe('strong');
    expect(await prose.innerText()).toContain('<b onclick="globalThis.hacked=1">bold</b>');
    const links = await prose
      .locator('a')
      .evaluateAll((all) => all.map((a) => [a.getAttribute('href'), a.getAttribute('rel')]));
    expect(links).toContainEqual(['https://example.invalid/page', 'noreferrer noopener nofollow']);
    expect(links.every(([href]) => href === null || href.startsWith('https://'))).toBe(true);
    // Nothing was loaded from elsewhere, no rule of the page was broken, nothing was thrown.
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('what is seen on the timeline is read again now and then, too', async () => {
    const { page, wrong } = await openPage(browser, stage.url);
    await page.clock.install();
    await show(page, 'timeline');
    const again = page.waitForRequest(/\/cards\?task_ids=/);
    await page.clock.runFor(11_000);
    await again;
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('a card opens wherever it is clicked', async () => {
    const { page } = await openPage(browser, stage.url);
    await show(page, 'board');
    await page
      .locator('.card:visible')
      .first()
      .click({ position: { x: 6, y: 6 } });
    await page.getByRole('heading', { level: 2, name: 'Why' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/tasks\//);
    await page.close();
  });

  test('nothing is wider than its card, and text that turns its direction turns nothing else', async () => {
    const { page } = await openPage(browser, stage.url);
    await show(page, 'board');
    const wide = await page
      .locator('.card:visible')
      .evaluateAll((all) => all.filter((card) => card.scrollWidth > card.clientWidth).length);
    expect(wide).toBe(0);
    await show(page, 'overview');
    const bidi = "getComputedStyle(document.querySelector('.need a.ref')).unicodeBidi";
    expect(await page.evaluate(bidi)).toBe('isolate');
    await page.close();
  });

  test('the rules of the page would stop what slips through', async () => {
    const { page, wrong } = await openPage(browser, stage.url);
    await page.goto(stage.url);
    await page.evaluate(`(() => {
    try { document.querySelector('main').innerHTML = '<b>text</b>'; } catch {}
    const style = document.createElement('style');
    style.textContent = 'body { color: red }';
    document.head.append(style);
  })()`);
    await expect.poll(() => wrong.join('\n')).toMatch(/policy: require-trusted-types-for/);
    await expect.poll(() => wrong.join('\n')).toMatch(/policy: style-src/);
    await page.close();
  });

  interface AxeResult {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly {
      readonly target: readonly string[];
      readonly failureSummary: string;
    }[];
  }

  /** In the dark only the colours differ. */
  async function axe(page: Page, colorScheme: 'light' | 'dark'): Promise<string[]> {
    const only = colorScheme === 'dark' ? `runOnly: ['color-contrast'],` : '';
    const found = (await page.evaluate(
      `axe.run(document, { ${only} resultTypes: ['violations'] }).then((done) => done.violations)`,
    )) as AxeResult[];
    return found
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
      );
  }

  test.each(['light', 'dark'] as const)(
    'axe finds nothing serious on any view, in a dialog or at phone width: %s',
    async (colorScheme) => {
      const { page } = await openPage(browser, stage.url, { colorScheme, bypassCSP: true });
      await page.addInitScript(axeCore.source);
      for (const name of Object.keys(views())) {
        await show(page, name);
        expect(await axe(page, colorScheme), name).toEqual([]);
      }
      await page.getByRole('button', { name: 'Cancel task…' }).click();
      expect(await axe(page, colorScheme), 'dialog').toEqual([]);
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      expect(await axe(page, colorScheme), 'keyboard help').toEqual([]);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 390, height: 844 });
      for (const name of ['overview', 'board', 'task']) {
        await show(page, name);
        expect(await axe(page, colorScheme), `${name} on a phone`).toEqual([]);
      }
      await page.close();
    },
  );

  test('at phone width nothing sticks out, tabs are at the bottom, one column is shown', async () => {
    const { page, wrong } = await openPage(browser, stage.url, {
      viewport: { width: 390, height: 844 },
    });
    for (const name of Object.keys(views())) {
      await show(page, name);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, name).toBeLessThanOrEqual(390);
      const bar = await page.locator('.tabbar').boundingBox();
      expect(Math.round((bar?.y ?? 0) + (bar?.height ?? 0)), name).toBe(844);
    }
    await page.locator('.tabbar').getByRole('link', { name: 'Board' }).click();
    await page.locator('.colpick').getByRole('button', { name: /Dead/ }).click();
    await page.getByRole('link', { name: 'Sort accounts' }).waitFor();
    expect(await page.locator('.col:visible').count()).toBe(1);
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('it speaks Japanese to those who do, and remembers another choice', async () => {
    const { page, wrong } = await openPage(browser, stage.url, { locale: 'ja-JP' });
    await show(page, 'overview');
    expect(await page.locator('html').getAttribute('lang')).toBe('ja');
    await page.getByRole('heading', { name: '対応が必要' }).waitFor();
    await page.getByText('保留：成果物の節がありません').waitFor();
    expect(await page.locator('.tabs').innerText()).toMatch(
      /概要.*ボード.*タイムライン.*エージェント.*流れ/s,
    );
    await page.getByRole('button', { name: 'テーマ、言語、トークン' }).click();
    await page.getByRole('button', { name: 'English' }).click();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('times are those of the reader, exact on hover', async () => {
    const { page } = await openPage(browser, stage.url, { timezoneId: 'Asia/Kathmandu' });
    await show(page, 'task');
    const time = page.locator('.hist time').first();
    const instant = new Date((await time.getAttribute('datetime')) ?? '');
    const local = new Intl.DateTimeFormat('en', {
      timeZone: 'Asia/Kathmandu',
      hourCycle: 'h23',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    expect(await time.innerText()).toBe(local.format(instant));
    expect(await time.getAttribute('title')).toMatch(/\d{4}.*GMT\+5:45/);
    await page.close();
  });

  test('the keyboard is enough: views, cursor, task, help, theme', async () => {
    const { page, wrong } = await openPage(browser, stage.url, { colorScheme: 'light' });
    await show(page, 'overview');
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
    await page.keyboard.press('j');
    const first = await page.locator('.card.sel').getAttribute('data-key');
    await page.keyboard.press('l');
    await expect.poll(() => page.locator('.card.sel').getAttribute('data-key')).not.toBe(first);
    const second = await page.locator('.card.sel').getAttribute('data-key');
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/tasks/${second}`);
    await page.locator('table.why tbody tr').first().waitFor();
    await page.keyboard.press('p');
    await page.getByRole('dialog', { name: /^Priority of/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('#2');
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+T');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('one agent is paused alone, and a new issue is added', async () => {
    const { page, wrong } = await openPage(browser, stage.url);
    await show(page, 'agents');
    const row = page.getByRole('row').filter({ hasText: 'dora' });
    await row.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause hand-out' }).click();
    await page.getByText('Hand-out is paused for dora.').waitFor();
    expect(await stage.client.flags()).toMatchObject({ 'maintenance:dora': true });
    await row.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Hand-out is paused for dora.').waitFor({ state: 'detached' });

    await page.getByRole('link', { name: 'Board' }).first().click();
    await page.getByRole('button', { name: 'Add an issue' }).click();
    await page.getByLabel('Title').fill('A new one');
    await page.getByLabel('Text').fill('## Deliverables\n\n- it');
    await page.getByLabel('Labels, with commas').fill('docs, later');
    await page.getByRole('button', { name: 'Add issue' }).click();
    await page.getByText('The issue was added').waitFor();
    const card = page.locator('.card').filter({ hasText: 'A new one' });
    await card.getByText('later').waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  test('what a server does not offer has no button', async () => {
    const { page } = await openPage(browser, stage.url);
    await page.route('**/api/v1/session', async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as Record<string, unknown>;
      await route.fulfill({ response, json: { ...answer, features: [] } });
    });
    await page.goto(`${stage.url}/board`);
    await page.locator('.card').first().waitFor();
    expect(await page.getByRole('button', { name: 'Add an issue' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Agents' }).first().click();
    await page.locator('tbody tr').first().waitFor();
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(0);
    await page.close();
  });

  test('what GitHub’s limit has left is a line over the time that this server saw it', async () => {
    const { page, wrong } = await openPage(browser, stage.url);
    const now = Date.now();
    const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString();
    const left = [5000, 4600, 4100, 3900];
    const more: Readonly<Record<string, object>> = {
      queue: {
        forge_budget: { limit: 5000, remaining: 3900, reset_at: at(-20), blocked_until: null },
      },
      flow: {
        budget: left.map((remaining, index) => ({
          at: at(30 - 10 * index),
          limit: 5000,
          remaining,
        })),
      },
    };
    await page.route(/\/api\/v1\/(queue|flow)/, async (route) => {
      const response = await route.fetch();
      const name = new URL(route.request().url()).pathname.split('/').at(-1) ?? '';
      const answer = (await response.json()) as object;
      await route.fulfill({ response, json: { ...answer, ...more[name] } });
    });
    await show(page, 'flow');
    const panel = page.locator('.panel').filter({ hasText: 'GitHub budget' });
    await panel.getByText('3,900').waitFor();
    const name = 'GitHub budget over time: at least 3,900 of 5,000 left';
    const line = panel.getByRole('img', { name });
    await line.locator('canvas').waitFor();
    expect((await line.boundingBox())?.height).toBe(120);
    // With its day where that was yesterday.
    await panel.getByText(/^As this server saw it since .*\d:\d\d/).waitFor();
    expect(wrong).toEqual([]);
    await page.close();
  });

  describe('with tokens', () => {
    test('one is asked for once and kept for the tab; one that may only read cannot act', async () => {
      const open = await openDoor({ tokensRequired: true });
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(open.url);
      const field = page.getByLabel('Token', { exact: true });
      await field.fill('wrong-token');
      await page.getByRole('button', { name: 'Use token' }).click();
      await page.getByText('That token is not valid.').waitFor();
      await field.fill('read-token');
      await page.getByRole('button', { name: 'Use token' }).click();
      await page.getByText('Read only').waitFor();
      expect(await page.getByRole('button', { name: 'Pause hand-out' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Board' }).first().click();
      await page.locator('.card .title').first().click();
      await page.locator('table.why tbody tr').first().waitFor();
      expect(await page.getByRole('button', { name: /Cancel task|Release|Requeue/ }).count()).toBe(
        0,
      );
      await page.keyboard.press('x');
      expect(await page.locator('dialog').count()).toBe(0);
      expect(open.broker.calls.map(([verb]) => verb)).not.toContain('cancel');

      // Kept for this tab, over a reload, and nowhere else.
      await page.reload();
      await page.getByText('Read only').waitFor();
      expect(await context.cookies()).toEqual([]);
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('token');
      const other = await context.newPage();
      await other.goto(open.url);
      await other.getByLabel('Token', { exact: true }).fill('operator-token');
      await other.getByRole('button', { name: 'Use token' }).click();
      await other.getByRole('button', { name: 'Pause hand-out' }).waitFor();
      await context.close();
      await open.door.close();
    });
  });

  test('after the server was away the page goes on by itself, and says so meanwhile', async () => {
    const { page } = await openPage(browser, stage.url);
    await show(page, 'board');
    await page.evaluate('globalThis.notReloaded = true');
    await stage.halt();
    await page.getByText('Not live.').waitFor();
    await page.locator('.live.not').waitFor();
    await stage.resume();
    await stage.repository.write(20, { title: 'Came while it was away', labels: ['go'] });
    await page.getByText('Came while it was away').waitFor();
    await page.locator('.live:not(.not)').waitFor();
    expect(await page.getByText('Not live.').count()).toBe(0);
    expect(await page.evaluate('globalThis.notReloaded')).toBe(true);
    await page.close();
  });
});
