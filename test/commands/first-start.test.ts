// A newcomer's first commands: init, serve, and what goes wrong with them. Every mistake is one sentence.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRedisServer } from '../support/redis-server.ts';
import { type Ran, runBanto, startBanto } from '../support/run-banto.ts';
import { scriptedApi } from '../support/scripted-api.ts';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'banto-first-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

function git(...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  execFileSync('git', [...who, ...args], { cwd, stdio: 'pipe' });
}
function repository(): void {
  git('init', '-b', 'main');
  git('commit', '--allow-empty', '-m', 'first');
}
const QUIET = { BROKER_PORT: '0', LOG_LEVEL: 'silent' };
const banto = (args: string[], env: Record<string, string> = {}) =>
  runBanto(args, { cwd, env: { ...QUIET, ...env } });

function everything(): Record<string, string> {
  const files = readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git'))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]));
}

/** One sentence for people: no trace, and nothing else on either stream. */
function expectSentence(ran: Ran, words: RegExp): void {
  expect(ran.stderr).toMatch(/^banto: .+\n$/);
  expect(ran.stderr).toMatch(words);
  expect(ran.stderr).not.toMatch(/\n\s+at |node:internal/);
  expect(ran.stdout).toBe('');
  expect(ran.code).toBe(1);
}

describe('banto init', () => {
  test('writes nothing without being asked to, and says what it would write', async () => {
    repository();
    const ran = await banto(['init']);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') });
    expect(ran.stdout).toMatch(/backlog\/0001-.*\n.*backlog\/0002-.*\n.*banto\.config\.json/);
    expect(everything()).toEqual({});
  });

  test('writes a backlog and settings that work, and changes nothing the second time', async () => {
    repository();
    mkdirSync(join(cwd, 'src'));
    const ran = await runBanto(['init', '--yes'], { cwd: join(cwd, 'src'), env: QUIET });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/Next:\n {2}banto serve\n {2}banto next .*\n {2}banto status\n$/);
    const written = everything();
    expect(Object.keys(written)).toHaveLength(4);

    const settings: unknown = JSON.parse(written[join(cwd, 'banto.config.json')] ?? '');
    const { $schema } = settings as { $schema: string };
    const schema = JSON.parse(readFileSync(join(cwd, $schema), 'utf8')) as object;
    expect(new Ajv2020({ strict: false }).validate(schema, settings)).toBe(true);

    const again = await banto(['init', '--yes']);
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('nothing was changed'),
    });
    expect(everything()).toEqual(written);

    const doctor = await banto(['doctor', '--json']);
    expect(doctor.stdout).toContain('2 open issues');
    expect(JSON.parse(doctor.stdout)).toMatchObject({ healthy: true });
  });

  test('leaves a backlog alone that has issues', async () => {
    repository();
    mkdirSync(join(cwd, 'backlog'));
    writeFileSync(join(cwd, 'backlog', '7-mine.md'), '# Mine\n');
    await banto(['init', '--yes']);
    expect(readdirSync(join(cwd, 'backlog'))).toEqual(['7-mine.md']);
    expect(existsSync(join(cwd, 'banto.config.json'))).toBe(true);
  });

  test('asks for a first commit where there is none', async () => {
    git('init', '-b', 'main');
    const ran = await banto(['init', '--yes']);
    expect(ran.stdout).toMatch(/Next:\n {2}git commit --allow-empty/);
  });

  test('says what to do outside a repository', async () => {
    expectSentence(await banto(['init']), /is not in a git repository. Run `git init` there/);
  });
});

