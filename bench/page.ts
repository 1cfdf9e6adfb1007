// The live page with five thousand tasks: the answer behind the board, and how soon a person sees it.

import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import type { Bench } from './measure.ts';

const TASKS = 5000;
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];

async function startServer(): Promise<{ url: string; close(): void }> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'http-server.ts'));
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  child.send({ mirror: Array.from({ length: TASKS }, (_, index) => index + 1) });
  await once(child, 'message');
  return { url, close: () => child.disconnect() };
}

function openBrowser(): Promise<Browser> {
  const found = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  return chromium.launch({ executablePath: found.trim(), args: FLAGS });
}

/** From entering the address to the first thing that is worth seeing, in a fresh tab without a cache. */
async function firstView(browser: Browser, address: string, part: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(`new MutationObserver(() => {
    if (!globalThis.seenAt && document.querySelector('${part}')) globalThis.seenAt = performance.now();
  }).observe(document, { subtree: true, childList: true })`);
  await page.goto(address);
  await page.locator(part).first().waitFor();
  const ms = (await page.evaluate('globalThis.seenAt')) as number;
  // The page reads on after its first view: the next run must not wait for that.
  await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => undefined);
  await context.close();
  return ms;
}

async function readCards(url: string, pages: number): Promise<void> {
  let cursor: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const query: string = cursor === null ? '' : `?cursor=${cursor}`;
    const answer = await fetch(`${url}/api/v1/cards${query}`);
    ({ next_cursor: cursor } = (await answer.json()) as { next_cursor: string | null });
    if (cursor === null) return;
  }
}

async function timed(call: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await call();
  return performance.now() - startedAt;
}

export const pageBench: Bench = {
  name: 'page',
  about: `the live page with ${TASKS} ready tasks, SQLite`,
  async run(report) {
    const server = await startServer();
    const browser = await openBrowser();
    try {
      // The first to ask builds the page.
      await (await fetch(server.url)).text();
      await report.measure(
        [
          {
            name: 'GET /cards, the first page',
            unit: 'ms',
            run: () => timed(() => readCards(server.url, 1)),
          },
          {
            name: 'GET /cards, all pages',
            unit: 'ms',
            run: () => timed(() => readCards(server.url, Number.POSITIVE_INFINITY)),
          },
          {
            name: 'first view: overview',
            unit: 'ms',
            goal: { most: 1000 },
            run: () => firstView(browser, server.url, '.fig dd'),
          },
          {
            name: 'first view: board',
            unit: 'ms',
            goal: { most: 1000 },
            run: () => firstView(browser, `${server.url}/board`, '.card'),
          },
        ],
        { repetitions: 7, warmUps: 2 },
      );
    } finally {
      await browser.close();
      server.close();
    }
  },
};
