// The page of a real server that asks for tokens, on both stores, with a token that may only read: made by the
// real command, asked for once, shown everything, offered nothing, refused everything.

import type { ChildProcess } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { openBrowser, openPage } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedisServer } from '../support/redis-server.ts';
import { runBanto, startBanto } from '../support/run-banto.ts';

// A browser takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 90_000 });

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;
/** What a person who may act would find. */
const ACTS = /…$|^(Answer|Pause|Resume|Pause hand-out|Add an issue|Try now)$/;

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

describe.each(['sqlite', 'redis'] as const)('a token that may only read on %s', (store) => {
  let repository: BacklogRepository;
  let redis: RedisServer | null = null;
  let server: ChildProcess | null = null;
  let url: string;
  let operator: Client;
  let readToken: string;
  let operatorToken: string;
  const ids: Record<'asks' | 'dead' | 'held', string> = { asks: '', dead: '', held: '' };

  beforeAll(async () => {
    repository = await makeBacklogRepository();
    await repository.write(1, { title: 'Round the total', labels: ['python'] });
    await repository.write(2, { title: 'Stack coupons', labels: ['go'] });
    await repository.write(3, { title: 'Make it nicer', labels: ['css'], body: 'Somehow.' });
    redis = store === 'redis' ? await startRedisServer() : null;
    const env = {
      BROKER_PORT: '0',
      LOG_LEVEL: 'silent',
      REQUIRE_TOKENS: 'true',
      BANTO_DATA_DIR: repository.dataDir,
      BANTO_REPO: repository.repoDir,
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    };
    const cwd = repository.repoDir;
    const created = async (more: Readonly<Record<string, string>>, ...args: string[]) => {
      const options = { cwd, env: { ...env, ...more } };
      const ran = await runBanto(['token', 'create', ...args], options);
      expect(ran.code, ran.stderr).toBe(0);
      return ran.stdout.trim();
    };
    // The first one while no server runs, which would refuse to start; nobody listens on port 9.
    operatorToken = await created({ BROKER_PORT: '9' }, '--operator');
    const started = await startBanto(['serve'], ADDRESS, { cwd, env });
    server = started.child;
    url = ADDRESS.exec(started.said)?.[0] ?? '';
    readToken = await created({ BANTO_URL: url, BANTO_TOKEN: operatorToken }, '--scope', 'read');
    operator = createClient({ url, token: operatorToken });

    const { tasks } = await eventually(
      () => operator.tasks({ limit: 10 }),
      (found) => found.tasks.length === 3,
    );
    const known = (number: number) => tasks.find((t) => t.issue_id === number)?.task_id ?? '';
    Object.assign(ids, { asks: known(1), dead: known(2), held: known(3) });
    const take = async (agent_id: string, capability: string) => {
      const body = { agent_id, capabilities: [capability], wait_seconds: 10 };
      return { lease_token: (await operator.requestTask(body))?.lease.token ?? '' };
    };
    const asks = await take('ann', 'python');
    await operator.ask(ids.asks, { ...asks, question: 'Each line, or the total?' });
    const dies = await take('cleo', 'go');
    await operator.fail(ids.dead, { ...dies, reason: 'discount applied twice', retryable: false });
  });
  afterAll(async () => {
    server?.kill('SIGTERM');
    await redis?.stop();
    await repository.remove();
  });

  async function useToken(page: Page, token: string): Promise<void> {
    await page.goto(url);
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Use token' }).click();
    await page.locator('.live:not(.not)').waitFor();
  }

  /** All views, each with what it has to show. */
  async function showAll(page: Page, seen: () => Promise<void>): Promise<void> {
    await page.getByText('Each line, or the total?').first().waitFor();
    await page.getByText('discount applied twice').first().waitFor();
    await page.getByText('Held: No deliverables section').waitFor();
    await seen();
    const views: readonly (readonly [string, string])[] = [
      ['/board?show=dead', '.card'],
      ['/timeline?zoom=15m', '.tl-svg a'],
      ['/agents', 'tbody tr'],
      ['/flow?range=hour', '.plot canvas'],
      [`/tasks/${ids.dead}`, 'table.why tbody tr'],
      [`/tasks/${ids.held}`, 'table.why tbody tr'],
      [`/tasks/${ids.asks}`, 'table.why tbody tr'],
    ];
    for (const [path, part] of views) {
      await page.goto(url + path);
      await page.locator(part).first().waitFor();
      await seen();
    }
  }

  const acts = async (page: Page): Promise<string[]> => {
    const buttons = page.locator('button:visible:enabled, form.reply:visible');
    const names = await buttons.evaluateAll((all) =>
      all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? ''),
    );
    return names.filter((name) => ACTS.test(name.trim()));
  };

  test('is asked for once, shows everything and offers nothing', async () => {
    const { page, wrong } = await openPage(browser, url);
    const changing: string[] = [];
    await useToken(page, readToken);
    page.on('request', (request) => {
      if (request.method() !== 'GET') changing.push(`${request.method()} ${request.url()}`);
    });
    await page.getByText('Read only').waitFor();
    await showAll(page, async () => {
      expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0);
      await page.getByText('Read only').waitFor();
      expect(await acts(page), page.url()).toEqual([]);
      for (const key of ['a', 'x', 'r', 'p', 'u', 'P']) await page.keyboard.press(key);
      expect(await page.locator('dialog').count(), page.url()).toBe(0);
    });
    expect(changing).toEqual([]);
    // Before the token was given the page was refused, and the console says so.
    expect(wrong.filter((text) => !text.includes('401'))).toEqual([]);
    await page.close();
  });

  test('somebody who may act is offered something on the same views', async () => {
    const { page } = await openPage(browser, url);
    await useToken(page, operatorToken);
    const offered: string[] = [];
    await showAll(page, async () => void offered.push(...(await acts(page))));
    expect(offered).toEqual(
      expect.arrayContaining([
        'Answer',
        'Requeue…',
        'Edit issue…',
        'Pause hand-out',
        'Add an issue',
        'Pause',
        'Cancel task…',
        'Priority…',
      ]),
    );
    await page.close();
  });

  test('is refused by the server, whatever the page is made to send', async () => {
    const { page } = await openPage(browser, url);
    await useToken(page, readToken);
    const lastSeq = async () => {
      const headers = { authorization: `Bearer ${operatorToken}` };
      const answer = await fetch(`${url}/api/v1/cards`, { headers });
      return ((await answer.json()) as { seq: number }).seq;
    };
    const before = await lastSeq();
    const { asks, dead } = ids;
    const calls: readonly (readonly [string, string, object])[] = [
      ['POST', `/tasks/${dead}/requeue`, {}],
      ['POST', `/tasks/${dead}/cancel`, {}],
      ['POST', `/tasks/${dead}/priority`, { priority: 'high' }],
      ['POST', `/tasks/${asks}/unlock`, {}],
      ['POST', `/tasks/${asks}/answer`, { answer: 'the total' }],
      ['POST', `/tasks/${dead}/budget`, { cost_usd: 5 }],
      ['PUT', '/flags/maintenance', { value: true }],
      ['PUT', '/config/max_attempts', { value: 9 }],
      ['POST', '/issues', { title: 'Mine' }],
      ['PATCH', '/issues/3', { state: 'closed' }],
      ['POST', '/tokens', { scope: 'operator' }],
      ['POST', '/request-task', { agent_id: 'eve', capabilities: ['*'] }],
    ];
    for (const [method, path, body] of calls) {
      const headers = {
        authorization: `Bearer ${readToken}`,
        'content-type': 'application/json',
      };
      const status = await page.evaluate(
        async ([to, init]) => (await fetch(`/api/v1${to}`, init)).status,
        [path, { method, headers, body: JSON.stringify(body) }] as const,
      );
      expect([path, status]).toEqual([path, 403]);
    }
    expect(await lastSeq()).toBe(before);
    await page.close();
  });
});
