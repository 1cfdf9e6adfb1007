// What operators and agents type, against a scripted server: how tasks are named, and what is said.

import { afterEach, describe, expect, test } from 'vitest';
import {
  AT,
  agentAnswer,
  leasedTask,
  queueAnswer,
  READY,
  taskAnswer,
} from '../../../../test/support/api-answers.ts';
import {
  refusal,
  type Script,
  type ScriptedApi,
  scriptedApi,
} from '../../../../test/support/scripted-api.ts';
import { createClient } from '../../../client/client.ts';
import { runCommandLine } from '../program.ts';
import type { Shell } from '../shell.ts';
import { width } from '../terminal/text.ts';

let api: ScriptedApi | null = null;
afterEach(async () => {
  await api?.close();
  api = null;
});

async function banto(args: readonly string[], script: Script, columns?: number) {
  await api?.close();
  const server = await scriptedApi(script);
  api = server;
  const out = { stdout: '', stderr: '' };
  const shell = {
    stdout: {
      ...(columns === undefined ? {} : { isTTY: true, columns, rows: 50 }),
      write: (text: string) => (out.stdout += text),
    },
    stderr: { write: (text: string) => (out.stderr += text) },
    color: false,
    debug: false,
    version: '1.2.3',
    now: () => Date.parse('2026-11-15T20:01:00.000Z'),
    session: () => ({
      client: createClient({ url: server.url }),
      agentId: null,
      taskId: null,
      leaseToken: 't',
    }),
  } as unknown as Shell;
  const code = await runCommandLine(args, shell);
  const calls = server.received.map(
    ({ method, path, query }) =>
      `${method} ${path}${query.size === 0 ? '' : `?${query.toString()}`}`,
  );
  return { ...out, code, calls, received: server.received };
}

const ID = 'octo~shop~9~implement.1';
const found =
  (...repositories: string[]): Script =>
  ({ path }) => ({
    json:
      path === '/api/v1/tasks'
        ? {
            tasks: repositories.map((repository) =>
              leasedTask({ task_id: ID, repository, issue_id: 9 }),
            ),
            next_cursor: null,
          }
        : taskAnswer({ task_id: ID }),
  });

describe('what a person gives to a task that waits', () => {
  const question = (question_id: string, answer: string | null) => ({
    question_id,
    agent_id: 'a1',
    question: 'Which port?',
    asked_at: AT,
    answer,
    answered_at: null,
    open: answer === null,
  });
  const asked =
    (...questions: ReturnType<typeof question>[]): Script =>
    () => ({ json: { ...leasedTask({ task_id: ID }), questions } });

  test('the only open question need not be named', async () => {
    const given = await banto(
      ['answer', ID, '8080'],
      asked(question('q1', 'no'), question('q2', null)),
    );
    expect(given.code).toBe(0);
    expect(given.received.at(-1)?.body).toEqual({ question_id: 'q2', answer: '8080' });
  });

  test('no open question, and several, are told', async () => {
    expect(await banto(['answer', ID, '8080'], asked())).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no question without an answer') as string,
    });
    const both = asked(question('q1', null), question('q2', null));
    expect(await banto(['answer', ID, '8080'], both)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--question (q1, q2)') as string,
    });
  });

  test('a budget says how much', async () => {
    const given = await banto(['budget', ID, '--cost', '10', '--tokens', '5000'], asked());
    expect(given.received.at(-1)?.body).toEqual({ cost_usd: 10, tokens: 5000 });
    expect((await banto(['budget', ID], asked())).code).toBe(2);
    expect((await banto(['budget', ID, '--cost', 'much'], asked())).code).toBe(2);
  });
});

