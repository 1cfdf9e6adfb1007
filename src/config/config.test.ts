import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BantoError } from '../core/errors.ts';
import { DEFAULT_POLICY } from '../core/settings.ts';
import { loadClientConfig, loadConfig, loadSecrets } from './config.ts';
import { WAYS } from './found-file.ts';
import { configFileSchema } from './schema.ts';
import { SETTINGS } from './settings.ts';

const PEM = '-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'banto-config-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

type Env = Record<string, string>;
function load(env: Env = {}, file?: unknown, flags: Env = {}) {
  if (file !== undefined) {
    const content = typeof file === 'string' ? file : JSON.stringify(file);
    writeFileSync(join(cwd, 'banto.config.json'), content);
  }
  return loadConfig({ env, flags, cwd });
}
function sentence(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof BantoError && error.code === 'misconfigured') return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('defaults and order', () => {
  test('without any setting the embedded default is described', () => {
    expect(load()).toEqual({
      host: '127.0.0.1',
      port: 8080,
      tokensRequired: false,
      allowedHosts: [],
      logLevel: 'info',
      dataDir: join(cwd, '.banto'),
      forge: { kind: 'local', repoDir: cwd, backlogDir: 'backlog' },
      forgeReason: 'GITHUB_REPOSITORY is not set',
      store: { kind: 'sqlite' },
      policy: DEFAULT_POLICY,
      prompts: { path: join(cwd, '.banto', 'prompts'), isNamed: false },
    });
  });

  test('prompts are named, lie in the local repository, or are the shipped ones', () => {
    expect(load({ PROMPTS_DIR: 'mine' }).prompts).toEqual({
      path: join(cwd, 'mine'),
      isNamed: true,
    });
    expect(load({ GITHUB_REPOSITORY: 'o/r', GITHUB_TOKEN: 'x' }).prompts).toBeNull();
  });

  test('flags stand over variables, variables over the file, the file over defaults', () => {
    const file = { broker_port: 1, lease_seconds: 100, max_attempts: 7 };
    const config = load({ BROKER_PORT: '2', LEASE_SECONDS: '200' }, file, { BROKER_PORT: '3' });
    expect([config.port, config.policy.leaseSeconds, config.policy.maxAttempts]).toEqual([
      3, 200, 7,
    ]);
  });

  test('the names of a proxy are a list', () => {
    expect(load({ ALLOWED_HOSTS: 'banto.example, b.example:8443' }).allowedHosts).toEqual([
      'banto.example',
      'b.example:8443',
    ]);
    expect(sentence(() => load({ ALLOWED_HOSTS: 'https://banto.example' }))).toMatch(
      /ALLOWED_HOSTS.*host names/,
    );
  });

  test('an empty variable counts as not set', () => {
    expect(load({ BROKER_PORT: '', GITHUB_TOKEN: ' ' }).port).toBe(8080);
  });

  test('paths in a named file are relative to that file, others to the current directory', () => {
    mkdirSync(join(cwd, 'etc'));
    writeFileSync(join(cwd, 'etc', 'b.json'), JSON.stringify({ banto_repo: 'r', $schema: 'x' }));
    const config = load({ BANTO_DATA_DIR: 'd', BANTO_CONFIG: 'etc/b.json' });
    expect(config.dataDir).toBe(join(cwd, 'd'));
    expect(config.forge).toMatchObject({ repoDir: join(cwd, 'etc', 'r') });
  });

  test.each<[string, Env, object]>([
    ['numbers', { MAX_ATTEMPTS: '5' }, { maxAttempts: 5 }],
    ['yes and no', { REQUIRE_DELIVERABLES: 'off' }, { requireDeliverables: false }],
    ['lists', { EXCLUDED_LABELS: ' epic , later,' }, { excludedLabels: ['epic', 'later'] }],
    ['an empty list', { EXCLUDED_LABELS: 'none' }, { excludedLabels: [] }],
    [
      'headings in any script',
      { DELIVERABLES_HEADINGS: '成果物,Output' },
      { deliverablesHeadings: ['成果物', 'Output'] },
    ],
    [
      'priority labels',
      { PRIORITY_LABELS_HIGH: 'hot' },
      { priorityLabels: { ...DEFAULT_POLICY.priorityLabels, high: ['hot'] } },
    ],
  ])('variables can carry %s', (_, env, policy) => {
    expect(load(env).policy).toMatchObject(policy);
  });
});

