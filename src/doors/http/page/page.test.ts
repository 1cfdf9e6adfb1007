// How the page is served: what its answers carry, and what the calls behind it answer.

import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type OpenDoor, openDoor, sendRaw } from '../../../../test/support/http-door.ts';
import { AT, leasedFact, TASK_ID } from '../../../../test/support/scripted-broker.ts';
import { PAGE_CSP } from './page.ts';

// The first to ask builds the page.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let open: OpenDoor;
let html: string;
beforeAll(async () => {
  open = await openDoor();
  html = await (await fetch(open.url)).text();
});
afterAll(() => open.door.close());

const assets = () =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);

test.each(['/', '/board?label=css', '/timeline', '/agents', '/flow', `/tasks/${TASK_ID}`])(
  '%s is the page, under the strictest rules',
  async (path) => {
    const answer = await fetch(open.url + path);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(html);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': PAGE_CSP,
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
    expect(answer.headers.has('set-cookie')).toBe(false);
  },
);

test('the rules allow nothing inline, nothing from elsewhere and no markup from text', () => {
  expect(PAGE_CSP).not.toMatch(/unsafe|https?:|data:|\*/);
  expect(PAGE_CSP).toContain("require-trusted-types-for 'script'");
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
});

test('its files are kept for ever, since their names change with their content', async () => {
  expect(assets().length).toBeGreaterThanOrEqual(3);
  for (const path of assets()) {
    expect(path).toMatch(/-[\w-]{8}\.(js|css|svg)$/);
    const answer = await fetch(open.url + path);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(answer.headers.get('content-type')).toMatch(/^(text\/(javascript|css)|image\/svg)/);
  }
});

test('who takes gzip gets gzip, who does not gets the same plainly', async () => {
  const path = assets().find((name) => name.endsWith('.js')) ?? '';
  const plain = Buffer.from(
    await (
      await fetch(open.url + path, { headers: { 'accept-encoding': 'identity' } })
    ).arrayBuffer(),
  );
  const raw = await sendRaw(
    open.port,
    `GET ${path} HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n`,
  );
  expect(raw).toContain('content-encoding: gzip');
  expect(plain.length).toBeGreaterThan(10_000);
  expect(gunzipSync(Buffer.from(await fetched(path))).equals(plain)).toBe(true);
});

/** The bytes as they were sent: fetch would unpack them. */
async function fetched(path: string): Promise<Uint8Array> {
  const { get } = await import('node:http');
  return new Promise((resolve, reject) => {
    get(open.url + path, { headers: { 'accept-encoding': 'gzip' } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks)));
    }).on('error', reject);
  });
}

test('the whole page is less than 120 kB, compressed', async () => {
  const { createPageFiles } = await import('./page-files.ts');
  const files = [...(await createPageFiles()()).values()];
  const bytes = files.reduce((sum, { gzipped }) => sum + gzipped.length, 0);
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThan(120_000);
});

test.each(['/assets/none.js', '/assets/..%2f..%2fpackage.json', '/nowhere'])(
  '%s is not there, and the answer is in the form of all errors',
  async (path) => {
    const answer = await fetch(open.url + path);
    expect([400, 404]).toContain(answer.status);
    expect(await answer.json()).toHaveProperty('code');
  },
);

test('cards are told in few words, without the secrets of a lease', async () => {
  open.broker.happen([leasedFact(1)]);
  const text = await (await fetch(`${open.url}/api/v1/cards?task_ids=${TASK_ID}`)).text();
  expect(JSON.parse(text)).toMatchObject({
    seq: 1,
    next_cursor: null,
    cards: [{ task_id: TASK_ID, issue_id: 7, state: 'leased', lease: { agent_id: 'agent-1' } }],
  });
  expect(text).not.toContain('secret');
});

test('a range of leases and the flow are asked for by instants; nonsense is refused', async () => {
  const since = new Date(AT - 1000).toISOString();
  const until = new Date(AT + 1000).toISOString();
  const leases = await fetch(`${open.url}/api/v1/leases?since=${since}&until=${until}`);
  expect(await leases.json()).toMatchObject({
    leases: [{ task_id: TASK_ID, agent_id: 'agent-1', outcome: null }],
    truncated: false,
  });
  for (const path of ['leases?since=yesterday', 'flow?step_seconds=1', 'flow?since=never']) {
    expect((await fetch(`${open.url}/api/v1/${path}`)).status, path).toBe(400);
  }
  const week = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const fine = await fetch(`${open.url}/api/v1/flow?since=${week}&step_seconds=60`);
  expect(fine.status).toBe(400);
  expect(await fine.json()).toMatchObject({ code: 'invalid_request' });
});

test('a page asks who it speaks for and what it may offer', async () => {
  const session = async (door: OpenDoor, token?: string) =>
    (await (
      await fetch(`${door.url}/api/v1/session`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      })
    ).json()) as { scope: string; agent_id: string | null; features: string[] };
  expect(await session(open)).toMatchObject({ scope: 'operator', agent_id: null });
  expect((await session(open)).features).toEqual(expect.arrayContaining(['issues', 'requeue']));
  // Issues that are kept elsewhere are edited there.
  open.broker.script('hasBacklog', () => false);
  expect((await session(open)).features).not.toContain('issues');
  expect((await session(open)).features).toContain('requeue');
  const guarded = await openDoor({ tokensRequired: true });
  expect(await session(guarded, 'agent-1-token')).toMatchObject({
    scope: 'agent',
    agent_id: 'agent-1',
  });
  expect((await fetch(`${guarded.url}/api/v1/session`)).status).toBe(401);
  await guarded.door.close();
});
