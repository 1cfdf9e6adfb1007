// What a worker tells the server and how it obeys, against an API that answers as it is told.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { AssignmentAnswer } from '../../src/doors/schema/request-task.ts';
import { startOf } from '../../src/worker/run/process-identity.ts';
import { assignmentAnswer, taskAnswer } from '../support/api-answers.ts';
import {
  type Received,
  type Reply,
  refusal,
  type ScriptedApi,
  scriptedApi,
} from '../support/scripted-api.ts';
import { commits, makeWorkshop, type Workshop } from '../support/workshop.ts';

let api: ScriptedApi;
let shop: Workshop;
afterEach(async () => {
  await shop.close();
  await api.close();
});

type Verb = 'heartbeat' | 'complete' | 'fail' | 'release' | 'log';

const LEASE = { token: 'tok-1', fence: 9, expires_at: '2036-11-16T08:00:00.000Z', seconds: 3 };
const RENEWED = { expires_at: LEASE.expires_at, stop: null };

/** One task, then none. Verbs answer as usual unless the test says otherwise. */
async function open(
  answers: Partial<Record<Verb, (body: unknown) => Reply | 'lost'>> = {},
  task: Partial<AssignmentAnswer> = {},
  refusedFirst: Reply[] = [],
): Promise<void> {
  let given = false;
  api = await scriptedApi(({ path, body }) => {
    if (path === '/api/v1/request-task') {
      const refused = refusedFirst.shift();
      if (refused !== undefined) return refused;
      if (given) return { status: 204 };
      given = true;
      return { json: assignmentAnswer({ lease: LEASE, ...task }) };
    }
    const verb = path.split('/').at(-1) as Verb;
    const usual = verb === 'heartbeat' ? RENEWED : verb === 'log' ? { size: 1 } : taskAnswer();
    return answers[verb]?.(body) ?? { json: usual };
  });
  shop = await makeWorkshop({}, { url: api.url });
}

const said = (verb: Verb): Received['body'][] =>
  api.received.filter(({ path }) => path.endsWith(`/${verb}`)).map(({ body }) => body);
const tree = () => join(shop.workDir, 'trees', 'w1', 'shop-7');
const claude = { tool: 'claude', script: 'commit' } as const;

it('asks to go on with what it holds, and completes with summary, usage and a wish for a pull request', async () => {
  await open();
  await shop.once({ does: commits('hello.txt'), speaks: claude });
  expect(api.received[0]?.body).toMatchObject({
    agent_id: 'w1',
    capabilities: ['*'],
    on_unfinished: 'resume',
    wait_seconds: 10,
  });
  expect(said('complete')).toEqual([
    {
      lease_token: 'tok-1',
      summary: 'done',
      pull_request: { title: 'Add hello.txt', body: 'done\n\nFor #7.' },
      usage: {
        model: 'claude-sonnet-4-5',
        input_tokens: 4920,
        output_tokens: 200,
        cached_tokens: 800,
        cost_usd: 0.01569,
        turns: 4,
        session_id: 'de7fb05c-0e12-43af-84fd-1be34447713f',
      },
    },
  ]);
});

it('sends the log with its place, and no secret in it', async () => {
  await open();
  await shop.once({
    does: `echo "the token is tok-12345678"; ${commits('a.txt')}`,
    secrets: ['tok-12345678'],
  });
  const parts = said('log') as { offset: number; text: string; lease_token: string }[];
  expect(parts[0]).toMatchObject({ offset: 0, lease_token: 'tok-1' });
  expect(parts.map(({ text }) => text).join('')).toMatch(/the token is \[secret\]/);
});

it('renews the lease with the latest progress and usage, and stops the tool when the budget is used up', async () => {
  let beats = 0;
  await open({
    heartbeat() {
      beats += 1;
      const stop = beats < 2 ? null : { reason: 'budget', detail: '$5.02 of $5' };
      return { json: { ...RENEWED, stop } };
    },
  });
  const said4 = readFileSync(
    new URL('../fixtures/agents/claude-commit.jsonl', import.meta.url),
    'utf8',
  )
    .split('\n')
    .slice(0, 4);
  const does = `cat <<'EOF'\n${said4.join('\n')}\nEOF\ntouch begun; sleep 60`;
  const end = await shop.once({ does, speaks: claude });
  expect(end.last).toMatchObject({ how: 'released', text: 'budget: $5.02 of $5' });
  expect(said('heartbeat')).toHaveLength(2);
  expect(said('heartbeat')[0]).toMatchObject({
    progress: 'Bash: git add hello.txt',
    usage: { input_tokens: 2460, cached_tokens: 400, model: 'claude-sonnet-4-5' },
  });
  expect(said('release')[0]).toMatchObject({
    reason: 'budget: $5.02 of $5',
    usage: { input_tokens: 2460 },
  });
});