describe('what stops the start', () => {
  test.each<[Env, unknown, string]>([
    [
      { BROKER_PORT: 'abc' },
      undefined,
      'BROKER_PORT is "abc" (from the environment); it must be a whole number from 0 to 65535.',
    ],
    [
      { BROKER_PORT: '65536' },
      undefined,
      'BROKER_PORT is 65536 (from the environment); it must be a whole number from 0 to 65535.',
    ],
    [
      {},
      { broker_port: '80' },
      'BROKER_PORT is "80" (broker_port in banto.config.json); in a file it is written 80.',
    ],
    [
      { LOG_LEVEL: 'loud' },
      undefined,
      'LOG_LEVEL is "loud" (from the environment); it must be one of silent, error, warn, info, debug.',
    ],
    [
      { REQUIRE_DELIVERABLES: 'maybe' },
      undefined,
      'REQUIRE_DELIVERABLES is "maybe" (from the environment); it must be true or false.',
    ],
    [
      { BACKLOG_DIR: '../outside' },
      undefined,
      'BACKLOG_DIR is "../outside" (from the environment); it must be a folder inside the repository: a relative path without "..".',
    ],
    [
      { BANTO_RPEO: 'x' },
      undefined,
      'The environment variable BANTO_RPEO is not a setting; did you mean BANTO_REPO?',
    ],
    [
      { BROKER_COLOUR_OF_DOOR: 'x' },
      undefined,
      'The environment variable BROKER_COLOUR_OF_DOOR is not a setting; see docs/settings.md for what there is',
    ],
    [
      {},
      { lease_second: 1 },
      '"lease_second" in banto.config.json is not a setting; did you mean lease_seconds?',
    ],
    [
      {},
      { banto_task_id: 'x' },
      '"banto_task_id" in banto.config.json is not a setting; see docs/settings.md for what there is',
    ],
    [{}, '{"a":', 'banto.config.json is not valid JSON; correct it or move it away.'],
    [
      {},
      '{\n  "github_token": "ghp_secret",\n}',
      'banto.config.json is not valid JSON (line 3, column 1); correct it or move it away.',
    ],
    [{}, [], 'banto.config.json must hold one JSON object of settings.'],
    [
      { FORGE: 'github', GITHUB_TOKEN: 'ghp_secret' },
      undefined,
      'FORGE is github (from the environment) but GITHUB_REPOSITORY is not set; set it to owner/repo, or set FORGE=local for the local backlog.',
    ],
    [
      { GITHUB_APP_ID: '1', GITHUB_APP_PRIVATE_KEY: PEM, GITHUB_INSTALLATION_ID: '2' },
      undefined,
      'GITHUB_APP_ID is set (from the environment) but GITHUB_REPOSITORY is not set; set it to owner/repo, or set FORGE=local for the local backlog.',
    ],
    [
      { GITHUB_REPOSITORY: 'o/r' },
      undefined,
      'GITHUB_REPOSITORY is set (from the environment) but GITHUB_TOKEN is not; set both for GitHub, or set FORGE=local for the local backlog.',
    ],
    [
      { GITHUB_REPOSITORY: 'o/r,nonsense', GITHUB_TOKEN: 'x' },
      undefined,
      'GITHUB_REPOSITORY is ["o/r","nonsense"] (from the environment); it must be owner/repo, several by comma.',
    ],
    [
      { GITHUB_TOKEN: 'x' },
      { github_repository: 'o/r' },
      'GITHUB_REPOSITORY is "o/r" (github_repository in banto.config.json); in a file it is written ["o/r"].',
    ],
    [
      { GITHUB_APP_ID: '1', GITHUB_REPOSITORY: 'o/r' },
      undefined,
      'GITHUB_APP_ID is set (from the environment) but GITHUB_APP_PRIVATE_KEY is not; a GitHub App needs GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY, GITHUB_INSTALLATION_ID.',
    ],
    [
      { GITHUB_APP_ID: '1', GITHUB_TOKEN: 'ghp_secret' },
      undefined,
      'GITHUB_TOKEN and GITHUB_APP_ID are both set; a GitHub App is used instead of a token, so remove one of them.',
    ],
    [
      { REDIS_URL: 'redis://h', REDIS_HOST: 'h' },
      undefined,
      'REDIS_URL and REDIS_HOST are both set; keep one of them.',
    ],
    [
      { REDIS_HOST: 'h', REDIS_TLS_CA: 'ca.pem' },
      undefined,
      'REDIS_TLS_CA is set (from the environment) but the connection to Redis is not TLS; set REDIS_TLS, or begin REDIS_URL with rediss.',
    ],
    [
      { REDIS_URL: 'redis://h', REDIS_TLS: 'on' },
      undefined,
      'REDIS_TLS is on but REDIS_URL begins with redis; write rediss instead.',
    ],
    [
      { REDIS_URL: 'rediss://h', REDIS_TLS_KEY: 'key.pem' },
      undefined,
      'REDIS_TLS_CERT and REDIS_TLS_KEY belong together; set both or neither.',
    ],
    [
      { REDIS_HOST: 'h', REDIS_KEY_QUEUE: 'queue' },
      undefined,
      'REDIS_KEY_QUEUE is "queue" (from the environment); it must be a pattern of key parts that ends in {priority}.',
    ],
  ])('%j with the file %j', (env, file, expected) => {
    expect(sentence(() => load(env, file))).toBe(expected);
  });

  test('a flag is named as the place a bad value came from', () => {
    expect(sentence(() => load({}, undefined, { BROKER_PORT: '-1' }))).toBe(
      'BROKER_PORT is -1 (from --port); it must be a whole number from 0 to 65535.',
    );
  });

  test('a named file that is not there', () => {
    expect(sentence(() => load({}, undefined, { BANTO_CONFIG: 'gone.json' }))).toBe(
      'The configuration file gone.json does not exist.',
    );
  });

  test.each([
    ['GITHUB_TOKEN', 'hush hush'],
    ['REDIS_URL', 'http://user:hush@host'],
    ['GITHUB_APP_PRIVATE_KEY', 'hush'],
  ])('the value of %s never appears in the sentence', (name, value) => {
    expect(sentence(() => load({ [name]: value }))).not.toContain('hush');
    expect(sentence(() => load({}, { [name.toLowerCase()]: value }))).not.toContain('hush');
    expect(sentence(() => load({}, `{"${name.toLowerCase()}": "${value}`))).not.toContain('hush');
  });
});

