import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AT,
  agentAnswer,
  assignmentAnswer,
  detailAnswer,
  leasedTask,
  queueAnswer,
  READY,
  taskAnswer,
} from '../test/support/api-answers.ts';
import { runBanto } from '../test/support/run-banto.ts';
import {
  type Received,
  type Reply,
  refusal,
  type ScriptedApi,
  scriptedApi,
} from '../test/support/scripted-api.ts';
import { nodeProblem } from './machine/node-version.ts';

const HOSTILE = 'Fix \u001b[2J\u001b]0;owned\u0007login\u202e\r\nrm';
const ID = 'shop~7~implement.1';

const CONFIG = { max_attempts: 3, excluded_labels: ['epic'] };
const ANSWERS: Record<string, unknown> = {
  'POST /api/v1/request-task': assignmentAnswer({ title: HOSTILE }),
  [`POST /api/v1/tasks/${ID}/heartbeat`]: { expires_at: AT },
  [`POST /api/v1/tasks/${ID}/complete`]: taskAnswer({ state: 'done' }),
  [`POST /api/v1/tasks/${ID}/fail`]: taskAnswer({
    state: 'delayed',
    reason: 'retry',
    ready_at: AT,
  }),
  [`POST /api/v1/tasks/${ID}/release`]: taskAnswer(),
  [`POST /api/v1/tasks/${ID}/requeue`]: taskAnswer(),
  [`POST /api/v1/tasks/${ID}/unlock`]: taskAnswer(),
  [`POST /api/v1/tasks/${ID}/cancel`]: taskAnswer({ state: 'cancelled' }),
  [`POST /api/v1/tasks/${ID}/priority`]: taskAnswer({ priority: 100, priority_name: 'high' }),
  'GET /api/v1/tasks': { tasks: [leasedTask({ title: HOSTILE, attempts: 1 })], next_cursor: 'c2' },
  [`GET /api/v1/tasks/${ID}`]: detailAnswer({
    title: HOSTILE,
    body: `one\n${HOSTILE}`,
    history: [{ seq: 1, at: AT, type: 'ready', task_id: ID, state: 'ready' }],
  }),
  [`GET /api/v1/tasks/${ID}/why`]: {
    task_id: ID,
    offered: false,
    summary: 'The task is held.',
    rules: [{ rule: 'state', ok: false, detail: HOSTILE }],
    rivals: { ahead: 2, waiting_agents: 1 },
    earliest_at: AT,
  },
  'GET /api/v1/agents': { agents: [agentAnswer()] },
  'GET /api/v1/agents/a1': agentAnswer(),
  'GET /api/v1/queue': queueAnswer(),
  'GET /api/v1/config': CONFIG,
  'PUT /api/v1/config/max_attempts': { ...CONFIG, max_attempts: 5 },
  'GET /api/v1/flags': { maintenance: false, debug: false },
  'PUT /api/v1/flags/maintenance': { maintenance: true, debug: false },
  'PUT /api/v1/flags/debug': { maintenance: false, debug: true },
  'POST /api/v1/tokens': { token: 'banto_new', agent_id: 'a1' },
  'GET /ready': READY,
};

let api: ScriptedApi;
let cwd: string;
/** Replies that a test puts over the usual ones. */
let over: Map<string, Reply>;

function answer({ method, path }: Received): Reply {
  const key = `${method} ${path}`;
  const json = ANSWERS[key];
  if (over.has(key)) return over.get(key) ?? {};
  return json === undefined ? refusal(404, 'not_found', `Nothing at ${key}.`) : { json };
}

beforeEach(async () => {
  over = new Map();
  cwd = mkdtempSync(join(tmpdir(), 'banto-cli-'));
  api = await scriptedApi(answer);
});
afterEach(async () => {
  await api.close();
  rmSync(cwd, { recursive: true, force: true });
});

function banto(args: readonly string[], env: Record<string, string> = {}, input = '') {
  return runBanto(args, { cwd, input, env: { BANTO_URL: api.url, ...env } });
}

