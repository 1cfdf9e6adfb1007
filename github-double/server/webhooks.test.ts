import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../double.ts';
import { sign } from './webhooks.ts';

const REPO = 'acme/shop';
interface Received {
  readonly event: string;
  readonly id: string;
  readonly signed: boolean;
  readonly payload: { readonly action?: string; readonly issue?: { readonly number: number } };
}

let github: GithubDouble;
let receiver: Server;
let received: Received[];

beforeEach(async () => {
  received = [];
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      received.push({
        event: String(request.headers['x-github-event']),
        id: String(request.headers['x-github-delivery']),
        signed: request.headers['x-hub-signature-256'] === sign('secret', body),
        payload: JSON.parse(body.toString()) as Received['payload'],
      });
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  github = await startGithubDouble({ repositories: [REPO], webhook: { url, secret: 'secret' } });
});
afterEach(async () => {
  await github.close();
  receiver.closeAllConnections();
  await new Promise<void>((resolve) => void receiver.close(() => resolve()));
});

const heard = () => received.map(({ event, payload }) => `${event}.${payload.action ?? ''}`);

test('a signature is the one of the example in the documentation of GitHub', () => {
  expect(sign("It's a Secret to Everybody", 'Hello, World!')).toBe(
    'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  );
});

test('every change is delivered, signed, in order', async () => {
  const alice = github.as('alice');
  alice.openIssue(REPO, { title: 'one', labels: ['bug'] });
  alice.close(REPO, 1);
  github.ping(REPO);
  github.installation('created');
  await github.webhooks.delivered();
  expect(heard()).toEqual([
    'label.created',
    'issues.opened',
    'issues.labeled',
    'issues.closed',
    'ping.',
    'installation.created',
  ]);
  expect(received.every((delivery) => delivery.signed)).toBe(true);
  expect(new Set(received.map((delivery) => delivery.id)).size).toBe(6);
  expect(github.webhooks.all.flatMap((delivery) => delivery.answers).join()).toBe(
    '202,202,202,202,202,202',
  );
});

test('deliveries are held and let go in any order, some twice under the same id', async () => {
  github.webhooks.hold();
  for (const title of ['one', 'two', 'three']) github.as('alice').openIssue(REPO, { title });
  await github.webhooks.delivered();
  expect(received).toEqual([]);
  expect(github.webhooks.held).toHaveLength(3);
  await github.webhooks.release((held) => [...held.toReversed(), ...held.slice(0, 1)]);
  expect(received.map(({ payload }) => payload.issue?.number)).toEqual([3, 2, 1, 1]);
  expect(received[3]?.id).toBe(received[2]?.id);
  github.as('alice').openIssue(REPO, { title: 'four' });
  await github.webhooks.delivered();
  expect(received).toHaveLength(5);
});

test('deliveries can get lost, come twice, and come late', async () => {
  const stop = github.webhooks.drop((delivery) => delivery.action === 'opened');
  github.webhooks.double((delivery) => delivery.action === 'closed');
  github.webhooks.delay(40);
  const before = performance.now();
  github.as('alice').openIssue(REPO, { title: 'one' });
  github.as('alice').close(REPO, 1);
  await github.webhooks.delivered();
  expect(performance.now() - before).toBeGreaterThan(35);
  expect(heard()).toEqual(['issues.closed', 'issues.closed']);
  stop();
  github.as('alice').openIssue(REPO, { title: 'two' });
  await github.webhooks.delivered();
  expect(heard()).toContain('issues.opened');
});

test('a receiver that is not there loses the delivery, and the double goes on', async () => {
  github.webhooks.pointTo({ url: 'http://127.0.0.1:1/', secret: 'secret' });
  github.as('alice').openIssue(REPO, { title: 'one' });
  await github.webhooks.delivered();
  expect(github.webhooks.all[0]?.answers).toEqual(['ECONNREFUSED']);
});

test('a storm arrives to the last delivery, old and new states mixed', async () => {
  for (let count = 0; count < 20; count += 1) {
    const { number } = github.as('alice').openIssue(REPO, { title: `${count}` });
    github.as('bob').label(REPO, number, 'bug');
  }
  await github.webhooks.delivered();
  received.length = 0;
  const answers = await github.webhooks.storm(2000);
  expect(answers).toEqual(new Map([[202, 2000]]));
  expect(new Set(received.map((delivery) => delivery.id)).size).toBe(2000);
  expect(new Set(heard())).toEqual(new Set(['label.created', 'issues.opened', 'issues.labeled']));
});