describe('rules', () => {
  test.each([
    ['127.0.0.1', false],
    ['127.8.9.1', false],
    ['localhost', false],
    ['::1', false],
    ['0.0.0.0', true],
    ['::', true],
    ['192.168.1.4', true],
    ['127.0.0.1.example.org', true],
    ['banto.local', true],
  ])('on %s tokens are required: %s', (host, required) => {
    expect(load({ BROKER_HOST: host }).tokensRequired).toBe(required);
  });

  test('REQUIRE_TOKENS asks for them on loopback too', () => {
    expect(load({ REQUIRE_TOKENS: 'true' }).tokensRequired).toBe(true);
    expect(load({}, { require_tokens: true }).tokensRequired).toBe(true);
    expect(load({ REQUIRE_TOKENS: 'false', BROKER_HOST: '0.0.0.0' }).tokensRequired).toBe(true);
  });

  const TOKEN = { GITHUB_TOKEN: 't' };
  const REPOSITORY = { ...TOKEN, GITHUB_REPOSITORY: 'o/r' };
  const CODESPACE = { ...REPOSITORY, CODESPACES: 'true' };

  test.each<[Env, object | undefined, Env, string, RegExp]>([
    [{}, undefined, {}, 'local', /^GITHUB_REPOSITORY is not set$/],
    [TOKEN, undefined, {}, 'local', /^GITHUB_REPOSITORY is not set$/],
    [REPOSITORY, undefined, {}, 'github', /GITHUB_REPOSITORY is set \(from the environment\)/],
    [TOKEN, { github_repository: ['o/r'] }, {}, 'github', /in banto.config.json/],
    [TOKEN, undefined, { GITHUB_REPOSITORY: 'o/r' }, 'github', /from --github-repository/],
    [CODESPACE, undefined, {}, 'local', /a codespace sets .* set FORGE=github/],
    [{ ...CODESPACE, FORGE: 'github' }, undefined, {}, 'github', /FORGE is github/],
    [CODESPACE, { github_repository: ['o/r'] }, { FORGE: 'github' }, 'github', /--forge/],
    [CODESPACE, undefined, { GITHUB_REPOSITORY: 'o/x' }, 'github', /--github-repository/],
    [{ ...REPOSITORY, CODESPACES: 'false' }, undefined, {}, 'github', /environment/],
    [{ ...REPOSITORY, FORGE: 'local' }, undefined, {}, 'local', /FORGE is local/],
  ])('%j, the file %j and the flags %j choose %s', (env, file, flags, kind, reason) => {
    const config = load(env, file, flags);
    expect(config.forge.kind).toBe(kind);
    expect(config.forgeReason).toMatch(reason);
  });

  test('a folder inside a repository means the repository, its data and its file', () => {
    mkdirSync(join(cwd, '.git'));
    mkdirSync(join(cwd, 'src', 'deep'), { recursive: true });
    writeFileSync(join(cwd, 'banto.config.json'), '{"max_attempts": 9}');
    const config = loadConfig({ env: {}, cwd: join(cwd, 'src', 'deep') });
    expect(config).toMatchObject({
      dataDir: join(cwd, '.banto'),
      forge: { repoDir: cwd },
      policy: { maxAttempts: 9 },
    });
    writeFileSync(join(cwd, 'src', 'banto.config.json'), '{"max_attempts": "x"}');
    expect(sentence(() => loadConfig({ env: {}, cwd: join(cwd, 'src') }))).toContain(
      'max_attempts in banto.config.json',
    );
  });

  test('token and repositories choose GitHub', () => {
    const env = { GITHUB_TOKEN: 't', GITHUB_REPOSITORY: 'o/a, o/b', GITHUB_WEBHOOK_SECRET: 's' };
    expect(load(env).forge).toEqual({
      kind: 'github',
      repositories: ['o/a', 'o/b'],
      auth: { kind: 'token', token: 't' },
      apiUrl: 'https://api.github.com',
      webhookSecret: 's',
      reviewPushes: false,
      trustedOnly: false,
      writes: { perMinute: 60, burst: 20 },
    });
  });

  test('an App chooses GitHub too, and line breaks in its key may be written out', () => {
    const env = {
      GITHUB_APP_ID: '7',
      GITHUB_APP_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\\nabc\\n-----END PRIVATE KEY-----',
      GITHUB_INSTALLATION_ID: '8',
      GITHUB_REPOSITORY: 'o/a',
    };
    expect(load(env).forge).toMatchObject({
      auth: {
        kind: 'app',
        appId: 7,
        privateKey: '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----',
        installationId: 8,
      },
    });
  });

  const redis = {
    kind: 'redis',
    tls: null,
    namespace: 'banto',
    keyPatterns: {},
    ttls: { heartbeat: 1800, temp_data: 3600, stats: 604_800 },
  };
  const noFiles = { caFile: null, certFile: null, keyFile: null };

  test.each<[Env, object]>([
    [{ REDIS_PORT: '7000' }, { kind: 'sqlite' }],
    [
      { REDIS_URL: 'rediss://u:p@h:1/2' },
      { ...redis, connection: { url: 'rediss://u:p@h:1/2' }, tls: noFiles },
    ],
    [
      { REDIS_HOST: 'h', REDIS_NAMESPACE: 'n', REDIS_USERNAME: 'u', REDIS_PASSWORD: 'p' },
      {
        ...redis,
        connection: { host: 'h', port: 6379, username: 'u', password: 'p' },
        namespace: 'n',
      },
    ],
    [
      { REDIS_SENTINELS: 'a:1, b:2', REDIS_SENTINEL_NAME: 'park', REDIS_DB: '3' },
      { ...redis, connection: { url: 'redis+sentinel://a:1,b:2/park', db: 3 } },
    ],
    [
      { REDIS_CLUSTER: 'a:1', REDIS_TLS: 'yes', REDIS_REPLICA_URL: 'redis://r' },
      {
        ...redis,
        connection: { url: 'rediss+cluster://a:1', replicaUrl: 'redis://r' },
        tls: noFiles,
      },
    ],
    [
      { REDIS_HOST: 'h', REDIS_KEY_QUEUE: 'q:{priority}', REDIS_TTL_STATS: '60' },
      {
        ...redis,
        connection: { host: 'h', port: 6379 },
        keyPatterns: { queue: 'q:{priority}' },
        ttls: { ...redis.ttls, stats: 60 },
      },
    ],
  ])('%j chooses the store', (env, store) => {
    expect(load(env).store).toEqual(store);
  });

  test('a redis block in the file means the same as the settings it names', () => {
    const block = {
      namespace: 'poppo',
      keyPatterns: { queue: 'poppo:queue:{priority}' },
      ttl: { stats: 60 },
    };
    expect(load({ REDIS_HOST: 'h' }, { redis: block }).store).toEqual({
      ...redis,
      connection: { host: 'h', port: 6379 },
      namespace: 'poppo',
      keyPatterns: { queue: 'poppo:queue:{priority}' },
      ttls: { ...redis.ttls, stats: 60 },
    });
    expect(sentence(() => load({}, { redis: { namespace: 'a' }, redis_namespace: 'b' }))).toContain(
      'sets redis_namespace twice',
    );
  });

  test('the files of TLS are found from where they were written', () => {
    const file = { redis_host: 'h', redis_tls: true, redis_tls_ca: 'ca.pem' };
    const { store } = load({}, file);
    expect(store.kind === 'redis' && store.tls?.caFile).toMatch(/^\/.*\/ca\.pem$/);
  });
});

