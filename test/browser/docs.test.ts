// The page that shows the API, in a real browser against the real server.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Served, serve } from '../../src/serve.ts';
import { createTelemetry } from '../../src/telemetry/telemetry.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { configFor } from '../support/serve-config.ts';

// A browser takes its time on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let repository: BacklogRepository;
let served: Served;
let browser: Browser;
beforeAll(async () => {
  repository = await makeBacklogRepository();
  served = await serve(configFor(repository), createTelemetry({ level: 'silent' }));
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await served.stop();
  await repository.remove();
});

async function describedCalls(): Promise<string[]> {
  const answer = await fetch(`${served.url}/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}

test('every call is shown, and nothing on the page breaks its own rules', async () => {
  const { page, wrong } = await openPage(browser, served.url);
  await page.goto(`${served.url}/docs`);
  await page.locator('.opblock-summary').first().waitFor();
  const shown = await page
    .locator('.opblock-summary')
    .evaluateAll((rows) =>
      rows.map((row) =>
        ['.opblock-summary-method', '.opblock-summary-path']
          .map((part) => (row.querySelector(part)?.textContent ?? '').replaceAll('\u200b', ''))
          .join(' '),
      ),
    );
  const described = await describedCalls();
  expect(described.length).toBeGreaterThan(20);
  expect(shown.sort()).toEqual(described.sort());
  expect(await page.title()).toBe('Banto API');
  expect(wrong).toEqual([]);
  await page.close();
});

test('a call can be tried out on the page', async () => {
  const { page, wrong } = await openPage(browser, served.url);
  await page.goto(`${served.url}/docs`);
  const queue = page.locator('.opblock', {
    has: page.locator('[data-path="/api/v1/queue"]'),
  });
  await queue.locator('.opblock-summary').click();
  await queue.getByRole('button', { name: 'Try it out' }).click();
  await queue.getByRole('button', { name: 'Execute' }).click();
  const answer = queue.locator('.live-responses-table');
  await answer.waitFor();
  expect(await answer.locator('.response-col_status').last().innerText()).toContain('200');
  expect(await answer.innerText()).toContain('oldest_ready_at');
  expect(wrong).toEqual([]);
  await page.close();
});

test('what the page must not do would be seen', async () => {
  const { page, wrong } = await openPage(browser, served.url);
  await page.goto(`${served.url}/docs`);
  await page.evaluate(`(() => {
    const script = document.createElement('script');
    script.src = 'http://127.0.0.2:9/x.js';
    document.head.append(script);
  })()`);
  await expect.poll(() => wrong.join('\n')).toMatch(/policy: script-src/);
  await page.close();
});
