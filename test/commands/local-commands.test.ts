// The commands that work on the server's own files, on a real repository and a real database.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runBanto, startBanto } from '../support/run-banto.ts';
import { refusal, scriptedApi } from '../support/scripted-api.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'banto-local-'));
});
afterEach(() => {
  chmodSync(cwd, 0o755);
  rmSync(cwd, { recursive: true, force: true });
});

function git(...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...who, ...args], { cwd, stdio: 'pipe' });
}

function repository(): void {
  git('init', '-b', 'main');
  git('commit', '--allow-empty', '-m', 'first');
  mkdirSync(join(cwd, 'backlog'));
}

/** Nobody listens on port 9; commands that try a server first find none. */
const NOBODY = { BROKER_PORT: '9' };

function banto(args: string[], env: Record<string, string> = {}, input = '') {
  return runBanto(args, { cwd, input, env: { ...NOBODY, ...env } });
}

interface Report {
  healthy: boolean;
  findings: { check: string; status: string; message: string; fix?: string }[];
}

async function doctor(env: Record<string, string> = { BROKER_PORT: '0' }) {
  const ran = await banto(['doctor', '--json'], env);
  return { code: ran.code, report: JSON.parse(ran.stdout) as Report };
}

describe('banto doctor', () => {
  test('finds nothing wrong with a fresh repository, and changes nothing', async () => {
    repository();
    const { code, report } = await doctor();
    expect(report.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(report.findings.map(({ check }) => check)).toEqual([
      'node',
      'git',
      'settings',
      'settings',
      'settings',
      'repository',
      'prompts',
      'port',
      'store',
    ]);
    expect({ code, healthy: report.healthy }).toEqual({ code: 0, healthy: true });
    expect(execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })).toBe('');
  });

  test('names malformed files and how they are held', async () => {
    repository();
    writeFileSync(join(cwd, 'backlog', '0003-broken.md'), '---\nlabels: [a\n---\n# Broken\n');
    const { code, report } = await doctor();
    const warning = report.findings.find(({ status }) => status === 'warning');
    expect(warning?.message).toContain('0003-broken.md');
    expect(code).toBe(0);
  });

  test('names every prompt that would stop the start, and how to correct it', async () => {
    repository();
    mkdirSync(join(cwd, '.banto', 'prompts'), { recursive: true });
    const write = (name: string, text: string) =>
      writeFileSync(join(cwd, '.banto', 'prompts', name), text);
    write('implement.md', 'Do {{titel}}');
    write('implment.md', 'Do it.');
    write('fix.md', 'Fix it.');
    const prompts = async () => {
      const { code, report } = await doctor();
      return { code, found: report.findings.filter(({ check }) => check === 'prompts') };
    };
    expect(await prompts()).toMatchObject({
      code: 1,
      found: [
        { status: 'problem', message: expect.stringMatching(/implement\.md: \{\{titel\}\} is no/) },
        {
          message: expect.stringMatching(/implment\.md is no/),
          fix: expect.stringMatching(/remove/),
        },
      ],
    });
    write('implement.md', 'Do {{issue}}');
    rmSync(join(cwd, '.banto', 'prompts', 'implment.md'));
    const found = [{ status: 'ok', message: expect.stringMatching(/^fix\.md, implement\.md of /) }];
    expect(await prompts()).toMatchObject({ code: 0, found });
  });

  test('names dependencies that can never be met', async () => {
    repository();
    for (const [number, waits] of [
      [1, '[2]'],
      [2, '[1]'],
      [3, '[3, 99]'],
    ] as const) {
      const text = `---\nblocked_by: ${waits}\n---\n# Issue\n`;
      writeFileSync(join(cwd, 'backlog', `000${number}-issue.md`), text);
    }
    const { code, report } = await doctor();
    const warnings = report.findings.filter(({ status }) => status === 'warning');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('circle (#1 → #2 → #1)'),
      expect.stringContaining('#3 names itself'),
      expect.stringContaining('#99, which does not exist'),
    ]);
    expect(code).toBe(0);
  });

  test('says what to do where there is no repository', async () => {
    const { code, report } = await doctor();
    const found = report.findings.find(({ check }) => check === 'repository');
    expect(found).toMatchObject({
      status: 'problem',
      message: expect.stringContaining('git init'),
    });
    expect(code).toBe(1);
  });

  test('tells a Banto on the port from another program', async () => {
    repository();
    const api = await scriptedApi(() => ({
      json: { status: 'ok', version: '9.9.9', uptime_seconds: 1 },
    }));
    const port = await doctor({ BROKER_PORT: String(api.port) });
    await api.close();
    const found = port.report.findings.find(({ check }) => check === 'port');
    expect(found).toMatchObject({ status: 'ok', message: expect.stringContaining('Banto 9.9.9') });

    const stranger = createServer((socket) => socket.end('220 hello\r\n'));
    await new Promise<void>((resolve) => {
      stranger.listen(0, '127.0.0.1', resolve);
    });
    const address = stranger.address();
    const taken = typeof address === 'object' ? String(address?.port) : '';
    const { code, report } = await doctor({ BROKER_PORT: taken });
    stranger.close();
    expect(report.findings.find(({ check }) => check === 'port')).toMatchObject({
      status: 'problem',
      fix: expect.stringContaining('BROKER_PORT'),
    });
    expect(code).toBe(1);
  });

  test('asks the server that commands talk to, where one is named', async () => {
    repository();
    const api = await scriptedApi(({ path, headers }) => {
      if (path === '/health') return { json: { status: 'ok', version: '9.9.9' } };
      if (headers['authorization'] === 'Bearer right') return { json: { counts: [] } };
      return refusal(401, 'unauthenticated', 'A token is needed.');
    });
    const ask = async (env: Record<string, string>) => {
      const { code, report } = await doctor({ BROKER_PORT: '0', ...env });
      const { check, ...found } = report.findings.at(-1) ?? expect.fail('nothing was found');
      return { code, check, ...found };
    };
    const { url } = api;
    expect(await ask({ BANTO_URL: url, BANTO_TOKEN: 'right' })).toEqual({
      code: 0,
      check: 'server',
      status: 'ok',
      message: `Banto 9.9.9 answers at ${url} and takes BANTO_TOKEN`,
    });
    expect(await ask({ BANTO_URL: url })).toEqual({
      code: 1,
      check: 'server',
      status: 'problem',
      message: 'A token is needed. Set BANTO_TOKEN.',
    });
    await api.close();
    expect(await ask({ BANTO_URL: url })).toMatchObject({
      code: 1,
      check: 'server',
      status: 'problem',
      message: expect.stringContaining(`Banto cannot be reached at ${url}`),
    });
  });

  test('sends no token to an address that came with the folder, and says all the rest', async () => {
    repository();
    const api = await scriptedApi(() => ({ json: { status: 'ok', version: '9.9.9' } }));
    const { url } = api;
    writeFileSync(join(cwd, 'banto.config.json'), JSON.stringify({ banto_url: url }));
    const { code, report } = await doctor({ BROKER_PORT: '0', BANTO_TOKEN: 'hush' });
    await api.close();
    expect(api.received).toEqual([]);
    expect(report.findings.filter(({ status }) => status !== 'ok')).toMatchObject([
      { check: 'server', message: expect.stringContaining('is not sent to an address') },
    ]);
    expect(code).toBe(1);
  });

  test('says so where that server takes the connection and is silent', async () => {
    repository();
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { code, report } = await doctor({ BROKER_PORT: '0', BANTO_URL: url });
    silent.close();
    expect(report.findings.at(-1)).toMatchObject({
      check: 'server',
      status: 'problem',
      message: `${url} gave no answer within 3 s`,
      fix: expect.stringContaining('BANTO_URL'),
    });
    expect(code).toBe(1);
  });

  test('stops at settings that are wrong', async () => {
    const { code, report } = await doctor({ MAX_ATTEMPTS: 'many' });
    expect(report.findings.at(-1)).toMatchObject({
      check: 'settings',
      status: 'problem',
      message: expect.stringContaining('MAX_ATTEMPTS is "many"'),
    });
    expect(code).toBe(1);
  });

  test('finds a database that is not one', async () => {
    repository();
    mkdirSync(join(cwd, '.banto'));
    writeFileSync(join(cwd, '.banto', 'banto.db'), 'this is no database, '.repeat(400));
    const { code, report } = await doctor();
    expect(report.findings.at(-1)).toMatchObject({ check: 'store', status: 'problem' });
    expect(report.findings.at(-1)?.message).toContain('damaged');
    expect(code).toBe(1);
  });
});

