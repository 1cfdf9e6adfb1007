// Nothing secret is printed: every component is started with wrong secrets of every kind, at the most talkative log
// level, and everything that comes out is searched for them.

import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../github-double/double.ts';
import { type RedisServer, startRedisServer } from './support/redis-server.ts';

const BIN = resolve(import.meta.dirname, '../bin/banto.js');
const PASSWORD = 'hush p@ss/"word"';
const TOKEN = 'hush-token-1';

let cwd: string;
let redis: RedisServer;
let github: GithubDouble;
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'banto-secrets-'));
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd });
  execFileSync('git', [...who, 'commit', '-q', '--allow-empty', '-m', 'first'], { cwd });
  execFileSync('mkdir', ['-p', join(cwd, 'backlog')]);
  redis = await startRedisServer();
  await redis.raw.config('SET', 'requirepass', 'right');
  github = await startGithubDouble({ repositories: ['octo/shop'] });
});
afterAll(async () => {
  await redis?.stop();
  await github?.close();
  rmSync(cwd, { recursive: true, force: true });
});

interface Ran {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a command; a server that comes up is asked to stop again after `whileUp`. */
function run(
  command: string,
  env: Record<string, string>,
  whileUp: (url: string) => Promise<void> = async () => undefined,
): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [BIN, ...command.split(' ')], {
      cwd,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        LOG_LEVEL: 'debug',
        BROKER_PORT: '0',
        BANTO_DATA_DIR: join(cwd, 'data'),
        ...env,
      },
    });
    child.stdin.end();
    let said = '';
    let up = false;
    const take = (text: string) => {
      said += text;
      const url = /Banto is at (\S+)/.exec(said)?.[1];
      if (url === undefined || up) return;
      up = true;
      whileUp(url).then(
        () => child.kill('SIGTERM'),
        (error: unknown) => {
          child.kill('SIGKILL');
          fail(error);
        },
      );
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', fail);
    child.on('close', (code) => done({ code, said }));
  });
}

function expectNoSecret(said: string, ...secrets: string[]): void {
  for (const secret of secrets) {
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      expect(said).not.toContain(form);
    }
  }
}

describe('a wrong Redis password', () => {
  const ways: [string, () => Record<string, string>][] = [
    [
      'in the address',
      () => ({ REDIS_URL: `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${redis.port}` }),
    ],
    [
      'in a setting of its own',
      () => ({
        REDIS_HOST: '127.0.0.1',
        REDIS_PORT: String(redis.port),
        REDIS_PASSWORD: 'hush-p@ss/"word"',
      }),
    ],
  ];
  for (const [where, env] of ways) {
    test.each(['serve', 'doctor', 'doctor --json', 'keys list', 'token create --operator'])(
      `${where}: banto %s says that it is refused, and not what it is`,
      async (command) => {
        const { code, said } = await run(command, { ...env(), BROKER_PORT: '9' });
        expect(code).toBe(1);
        expect(said).toContain('Redis refuses the password');
        expect(said).not.toContain('cannot be reached');
        expectNoSecret(said, PASSWORD, 'hush-p@ss/"word"', 'hush');
      },
    );
  }

  test('that is missing is asked for', async () => {
    const { code, said } = await run('serve', { REDIS_URL: `redis://127.0.0.1:${redis.port}` });
    expect([code, said]).toEqual([1, expect.stringContaining('Redis asks for a password')]);
  });

  test('for a server that is not there is not shown either', async () => {
    for (const command of ['serve', 'doctor', 'keys list']) {
      const { said } = await run(command, { REDIS_URL: 'redis://:hush-word@127.0.0.1:9' });
      expect(said).toContain('cannot be reached');
      expectNoSecret(said, 'hush-word');
    }
  });
});

describe('wrong credentials for GitHub', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const broken = `-----BEGIN PRIVATE KEY-----\n${'hushhushhush'.repeat(5)}\n-----END PRIVATE KEY-----`;
  const app = (key: string) => ({
    GITHUB_APP_ID: '1',
    GITHUB_INSTALLATION_ID: '2',
    GITHUB_APP_PRIVATE_KEY: key.replaceAll('\n', '\\n'),
  });
  const line = privateKey.split('\n')[5] ?? '';

  test.each<[string, Record<string, string>, string[]]>([
    ['token', { GITHUB_TOKEN: TOKEN }, [TOKEN]],
    ["App's key", app(privateKey), [line, privateKey]],
    ["App's key that is none", app(broken), ['hushhush']],
  ])('a wrong %s is not shown', async (_, secrets, hidden) => {
    const env = {
      GITHUB_REPOSITORY: 'octo/shop',
      GITHUB_API_URL: github.url,
      GITHUB_WEBHOOK_SECRET: 'hush-webhook',
      ...secrets,
    };
    for (const command of ['serve', 'doctor']) {
      const { said } = await run(command, env);
      expect(said).not.toBe('');
      expectNoSecret(said, ...hidden, 'hush-webhook');
    }
  });
});

test('neither the tokens of callers nor the secret of webhooks is in the log of a server', async () => {
  const first = await run('token create --operator', { BROKER_PORT: '9' });
  const good = /^banto_\S+/m.exec(first.said)?.[0] ?? '';
  const env = {
    GITHUB_REPOSITORY: 'octo/shop',
    GITHUB_API_URL: github.url,
    GITHUB_TOKEN: github.token,
    GITHUB_WEBHOOK_SECRET: 'hush-webhook',
    REQUIRE_TOKENS: 'true',
  };
  const { said } = await run('serve', env, async (url) => {
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    expect((await fetch(`${url}/api/v1/queue`, { headers: bearer(good) })).status).toBe(200);
    expect((await fetch(`${url}/api/v1/queue`, { headers: bearer(TOKEN) })).status).toBe(401);
    const status = await run('status', { BANTO_URL: url, BANTO_TOKEN: TOKEN });
    expect(status.said).toContain('not valid');
    expectNoSecret(status.said, TOKEN);
    const made = await fetch(`${url}/api/v1/tokens`, {
      method: 'POST',
      headers: { ...bearer(good), 'content-type': 'application/json' },
      body: '{"scope":"read"}',
    });
    const { token } = (await made.json()) as { token: string };
    await fetch(`${url}/api/v1/webhooks/github`, {
      method: 'POST',
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      body: '{}',
    });
    const listed = await fetch(`${url}/api/v1/tokens`, { headers: bearer(good) });
    expectNoSecret(await listed.text(), token, good);
  });
  expect(said).toContain('answered');
  expectNoSecret(said, good, TOKEN, github.token, 'hush-webhook');
});
