// Makes the pictures of the page for README and docs, light and dark: npm run pictures

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { playAfternoon } from './pictures/afternoon.ts';

const TARGET = join(import.meta.dirname, '..', 'docs', 'images');
const SIZE = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
const FLAGS = ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'];

interface Picture {
  readonly name: string;
  readonly path: string;
  /** The picture is taken when this is there. */
  readonly ready: string;
}

async function taskPath(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/cards`);
  const { cards } = (await answer.json()) as {
    cards: { task_id: string; kind: string; lease: object | null; attempts: number }[];
  };
  const running = cards.filter(({ lease }) => lease !== null);
  const best = running.find(({ attempts }) => attempts > 0) ?? running[0] ?? cards[0];
  return `/tasks/${best?.task_id ?? ''}`;
}

async function take(
  page: Page,
  url: string,
  { path, ready }: Picture,
  file: string,
): Promise<void> {
  await page.goto(url + path);
  await page.locator('.live:not(.not)').waitFor();
  await page.locator(ready).first().waitFor();
  // What has just changed is marked for a moment.
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(TARGET, file) });
}

const banto = await playAfternoon();
const found = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
const browser = await chromium.launch({ executablePath: found.trim(), args: FLAGS });
try {
  mkdirSync(TARGET, { recursive: true });
  const pictures: Picture[] = [
    { name: 'overview', path: '/', ready: '.fact' },
    { name: 'board', path: '/board', ready: '.card:visible' },
    { name: 'timeline', path: '/timeline?zoom=2h', ready: '.tl-svg a' },
    { name: 'task', path: await taskPath(banto.url), ready: 'table.why tbody tr' },
    { name: 'agents', path: '/agents', ready: '.spark' },
    { name: 'flow', path: '/flow?range=day', ready: '.plot canvas' },
  ];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: SIZE, colorScheme, locale: 'en-GB' });
    for (const picture of pictures) {
      await take(page, banto.url, picture, `page-${picture.name}-${colorScheme}.png`);
    }
    await page.setViewportSize(PHONE);
    for (const picture of pictures.slice(0, 2)) {
      await take(page, banto.url, picture, `page-${picture.name}-phone-${colorScheme}.png`);
    }
    await page.close();
  }
} finally {
  await browser.close();
  await banto.stop();
}
