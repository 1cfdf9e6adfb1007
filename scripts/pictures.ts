// Makes the pictures for README and docs from a running Banto: the page, light and dark, what `banto status` prints,
// and the page of the API. npm run pictures

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

/** What a command prints, as a terminal shows it. */
async function takeCommand(page: Page, url: string, args: readonly string[], file: string) {
  const bin = join(import.meta.dirname, '..', 'bin', 'banto.js');
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...args, '--url', url], {
    env: { PATH: process.env.PATH, BROKER_PORT: '9' },
  });
  await page.setContent('<pre></pre>');
  await page.addStyleTag({
    content:
      'body { margin: 0 } pre { display: inline-block; margin: 0; padding: 20px 24px; background: #1d2127; color: #e8e6e1; font: 14px/1.45 "DejaVu Sans Mono", monospace }',
  });
  const terminal = page.locator('pre');
  await terminal.evaluate(
    (element, text) => {
      element.textContent = text;
    },
    `$ banto ${args.join(' ')}\n${stdout}`,
  );
  await terminal.screenshot({ path: join(TARGET, file) });
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
  // `npm run pictures -- text`: only what is not the page.
  const schemes = process.argv.includes('text') ? [] : (['light', 'dark'] as const);
  for (const colorScheme of schemes) {
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
  const page = await browser.newPage({ viewport: SIZE, locale: 'en-GB' });
  await takeCommand(page, banto.url, ['status', '--once'], 'status.png');
  await page.goto(`${banto.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  await page.screenshot({ path: join(TARGET, 'docs.png') });
} finally {
  await browser.close();
  await banto.stop();
}