describe('what banto serve says', () => {
  test('names everything a newcomer needs to go on', async () => {
    repository();
    await banto(['init', '--yes']);
    const { child, ended } = await startBanto(['serve'], /Next: /, { cwd, env: QUIET });
    child.kill('SIGTERM');
    const { stdout, stderr, code } = await ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [url] = /http:\S+/.exec(stdout) ?? [''];
    const lines = stdout.split('\n');
    expect(lines[0]).toBe(`Banto is at ${url}`);
    expect(stdout).toMatch(new RegExp(`Dashboard +${url}/\n +API +${url}/docs\n`));
    expect(stdout).toMatch(/Forge +local backlog \/.*\/backlog, because GITHUB_REPOSITORY is not/);
    expect(stdout).toMatch(/Store +SQLite in \/.*\/\.banto\n/);
    expect(stdout).toMatch(
      new RegExp(`Agents ask +banto next --agent <name> --cap <labels> --wait 60 --url ${url}\n`),
    );
    expect(stdout).toMatch(/Tokens +not needed on this machine\n/);
  });

  test.each([
    [{ LOG_FORMAT: 'pretty' }, /^\[\d\d:\d\d:\d\d\] WARN: .*stray\.md/m],
    [{}, /^\{"level":40,.*"file":"stray\.md"/m],
  ])('%j decides what a log line looks like', async (env, line) => {
    repository();
    await banto(['init', '--yes']);
    writeFileSync(join(cwd, 'backlog', 'stray.md'), '# No number\n');
    const all = { BROKER_PORT: '0', LOG_LEVEL: 'info', ...env };
    const { child, ended } = await startBanto(['serve'], /Next: /, { cwd, env: all });
    child.kill('SIGTERM');
    expect((await ended).stderr).toMatch(line);
  });

  test('a token in the environment changes nothing, and a codespace does not choose GitHub', async () => {
    repository();
    await banto(['init', '--yes']);
    const env = { GITHUB_TOKEN: 'x', GITHUB_REPOSITORY: 'o/r', CODESPACES: 'true' };
    const { child, ended } = await startBanto(['serve'], /Next: /, {
      cwd,
      env: { ...QUIET, ...env },
    });
    child.kill('SIGTERM');
    expect((await ended).stdout).toMatch(/Forge +local backlog .*because a codespace sets/);
  });
});

describe('an ordinary mistake is one sentence that says what to do', () => {
  test('no repository', async () => {
    expectSentence(await banto(['serve']), /is not a git repository\..*`banto init`/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('no backlog', async () => {
    repository();
    expectSentence(await banto(['serve']), /no backlog folder .* Run `banto init`/);
    expect(readdirSync(cwd)).toEqual(['.git']);
  });

  test('a broken file of settings', async () => {
    repository();
    writeFileSync(join(cwd, 'banto.config.json'), '{"broker_port": ');
    expectSentence(await banto(['serve']), /banto\.config\.json is not valid JSON; correct it/);
  });

  test('a port in use', async () => {
    repository();
    await banto(['init', '--yes']);
    const api = await scriptedApi(() => ({}));
    const ran = await banto(['serve'], { BROKER_PORT: String(api.port) });
    await api.close();
    expectSentence(ran, /already in use\. Stop the other program or choose another BROKER_PORT/);
  });

  test('data of a newer version', async () => {
    repository();
    await banto(['init', '--yes']);
    await banto(['token', 'create', '--operator'], { BROKER_PORT: '9' });
    const db = new DatabaseSync(join(cwd, '.banto', 'banto.db'));
    db.exec('PRAGMA user_version = 999');
    db.close();
    expectSentence(await banto(['serve']), /was written by a newer Banto .* Start that version/);
  });

  test('Redis away', async () => {
    repository();
    await banto(['init', '--yes']);
    const ran = await banto(['serve'], { REDIS_URL: 'redis://127.0.0.1:9', LOG_LEVEL: 'info' });
    expect(ran.code).toBe(5);
    expectSentence({ ...ran, code: 1 }, /Redis cannot be reached .*Check REDIS_URL/);
  });

  test('a wrong password for Redis', async () => {
    repository();
    await banto(['init', '--yes']);
    const redis = await startRedisServer();
    await redis.raw.config('SET', 'requirepass', 'right');
    const ran = await banto(['serve'], {
      REDIS_URL: `redis://:wrong@127.0.0.1:${redis.port}`,
      LOG_LEVEL: 'info',
    });
    await redis.stop();
    expectSentence(ran, /Redis refuses the password.*REDIS_PASSWORD/);
    expect(ran.stderr).not.toContain('wrong@');
  });

  test('and shows where it came from at debug level', async () => {
    repository();
    const ran = await banto(['serve'], { LOG_LEVEL: 'debug' });
    expect(ran.stderr).toMatch(/^banto: There is no backlog folder .*\n/);
    expect(ran.stderr).toMatch(/\n {4}at /);
  });
});