describe('an agent', () => {
  test('asks for a task and gets it as JSON', async () => {
    const ran = await banto(
      [
        'next',
        '--agent',
        'a1',
        '--cap',
        'go, backend',
        '--cap',
        'db',
        '--wait',
        '5',
        '--lease',
        '60',
        '--kind',
        'fix,review',
        '--on-unfinished',
        'resume',
        '--json',
      ],
      { BANTO_TOKEN: 'secret' },
    );
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual(assignmentAnswer({ title: HOSTILE }));
    expect(api.received[0]?.headers.authorization).toBe('Bearer secret');
    expect(api.received[0]?.body).toMatchObject({
      agent_id: 'a1',
      capabilities: ['go', 'backend', 'db'],
      wait_seconds: 5,
      lease_seconds: 60,
      kinds: ['fix', 'review'],
      on_unfinished: 'resume',
    });
  });

  test('gets it as text, with nothing in it that moves the cursor', async () => {
    const ran = await banto(['next'], { BANTO_AGENT: 'a1' });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('implement #7: Fix login rm');
    expect(ran.stdout).toContain('Lease token   tok-1');
    expect(ran.stdout).toContain('Please fix the login.');
    expect(ran.stdout).not.toMatch(/[\u001b\u0007\u202e\r]/);
  });

  test('hears that there is none by exit code 3', async () => {
    over.set('POST /api/v1/request-task', { status: 204 });
    const ran = await banto(['next', '--agent', 'a1', '--json']);
    expect(ran).toMatchObject({ code: 3, stdout: '' });
    expect(ran.stderr).toContain('No suitable task, as no capability was offered');
    const able = await banto(['next', '--agent', 'a1', '--cap', 'go']);
    expect(able.stderr).toContain('No suitable task. Wait for one with --wait');
  });

  test('hears what asking completed, also when no task came', async () => {
    const headers = { 'banto-completed-task': 'shop~3~implement.1' };
    over.set('POST /api/v1/request-task', { status: 204, headers });
    const ran = await banto(['next', '--agent', 'a1', '--cap', 'go', '--json']);
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.stdout)).toEqual({ completed_task_id: 'shop~3~implement.1' });
    expect(ran.stderr).toContain('Asking completed shop~3~implement.1.');
  });

  test('that is told to come back later is told why', async () => {
    const detail = 'Hand-out is paused by an operator';
    const json = { error: 'Server is busy.', code: 'maintenance', detail };
    over.set('POST /api/v1/request-task', { status: 503, json });
    const ran = await banto(['next', '--agent', 'a1', '--cap', 'go']);
    expect(ran.code).toBe(5);
    expect(ran.stderr).toMatch(
      /^banto: Banto at \S+ cannot answer now: Hand-out is paused by an operator\. Try again later\.\n$/,
    );
  });

  test('names itself, or is told how', async () => {
    const ran = await banto(['next']);
    expect(ran).toMatchObject({
      code: 2,
      stderr: 'banto: Say who asks: --agent <id>, or set BANTO_AGENT.\n',
    });
    expect(api.received).toEqual([]);
  });

  test('reports with task and token as arguments, or from the environment', async () => {
    const args = ['complete', ID, '--token', 't1', '--summary', 'Done', '--pr', '12'];
    expect(await banto(args)).toMatchObject({
      code: 0,
      stdout: `${ID} is done; its review comes next.\n`,
    });
    expect(api.received[0]?.body).toEqual({ lease_token: 't1', summary: 'Done', pr_number: 12 });
    const env = { BANTO_TASK_ID: ID, BANTO_LEASE_TOKEN: 't2' };
    const review = [
      'complete',
      '--verdict',
      'request_changes',
      '--comment',
      'a, b',
      '--comment',
      'c',
    ];
    expect((await banto(review, env)).code).toBe(0);
    expect(api.received[1]?.body).toEqual({
      lease_token: 't2',
      verdict: 'request_changes',
      comments: ['a, b', 'c'],
    });
    expect((await banto(['heartbeat', '--progress', 'half', '--json'], env)).stdout).toContain(AT);
    const fail = await banto(['fail', '--reason', 'no', '--no-retry', '--delay', '9'], env);
    expect(fail.stdout).toContain('is delayed (retry), again at');
    expect(api.received[3]?.body).toEqual({
      lease_token: 't2',
      reason: 'no',
      retryable: false,
      delay_seconds: 9,
    });
    expect((await banto(['release'], env)).stdout).toBe(`${ID} is ready.\n`);
  });

  test('without task, token or reason is told what is missing', async () => {
    expect(await banto(['release'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('BANTO_TASK_ID'),
    });
    expect(await banto(['release', ID])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('BANTO_LEASE_TOKEN'),
    });
    expect(await banto(['fail', ID, '--token', 't'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--reason'),
    });
  });

  test('hears that its lease is lost by exit code 4', async () => {
    const reply = refusal(409, 'lease_lost', 'The lease is lost.');
    over.set(`POST /api/v1/tasks/${ID}/heartbeat`, reply);
    const ran = await banto(['heartbeat', ID, '--token', 't']);
    expect(ran).toMatchObject({ code: 4, stderr: 'banto: The lease is lost.\n' });
  });
});