describe('commands that talk to a server', () => {
  const client = (env: Env = {}, file?: object) => {
    if (file !== undefined) writeFileSync(join(cwd, 'banto.config.json'), JSON.stringify(file));
    return loadClientConfig({ env, cwd });
  };

  test('a server setting that is bad for a server does not stop them', () => {
    expect(client({ GITHUB_TOKEN: 'from-ci', MAX_ATTEMPTS: 'x' }).url).toBe(
      'http://127.0.0.1:8080',
    );
  });

  test.each<[Env, object, string]>([
    [{}, { broker_port: 9000 }, 'http://127.0.0.1:9000'],
    [{ BROKER_HOST: '0.0.0.0', BROKER_PORT: '9001' }, {}, 'http://127.0.0.1:9001'],
    [{ BROKER_HOST: '::1' }, {}, 'http://[::1]:8080'],
    [{ SERVER_URL: 'http://s:1' }, {}, 'http://s:1'],
    [{ SERVER_URL: 'http://s:1', BANTO_URL: 'https://b:2' }, {}, 'https://b:2'],
  ])('%j with the file %j talk to %s', (env, file, url) => {
    expect(client(env, file).url).toBe(url);
  });

  test('an unknown variable of ours stops them as well', () => {
    expect(sentence(() => client({ BANTO_ULR: 'x' }))).toContain('did you mean BANTO_URL?');
  });

  test('NO_COLOR is honoured, empty or not set it means nothing', () => {
    expect(client({ NO_COLOR: '1' }).color).toBe(false);
    expect(client({ NO_COLOR: '' }).color).toBe(true);
    expect(client({ TERM: 'dumb' }).color).toBe(false);
  });
});

