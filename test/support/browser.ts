// A real browser, started by the test that needs it, and a page that remembers everything that went wrong.

import { execFileSync } from 'node:child_process';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The machine's own chromium; scripts/setup-machine.ts sees to it that there is one. */
export function openBrowser(): Promise<Browser> {
  const found = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' });
  return chromium.launch({ executablePath: found.trim(), args: FLAGS });
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors on the console or thrown, violations of the content security policy, requests to other hosts. */
  readonly wrong: string[];
}

export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const page = await browser.newPage(options);
  const wrong: string[] = [];
  page.on('console', (message) => {
    const type = message.type();
    if (type === 'error' || type === 'warning') wrong.push(`${type}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    const inside = url.protocol === 'data:' || url.protocol === 'blob:';
    if (!inside && url.origin !== origin) wrong.push(`request to ${url.origin}`);
  });
  page.on('requestfailed', (request) => {
    // A view that is left takes back what it had asked for.
    const isTakenBack = request.failure()?.errorText === 'net::ERR_ABORTED';
    if (!isTakenBack) wrong.push(`failed: ${request.url()}`);
  });
  await page.exposeFunction('tellViolation', (text: string) => wrong.push(`policy: ${text}`));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    tellViolation(event.violatedDirective + ' ' + event.blockedURI))`);
  return { page, wrong };
}