describe('people', () => {
  test.each<[string[], RegExp[]]>([
    [
      ['tasks'],
      [
        /TASK +STATE +PRIORITY +TITLE/,
        /shop~7~implement\.1 +leased +normal +Fix login rm +1 attempt failed; a1, lease/,
        /--cursor c2/,
      ],
    ],
    [
      ['show', ID],
      [/implement #7: Fix login rm/, /History/, /one\nFix login\nrm/],
    ],
    [['why', ID, '--agent', 'a1'], [/^The task is held\.\n\nno +state +Fix login rm\n$/]],
    [['agents'], [/a1 +active/]],
    [['agents', 'a1'], [/backend, go/]],
    [['queue'], [/ready +2/, /shop~3~review\.1/, /3 pending, 1 failing/]],
    [['status'], [/Leased \(1\)/, /a1/, /Fix login rm/, /Delayed \(1\)/, /Agents \(1\)/]],
    [['config', 'get'], [/max_attempts +3/]],
    [['flags', 'get', 'debug'], [/^debug +false\n$/]],
    [['requeue', ID, '--delay', '5'], [/is ready, priority normal\./]],
    [['unlock', ID], [/is ready/]],
    [['cancel', ID, '--reason', 'old'], [/is cancelled/]],
    [['priority', ID, 'high'], [/priority high/]],
    [['config', 'set', 'max_attempts', '5'], [/max_attempts +5/]],
    [['pause'], [/paused/]],
    [['resume'], [/goes on/]],
  ])('read %j', async (args, patterns) => {
    const ran = await banto(args);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    for (const pattern of patterns) expect(ran.stdout).toMatch(pattern);
    expect(ran.stdout).not.toMatch(/[\u001b\u0007\u202e\r]/);
  });

  test.each<[string[], unknown]>([
    [['tasks'], ANSWERS['GET /api/v1/tasks']],
    [['show', ID], ANSWERS[`GET /api/v1/tasks/${ID}`]],
    [['why', ID], ANSWERS[`GET /api/v1/tasks/${ID}/why`]],
    [['agents'], ANSWERS['GET /api/v1/agents']],
    [['queue'], ANSWERS['GET /api/v1/queue']],
    [['config', 'get'], CONFIG],
    [['flags', 'get'], { maintenance: false, debug: false }],
    [['unlock', ID], taskAnswer()],
  ])('%j --json is what the API answered', async (args, expected) => {
    const ran = await banto([...args, '--json']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ran.stdout)).toEqual(expected);
  });

  test('rivals are shown for a task that can be had, and what is ahead to whom it matters', async () => {
    const offered = { ...(ANSWERS[`GET /api/v1/tasks/${ID}/why`] as object), offered: true };
    over.set(`GET /api/v1/tasks/${ID}/why`, { json: offered });
    const [alone, forAgent] = [await banto(['why', ID]), await banto(['why', ID, '--agent', 'a1'])];
    expect(alone.stdout).toMatch(/\n\nAgents waiting: 1\.\n$/);
    expect(forAgent.stdout).toMatch(/\n\nTasks ahead of it: 2\. Agents waiting: 1\.\n$/);
  });

  test('the status asks no more for many leases than for one', async () => {
    const leased = Array.from({ length: 30 }, (_, index) =>
      leasedTask({ task_id: `shop~${index}` }),
    );
    over.set('GET /api/v1/tasks', { json: { tasks: leased, next_cursor: null } });
    expect(await banto(['status', '--once'])).toMatchObject({ code: 0, stderr: '' });
    expect(api.received).toHaveLength(8);
  });

  test('filters go to the API, values keep their type', async () => {
    await banto(['tasks', '--state', 'held', '--label', 'a b', '--limit', '5']);
    expect(Object.fromEntries(api.received[0]?.query ?? [])).toEqual({
      state: 'held',
      label: 'a b',
      limit: '5',
    });
    await banto(['config', 'set', 'max_attempts', '5']);
    expect(api.received[1]?.body).toEqual({ value: 5 });
    await banto(['priority', ID, '70']);
    expect(api.received[2]?.body).toEqual({ priority: 70 });
    await banto(['resume']);
    expect(api.received[3]?.body).toEqual({ value: false });
  });

  test('a token is printed alone on standard output', async () => {
    const ran = await banto(['token', 'create', '--agent', 'a1', '--note', 'laptop']);
    expect(ran).toMatchObject({ code: 0, stdout: 'banto_new\n' });
    expect(ran.stderr).toContain('shown once');
    expect(api.received[0]?.body).toEqual({ scope: 'agent', agent_id: 'a1', note: 'laptop' });
    expect((await banto(['token', 'create'])).code).toBe(2);
    expect((await banto(['token', 'create', '--agent', 'a1', '--operator'])).code).toBe(2);
  });

  test('the sentence of the server is passed on, cleaned', async () => {
    over.set('GET /api/v1/queue', refusal(403, 'forbidden', 'Not \u001b[31myou.'));
    expect(await banto(['queue'])).toMatchObject({ code: 1, stderr: 'banto: Not you.\n' });
  });
});