describe('what is shipped', () => {
  const root = resolve(import.meta.dirname, '..', '..');

  test('banto.config.schema.json is what `npm run config-schema` writes', () => {
    const shipped: unknown = JSON.parse(
      readFileSync(join(root, 'banto.config.schema.json'), 'utf8'),
    );
    expect(shipped).toEqual(JSON.parse(JSON.stringify(configFileSchema())));
  });

  test.each(SETTINGS.map((setting) => [setting.name, setting]))(
    'docs/settings.md lists %s, its default and its flag',
    (name, setting) => {
      const page = readFileSync(join(root, 'docs', 'settings.md'), 'utf8');
      const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? '(no row)';
      const { fallback, flag = '' } = setting;
      const shown = Array.isArray(fallback) ? fallback.join(',') : JSON.stringify(fallback ?? '');
      expect(row).not.toBe('(no row)');
      expect(row).toContain(shown.replaceAll('"', ''));
      expect(row).toContain(flag);
    },
  );
});

describe('a file that was found by itself does not choose where secrets go', () => {
  const client = (env: Env, file: object, flags: Env = {}) => {
    writeFileSync(join(cwd, 'banto.config.json'), JSON.stringify(file));
    return loadClientConfig({ env, flags, cwd });
  };
  const EVIL = 'http://evil.example:1';
  const repository = { GITHUB_REPOSITORY: 'o/r' };
  const app = {
    GITHUB_APP_ID: '1',
    GITHUB_APP_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\nhush',
    GITHUB_INSTALLATION_ID: '2',
  };

  test.each<[Env, object, string, string]>([
    [
      { ...repository, GITHUB_TOKEN: 'hush' },
      { github_api_url: EVIL },
      'GITHUB_API_URL',
      'GITHUB_TOKEN',
    ],
    [
      { ...repository, ...app },
      { github_api_url: EVIL },
      'GITHUB_API_URL',
      'GITHUB_APP_PRIVATE_KEY',
    ],
    [
      { REDIS_PASSWORD: 'hush' },
      { redis_url: 'redis://evil.example' },
      'REDIS_URL',
      'REDIS_PASSWORD',
    ],
    [{ REDIS_PASSWORD: 'hush' }, { redis_host: 'evil.example' }, 'REDIS_HOST', 'REDIS_PASSWORD'],
    [
      { REDIS_PASSWORD: 'hush' },
      { redis_cluster: ['evil.example:1'] },
      'REDIS_CLUSTER',
      'REDIS_PASSWORD',
    ],
    [
      { REDIS_SENTINEL_PASSWORD: 'hush' },
      { redis_sentinels: ['evil.example:1'] },
      'REDIS_SENTINELS',
      'REDIS_SENTINEL_PASSWORD',
    ],
    [
      { REDIS_URL: 'redis://:hush@good.example' },
      { redis_replica_url: 'redis://evil.example' },
      'REDIS_REPLICA_URL',
      'REDIS_URL',
    ],
  ])('server: %j with %j', (env, file, address, secret) => {
    const said = sentence(() => load(env, file));
    expect(said).toContain(`${address} is set by a file`);
    expect(said).toContain(`${secret} comes from elsewhere (from the environment)`);
    expect(said).toMatch(/in banto\.config\.json.*--config/);
    expect(said).not.toContain('hush');
    // Somebody who names the file has read it.
    expect(() => load({ ...env, BANTO_CONFIG: 'banto.config.json' })).not.toThrow();
    expect(() => load(env, file, { BANTO_CONFIG: 'banto.config.json' })).not.toThrow();
  });

  test.each<[Env, object, Env, string, string]>([
    [{ BANTO_TOKEN: 'hush' }, { banto_url: EVIL }, {}, 'BANTO_URL', 'BANTO_TOKEN'],
    [{ BANTO_TOKEN: 'hush' }, { banto_url: 'http://127.0.0.1:1' }, {}, 'BANTO_URL', 'BANTO_TOKEN'],
    [{ BANTO_TOKEN: 'hush' }, { server_url: EVIL }, {}, 'SERVER_URL', 'BANTO_TOKEN'],
    [{ BANTO_TOKEN: 'hush' }, { broker_host: 'evil.example' }, {}, 'BROKER_HOST', 'BANTO_TOKEN'],
    [{ BANTO_LEASE_TOKEN: 'hush' }, { banto_url: EVIL }, {}, 'BANTO_URL', 'BANTO_LEASE_TOKEN'],
    [{}, { banto_url: EVIL }, { BANTO_LEASE_TOKEN: 'hush' }, 'BANTO_URL', 'BANTO_LEASE_TOKEN'],
  ])('client: %j with %j and flags %j', (env, file, flags, address, secret) => {
    const said = sentence(() => client(env, file, flags));
    expect(said).toContain(`${address} is set by a file`);
    expect(said).toContain(`${secret} comes from elsewhere`);
    expect(said).not.toContain('hush');
    expect(() => client({ ...env, BANTO_CONFIG: 'banto.config.json' }, file, flags)).not.toThrow();
    // An address of one's own stands above the file's.
    expect(client({ ...env, BANTO_URL: 'http://good.example' }, file, flags).url).toBe(
      'http://good.example',
    );
  });

  test('what belongs together, or goes nowhere, is left alone', () => {
    expect(client({}, { banto_url: EVIL }).url).toBe(EVIL);
    expect(client({}, { banto_url: EVIL, banto_token: 'own' }).token).toBe('own');
    const port = client({ BANTO_TOKEN: 'mine' }, { broker_port: 81, broker_host: '0.0.0.0' });
    expect(port.url).toBe('http://127.0.0.1:81');
    const own = { github_api_url: EVIL, github_token: 'own', github_repository: ['o/r'] };
    expect(load({}, own).forge).toMatchObject({ apiUrl: EVIL });
    const mine = { GITHUB_API_URL: 'https://ghe.example', GITHUB_TOKEN: 'mine', ...repository };
    expect(load(mine, { github_api_url: EVIL }).forge).toMatchObject({
      apiUrl: 'https://ghe.example',
    });
    expect(load({ REDIS_PASSWORD: 'mine', REDIS_HOST: 'r' }, { redis_db: 3 }).store).toMatchObject({
      kind: 'redis',
    });
  });

  test('a webhook from a file that was found is not signed with a secret from elsewhere', () => {
    expect(load().notify).toBeUndefined();
    expect(() => load({ NOTIFY_SECRET: 'mine' }, { notify_url: EVIL })).toThrow(
      /NOTIFY_URL is set by a file .* and NOTIFY_SECRET comes from elsewhere/,
    );
    const own = { notify_url: EVIL, notify_secret: 'own' };
    expect(load({}, own).notify).toEqual({ url: EVIL, secret: 'own' });
    expect(load({ NOTIFY_URL: EVIL, NOTIFY_SECRET: 'mine' }).notify?.secret).toBe('mine');
    expect(loadSecrets({ env: { NOTIFY_URL: EVIL } })).toContain(EVIL);
  });

  test('every address setting is thought of', () => {
    const covered = Object.values(WAYS).flatMap(({ addresses }) => addresses as readonly string[]);
    const addresses = SETTINGS.map(({ name }) => name).filter((name) =>
      /_(?:URL|HOST|SENTINELS|CLUSTER)$/.test(name),
    );
    expect(addresses.filter((name) => !covered.includes(name))).toEqual([]);
  });
});