it('stops the whole tool within one heartbeat when the lease is lost, and reports and pushes nothing', async () => {
  await open({ heartbeat: () => refusal(409, 'lease_lost', 'not yours') });
  const began = Date.now();
  const end = await shop.once({ does: `${commits('a.txt')}; sleep 60 & echo $! > pid; wait` });
  expect(end.last?.how).toBe('abandoned');
  expect(Date.now() - began).toBeLessThan(15_000);
  expect([...said('complete'), ...said('fail'), ...said('release')]).toEqual([]);
  expect(shop.git('ls-remote', 'origin')).not.toContain('feature/issue-7');
  const kept = join(shop.workDir, 'kept', 'w1-shop-7-9', 'pid');
  await expect.poll(async () => startOf(Number(readFileSync(kept, 'utf8')))).toBeNull();
});

it('pushes nothing when the lease was lost just before the end', async () => {
  await open({ heartbeat: () => refusal(409, 'lease_lost', 'not yours') });
  const end = await shop.once({ does: commits('a.txt') });
  expect(end.last?.how).toBe('abandoned');
  expect(shop.git('ls-remote', 'origin')).not.toContain('feature/issue-7');
});

it('gives a task back until the quota returns', async () => {
  await open();
  const resetsAt = Math.round(Date.now() / 1000) + 3600;
  const event = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
  const result = { type: 'result', subtype: 'success', is_error: true, result: 'limit reached' };
  const lines = [event, result].map((one) => JSON.stringify(one)).join('\n');
  const end = await shop.once({ does: `echo '${lines}'; exit 1`, speaks: claude });
  expect(end.last?.how).toBe('released');
  const [release] = said('release') as { delay_seconds: number; reason: string }[];
  expect(release?.reason).toMatch(/^quota: /);
  expect(release?.delay_seconds).toBeGreaterThan(3500);
  expect(existsSync(tree())).toBe(true);
});

it('fails with the end of the log and what was used', async () => {
  await open();
  await shop.once({ does: 'exit 1', speaks: { tool: 'codex', script: 'fail' } });
  const [fail] = said('fail') as { reason: string; tree: string; retryable?: boolean }[];
  expect(fail?.reason).toMatch(/^It ended with exit code 1\.\n\nThe end of the log:\n/);
  expect(fail?.tree).toMatch(/^[0-9a-f]{40}$/);
  expect(fail?.retryable).toBeUndefined();
});

it('repeats its report until a server that is away is back', async () => {
  let tries = 0;
  await open({
    complete() {
      tries += 1;
      return tries < 3 ? 'lost' : { json: taskAnswer() };
    },
  });
  const end = await shop.once({ does: commits('a.txt') });
  expect(end.last?.how).toBe('completed');
  expect(said('complete')).toHaveLength(3);
  expect(new Set(said('complete').map((body) => JSON.stringify(body))).size).toBe(1);
});

it('outlives a pause of hand-out and a server that stops', async () => {
  let tries = 0;
  await open(
    {
      complete() {
        tries += 1;
        return tries < 2 ? refusal(503, 'stopping', 'Shutting down.') : { json: taskAnswer() };
      },
    },
    {},
    [refusal(503, 'maintenance', 'Hand-out is paused.')],
  );
  const running = shop.start({ does: commits('a.txt') });
  // It ends by itself where a refusal ended it.
  void running.ended.catch(() => undefined);
  await expect.poll(() => tries, { timeout: 15_000 }).toBe(2);
  running.stop();
  await running.ended;
  expect(running.events).toContainEqual(
    expect.objectContaining({ type: 'ended', how: 'completed' }),
  );
});

it('goes on without a place for logs, as with a server that does not know it', async () => {
  await open({ log: () => refusal(404, 'not_found', 'no such call') });
  const end = await shop.once({ does: commits('a.txt') });
  expect(end.last?.how).toBe('completed');
  expect(said('log')).toHaveLength(1);
});

it('gives back a task of another repository and ends', async () => {
  await open({}, { repository: 'octo/shop' });
  shop.git('remote', 'set-url', 'origin', 'git@github.com:octo/other.git');
  await expect(shop.once({ does: 'true' })).rejects.toThrow(/clone of octo\/other/);
  expect(said('release')).toHaveLength(1);
});

it('sends the end of the log before it reports a failure', async () => {
  await open();
  await shop.once({ does: 'echo nearly; exit 1' });
  const verbs = api.received.map(({ path }) => path.split('/').at(-1));
  expect(verbs.slice(-2)).toEqual(['log', 'fail']);
  expect(JSON.stringify(said('log'))).toContain('ended with exit code 1');
});