describe('banto issue add', () => {
  test('writes a file that the backlog can read', async () => {
    repository();
    const args = ['issue', 'add', 'Fix "it": now', '--label', 'a,b', '--priority', 'high'];
    const ran = await banto(
      [...args, '--blocked-by', '#3', '--body', '-', '--json'],
      {},
      'Text.\n',
    );
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const added = JSON.parse(ran.stdout) as { number: number; path: string };
    expect(added.number).toBe(1);
    const text = readFileSync(join(cwd, added.path), 'utf8');
    expect(text).toContain('labels: [a, b]');
    expect(text).toContain('priority: high');
    expect(text).toContain('# Fix "it": now\n\nText.');
    expect((await banto(['issue', 'add', 'x', '--blocked-by', 'seven'])).code).toBe(2);
  });
});

describe('banto issue', () => {
  test('lists, shows, edits, closes and reopens without a server, and says what is not there', async () => {
    repository();
    await banto(['issue', 'add', 'Fix the login', '--label', '"good, easy",b']);
    const file = join(cwd, 'backlog', '0001-fix-the-login.md');
    const edit = [
      'issue',
      'edit',
      '1',
      '--label',
      'c',
      '--remove-label',
      'B',
      '--priority',
      'high',
    ];
    expect((await banto(edit)).stdout).toMatch(/#1: Fix the login\n.*Labels +good, easy, c\n/s);
    expect(readFileSync(file, 'utf8')).toMatch(/labels: \["good, easy", c\]\npriority: high\n/);
    expect((await banto(['issue', 'close', '#1'])).stdout).toBe('#1 is closed: Fix the login\n');
    expect((await banto(['issue', 'list'])).stdout).toBe('No issues.\n');
    expect((await banto(['issue', 'reopen', '1'])).code).toBe(0);
    const listed = await banto(['issue', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      issues: [{ number: 1, state: 'open', labels: ['good, easy', 'c'], priority: 'high' }],
    });
    expect(await banto(['issue', 'show', '9'])).toMatchObject({
      code: 1,
      stderr: 'banto: There is no issue #9 in the backlog.\n',
    });
    expect((await banto(['issue', 'show', 'nine'])).code).toBe(2);
  });

  test('asks the server that was named', async () => {
    const issue = { number: 4, url: 'file:///srv/backlog/0004-x.md' };
    const api = await scriptedApi(() => ({ json: issue }));
    const ran = await banto(['issue', 'add', 'Fix it', '--label', 'a', '--url', api.url]);
    await api.close();
    expect(ran).toMatchObject({ code: 0, stdout: 'Added #4: file:///srv/backlog/0004-x.md\n' });
    expect(api.received).toMatchObject([{ method: 'POST', path: '/api/v1/issues' }]);
  });

  test('says where issues are that are not here', async () => {
    expect((await banto(['issue', 'list'])).stderr).toMatch(/is not a git repository\. Go to one/);
    const env = { GITHUB_TOKEN: 'x', GITHUB_REPOSITORY: 'o/r' };
    expect((await banto(['issue', 'list'], env)).stderr).toMatch(/are on GitHub .*edit them there/);
  });
});

describe('what an author may not expect', () => {
  test.each<[string[], RegExp]>([
    [[], /no label: only agents that offer everything/],
    [['--label', 'a', '--body', 'Do it.'], /held until its body has a section .*Deliverables/],
    [['--label', 'Epic'], /held: the label Epic excludes it/],
    [['--label', 'a', '--body', '## Deliverables\n\n- it'], /^Added #1: \S+\n$/],
  ])('of an issue with %j is said when it is added', async (options, words) => {
    repository();
    const ran = await banto(['issue', 'add', 'Fix it', ...options]);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(words);
  });
});

describe('banto token create', () => {
  test('works on the data folder when no server runs', async () => {
    repository();
    const ran = await banto(['token', 'create', '--operator']);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toMatch(/^banto_\S{24,}\n$/);
    const file = readFileSync(join(cwd, '.banto', 'banto.db'));
    expect(file.includes(ran.stdout.trim())).toBe(false);
  });

  test.each([
    [['--agent', 'a1'], { scope: 'agent', agent_id: 'a1' }],
    [['--operator'], { scope: 'operator', agent_id: null }],
    [['--scope', 'operator'], { scope: 'operator', agent_id: null }],
    [['--scope', 'read', '--note', 'screen'], { scope: 'read', agent_id: null, note: 'screen' }],
  ])('%j, then list and revoke, without a server', async (options, token) => {
    repository();
    const made = await banto(['token', 'create', '--json', ...options]);
    const { id, token: secret } = JSON.parse(made.stdout) as { id: string; token: string };
    const listed = await banto(['token', 'list', '--json']);
    expect(listed.stdout).not.toContain(secret);
    expect(JSON.parse(listed.stdout)).toMatchObject({ tokens: [{ id, ...token }] });
    expect((await banto(['token', 'list'])).stdout).toMatch(
      new RegExp(`^${id} +${token.scope}`, 'm'),
    );
    expect(await banto(['token', 'revoke', id])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Revoked ${id}`),
    });
    expect((await banto(['token', 'list'])).stdout).toBe('There are no tokens.\n');
    expect(await banto(['token', 'revoke', id])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('banto token list'),
    });
  });

  test.each([
    [[]],
    [['--agent', 'a1', '--operator']],
    [['--agent', 'a1', '--scope', 'read']],
    [['--operator', '--scope', 'read']],
    [['--scope', 'agent']],
    [['--scope', 'all']],
  ])('%j does not say whose token it is', async (options) => {
    repository();
    expect(await banto(['token', 'create', ...options])).toMatchObject({ code: 2, stdout: '' });
  });

  test('never goes to files when a server was named', async () => {
    repository();
    const ran = await banto(['token', 'create', '--operator', '--url', 'http://127.0.0.1:9']);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('banto serve', () => {
  test('refuses an address that others can reach while there is no token', async () => {
    repository();
    const ran = await banto(['serve'], { BROKER_HOST: '0.0.0.0', BROKER_PORT: '0' });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('banto token create --operator');
  });

  test('asks everybody for a token where REQUIRE_TOKENS says so, until it is revoked', async () => {
    repository();
    const env = { BROKER_PORT: '0', LOG_LEVEL: 'silent', REQUIRE_TOKENS: 'true' };
    expect(await banto(['serve'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/REQUIRE_TOKENS is on.*banto token create --operator/),
    });
    const first = (await banto(['token', 'create', '--operator'])).stdout.trim();
    const { child, ended, said } = await startBanto(['serve'], /Banto is at (\S+)/, { cwd, env });
    const url = /at (\S+)/.exec(said)?.[1] ?? '';
    const ask = (token: string | null, ...args: string[]) =>
      banto([...args, '--url', url], token === null ? {} : { BANTO_TOKEN: token });
    expect((await ask(null, 'queue')).stderr).toContain('A token is needed');
    expect((await ask(first, 'queue')).code).toBe(0);
    const made = await ask(first, 'token', 'create', '--scope', 'read', '--json');
    const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
    expect((await ask(token, 'queue')).code).toBe(0);
    expect((await ask(first, 'token', 'list')).stdout).toContain(id);
    expect((await ask(token, 'token', 'list')).stderr).toContain('operator scope');
    expect((await ask(token, 'pause')).stderr).toContain('operator scope');
    expect((await ask(first, 'token', 'revoke', id)).code).toBe(0);
    expect((await ask(token, 'queue')).stderr).toContain('not valid');
    child.kill('SIGTERM');
    await ended;
    // A dozen processes, one after the other.
  }, 90_000);

  test('serves until it is asked to stop, and alone on its data', async () => {
    repository();
    const env = { BROKER_PORT: '0', LOG_LEVEL: 'silent' };
    const { child, ended } = await startBanto(['serve'], /Banto is at/, { cwd, env });
    const second = await runBanto(['serve'], { cwd, env });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('Another Banto') });
    expect((await doctor()).report).toMatchObject({
      healthy: true,
      findings: expect.arrayContaining([
        { check: 'store', status: 'ok', message: expect.stringContaining('a running Banto') },
      ]),
    });
    child.kill('SIGTERM');
    const { code, stdout } = await ended;
    const address = /Banto is at (\S+)/.exec(stdout)?.[1] ?? '';
    expect(code).toBe(0);
    expect(stdout).toMatch(/Next: add work with `banto issue add`/);
    expect(stdout).toContain('Stopping; leases are kept.');
    expect((await banto(['queue', '--url', address])).code).toBe(5);
    expect((await doctor()).report.healthy).toBe(true);
    expect(execFileSync('git', ['status', '--porcelain'], { cwd, encoding: 'utf8' })).toBe('');
  });
});