describe('a task is named by its issue', () => {
  test.each([
    ['9', 'issue=9'],
    ['#9', 'issue=9'],
    ['octo/shop#9', 'issue=9&repository=octo%2Fshop'],
  ])('%s, by every command that names one', async (text, query) => {
    const commands = [
      ['unlock', text],
      ['cancel', text],
      ['priority', text, 'high'],
      ['requeue', text],
      ['heartbeat', text],
      ['complete', text],
      ['fail', text, '--reason', 'x'],
      ['release', text],
      ['answer', text, 'Yes.', '--question', 'q1'],
      ['budget', text, '--cost', '2.50'],
    ];
    for (const [verb = '', ...rest] of commands) {
      const { calls } = await banto([verb, ...rest], found('octo/shop'));
      expect(calls).toEqual([`GET /api/v1/tasks?${query}`, `POST /api/v1/tasks/${ID}/${verb}`]);
    }
    for (const verb of ['show', 'why']) {
      const { calls } = await banto([verb, text, '--json'], found('octo/shop'));
      expect(calls[1]).toBe(`GET /api/v1/tasks/${ID}${verb === 'why' ? '/why' : ''}`);
    }
  });

  test('an id costs no further call', async () => {
    expect((await banto(['unlock', ID], found())).calls).toEqual([
      `POST /api/v1/tasks/${ID}/unlock`,
    ]);
  });

  test('an issue without a task, or in several repositories, is told', async () => {
    expect(await banto(['why', '9'], found())).toMatchObject({
      code: 1,
      stderr: 'banto: There is no task for issue #9. `banto tasks` lists the tasks there are.\n',
    });
    expect((await banto(['why', '9'], found('octo/a', 'octo/b'))).stderr).toContain(
      'say which one, octo/a#9, octo/b#9.',
    );
  });
});

describe('requeue of all that are dead', () => {
  const pages: Script = ({ path, query }) => {
    if (path !== '/api/v1/tasks') {
      return path.includes('~2~')
        ? refusal(409, 'conflict', 'The task shop~2~implement.1 is cancelled.')
        : { json: taskAnswer() };
    }
    const first = query.get('cursor') === null;
    const numbers = first ? [1, 2] : [3];
    return {
      json: {
        tasks: numbers.map((number) => leasedTask({ task_id: `shop~${number}~implement.1` })),
        next_cursor: first ? 'more' : null,
      },
    };
  };

  test('reads every page first, and goes on when one is refused', async () => {
    const ran = await banto(['requeue', '--state', 'dead', '--all'], pages);
    expect(ran.calls.filter((call) => call.startsWith('POST'))).toHaveLength(3);
    expect(ran.calls.slice(0, 2).every((call) => call.startsWith('GET'))).toBe(true);
    expect(ran).toMatchObject({
      code: 0,
      stdout: '2 tasks were requeued.\nThe task shop~2~implement.1 is cancelled.\n',
    });
  });

  test.each([
    [['requeue']],
    [['requeue', '--all']],
    [['requeue', '7', '--state', 'dead', '--all']],
  ])('%j is not used rightly, and changes nothing', async (args) => {
    const ran = await banto(args, pages);
    expect(ran).toMatchObject({ code: 2, calls: [] });
    expect(ran.stderr).toContain('banto requeue --state dead --all');
  });
});

describe('pause and resume', () => {
  const flags: Script = () => ({ json: { maintenance: false, debug: false } });

  test.each([
    [['pause'], 'maintenance', true, /^Hand-out is paused/],
    [['resume'], 'maintenance', false, /^Hand-out goes on/],
    [
      ['pause', '--repository', 'octo/shop'],
      'maintenance:octo/shop',
      true,
      /repository octo\/shop is paused/,
    ],
    [['resume', '--agent', 'a1'], 'maintenance:a1', false, /agent a1 goes on/],
  ])('%j turns the flag %s', async (args, flag, value, words) => {
    const ran = await banto(args, flags);
    expect(ran.received[0]).toMatchObject({
      method: 'PUT',
      path: `/api/v1/flags/${encodeURIComponent(flag)}`,
      body: { value },
    });
    expect(ran.stdout).toMatch(words);
  });

  test('one of them at a time', async () => {
    const ran = await banto(['pause', '--repository', 'r', '--agent', 'a'], flags);
    expect(ran).toMatchObject({ code: 2, calls: [] });
  });
});