describe('what goes wrong', () => {
  test('a server that is not there ends with exit code 5 and what to do', async () => {
    const ran = await banto(['queue', '--url', 'http://127.0.0.1:9']);
    expect(ran).toMatchObject({ code: 5, stdout: '' });
    expect(ran.stderr).toContain('http://127.0.0.1:9 (ECONNREFUSED). Start it with `banto serve`');
  });

  test.each<[string[], string]>([
    [['statsu'], "unknown command 'statsu'\n(Did you mean one of stats, status?)"],
    [['tasks', '--stat', 'held'], "unknown option '--stat'\n(Did you mean --state?)"],
    [['tasks', '--state', 'gone'], 'It must be one of held, delayed'],
    [['next', '--wait', '301'], 'It must be a whole number from 0 to 300.'],
    [['show'], "missing required argument 'task'"],
    [['priority', ID, 'urgent'], 'It must be high, normal, low'],
    [['queue', 'extra'], 'too many arguments'],
    [['config', 'gte'], "unknown command 'gte'"],
  ])('%j is bad usage', async (args, sentence) => {
    const ran = await banto(args);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(sentence);
    expect(ran.stderr).toMatch(/^banto: /);
  });

  test('a wrong setting is named, and the help still works', async () => {
    const env = { BANTO_ULR: 'x' };
    const ran = await banto(['queue'], env);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('did you mean BANTO_URL?');
    expect((await banto(['queue', '--help'], env)).code).toBe(0);
    const bad = await banto(['serve', '--port', 'x']);
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('(from --port)') });
  });
});

describe('the version', () => {
  test('is that of the package', async () => {
    const pkg = JSON.parse(
      readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8'),
    ) as { version: string; engines: { node: string } };
    expect((await banto(['--version'])).stdout).toBe(`${pkg.version}\n`);
    const oldest = pkg.engines.node.replace('>=', '');
    expect(nodeProblem(`${oldest}.0`)).toBeNull();
    expect(readFileSync(join(import.meta.dirname, '..', 'bin', 'banto.js'), 'utf8')).toContain(
      oldest,
    );
  });
});

describe('an old Node', () => {
  test.each(['20.20.0', '22.17.9', '18.0.0'])('%s is told what to do', (version) => {
    expect(nodeProblem(version)).toContain('npm ci');
  });
  test.each(['22.18.0', '24.0.0', '26.1.0'])('%s is new enough', (version) => {
    expect(nodeProblem(version)).toBeNull();
  });
});