describe('what is said', () => {
  test('a wait that ended says how long it was', async () => {
    const nothing: Script = () => ({ status: 204 });
    const waited = await banto(['next', '--agent', 'a1', '--cap', 'go', '--wait', '20'], nothing);
    expect(waited).toMatchObject({ code: 3 });
    expect(waited.stderr).toMatch(/^banto: No suitable task came within 20 s\. `banto tasks`/);
    const asked = await banto(['next', '--agent', 'a1', '--cap', 'go'], nothing);
    expect(asked.stderr).toMatch(/^banto: No suitable task\. Wait for one with --wait\./);
  });

  test('a review that asks for changes says which, before anything is sent', async () => {
    const ran = await banto(['complete', ID, '--verdict', 'request_changes'], found());
    expect(ran).toMatchObject({ code: 2, calls: [] });
    expect(ran.stderr).toContain('at least one --comment');
  });

  test('capabilities may have commas', async () => {
    const ran = await banto(['next', '--agent', 'a1', '--cap', '"good, easy",go'], () => ({
      status: 204,
    }));
    expect(ran.received[0]?.body).toMatchObject({ capabilities: ['good, easy', 'go'] });
  });

  test('statuses of agents are explained where they are shown', async () => {
    const ran = await banto(['agents'], () => ({ json: { agents: [agentAnswer()] } }));
    expect(ran.stdout).toMatch(/active: +renews its lease.*\nidle: .*\nzombie: +stopped renewing/);
  });
});

describe('status', () => {
  const long =
    'a very long title that goes on and on, far beyond the edge of any terminal there is';
  const lists: Record<string, object[]> = {
    leased: [leasedTask({ title: long })],
    held: [
      leasedTask({
        task_id: 'shop~3~implement.1',
        issue_id: 3,
        state: 'held',
        lease: null,
        reason: 'blocked_by:#2',
      }),
      leasedTask({
        task_id: 'shop~4~implement.1',
        issue_id: 4,
        state: 'held',
        lease: null,
        reason: 'excluded_label:needs-human',
      }),
    ],
    dead: [
      leasedTask({
        task_id: 'shop~5~implement.1',
        issue_id: 5,
        state: 'dead',
        lease: null,
        reason: 'expired',
      }),
    ],
    approved: [
      leasedTask({ task_id: 'shop~6~review.1', issue_id: 6, state: 'done', lease: null }),
      leasedTask({ task_id: 'shop~6~implement.1', issue_id: 6, state: 'done', lease: null }),
      leasedTask({ task_id: 'shop~8~review.1', issue_id: 8, state: 'done', issue_state: 'closed' }),
    ],
  };
  const snapshot: Script = ({ path, query }) => {
    const answers: Record<string, unknown> = {
      '/ready': READY,
      '/api/v1/flags': { maintenance: false, debug: false, 'maintenance:octo/shop': true },
      '/api/v1/queue': queueAnswer({
        by_state: { held: 2, delayed: 1, ready: 2, leased: 1, done: 5, dead: 1, cancelled: 0 },
        forge_budget: { limit: 5000, remaining: 12, reset_at: AT, blocked_until: null },
      }),
      '/api/v1/agents': { agents: [agentAnswer({ status: 'zombie' })] },
      '/api/v1/tasks': {
        tasks: lists[query.get('state') ?? query.get('label') ?? ''] ?? [],
        next_cursor: null,
      },
    };
    return { json: answers[path] };
  };

  test('shows what waits for a person, and what is held with its reason, on 80 columns', async () => {
    for (const columns of [undefined, 80]) {
      const { stdout } = await banto(['status', '--once'], snapshot, columns);
      expect(Math.max(...stdout.split('\n').map(width))).toBeLessThanOrEqual(80);
      expect(stdout).toMatch(/ready; paused for octo\/shop\n/);
      expect(stdout).toMatch(
        /Waits for a person \(3\)\n#5 implement +gave up: the last lease ran out/,
      );
      expect(stdout).toMatch(/#4 implement +labelled needs-human/);
      expect(stdout).toMatch(/#6 review +approved, not closed yet · \w/);
      expect(stdout).toMatch(/Held \(1\)\n#3 implement +it waits for #2 /);
      expect(stdout).toMatch(/Leased \(1\)\n#7 implement +a1 +9 min left +a very long .*…\n/);
      expect(stdout).toMatch(/zombie +stopped renewing the lease/);
      expect(stdout).not.toMatch(/#8/);
    }
  });

  test('says why Banto is not ready', async () => {
    const away: Script = (request, raw) =>
      request.path === '/ready'
        ? {
            status: 503,
            json: {
              ...READY,
              ready: false,
              store: { ok: false, error: 'Redis is away since 12 s' },
            },
          }
        : snapshot(request, raw);
    const { stdout } = await banto(['status', '--once'], away);
    expect(stdout).toContain('not ready (store: Redis is away since 12 s)');
  });
});
