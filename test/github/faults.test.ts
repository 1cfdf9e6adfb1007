// GitHub in every kind of trouble: hand-outs and completions lose nothing, and in the end the labels say what the
// store says.

import { afterEach, describe, expect, it } from 'vitest';
import { ANSWERS, type Fault, secondaryLimit } from '../../github-double/server/faults.ts';
import { ForgeBusy } from '../../src/core/forge.ts';
import { eventually } from '../support/eventually.ts';
import { UNPACED } from '../support/github/forge.ts';
import {
  type GithubWorld,
  type GithubWorldOptions,
  makeGithubWorld,
  SHOP,
} from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

const REF = 'POST /repos/{owner}/{repo}/git/refs';
const ADD = 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels';
const REMOVE = 'DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}';
const AT_ONCE = 'POST /graphql';
const MAKE = 'POST /repos/{owner}/{repo}/labels';
const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

async function begin(options: GithubWorldOptions = {}): Promise<number[]> {
  w = await makeGithubWorld({ policy: { maxAttempts: 1 }, ...options });
  const numbers = [w.openIssue({ labels: ['python', 'P0'] }), w.openIssue()];
  await w.runUntilIdle();
  return numbers;
}

/** One issue is completed, the other one fails for good, whatever GitHub does meanwhile. */
async function work(): Promise<void> {
  const first = await w.request('a1');
  const second = await w.request('a2');
  if (first === null || second === null) throw new Error('nothing was handed out');
  await w.broker.complete({
    taskId: first.task.id,
    token: first.lease.token,
    summary: null,
    prNumber: 77,
    verdict: null,
    comments: [],
  });
  await w.broker.fail({
    taskId: second.task.id,
    token: second.lease.token,
    reason: 'it cannot be done',
    retryable: false,
    delaySeconds: null,
  });
}

async function expectConverged([first = 0, second = 0]: number[]): Promise<void> {
  await w.converge();
  expect((await w.ledger(first)).shown).toEqual(['P0', 'needs-review', 'python']);
  expect((await w.ledger(second)).shown).toEqual(['needs-human', 'python']);
  const repo = w.github.world.repo(SHOP);
  const comments = [...repo.comments.values()].filter((one) => one.number === second);
  expect(comments).toHaveLength(1);
  for (const number of [first, second]) {
    expect(repo.refs.has(`heads/feature/issue-${number}`)).toBe(true);
  }
  expect(await w.violations()).toEqual([]);
  expect(await w.states()).toMatchObject({
    [`${first}~implement.1`]: 'done',
    [`${second}~implement.1`]: 'dead: it cannot be done',
  });
}

describe('each write', () => {
  const faults: [string, Fault][] = [
    ['is answered 502', { kind: 'answer', answer: ANSWERS.badGateway }],
    ['is answered 500', { kind: 'answer', answer: ANSWERS.serverError }],
    ['breaks off before it happened', { kind: 'reset' }],
    ['happens, and its answer is lost', { kind: 'lost' }],
    ['happens, and is answered 502', { kind: 'lost', how: 'bad_gateway' }],
    ['is answered with half of the JSON', { kind: 'truncated' }],
    ['is answered with half, then silence', { kind: 'truncated', abort: true }],
    ['meets bad credentials', { kind: 'answer', answer: ANSWERS.badCredentials }],
  ];
  const operations = {
    branch: REF,
    label: ADD,
    'change of labels': AT_ONCE,
    'new label': MAKE,
    comment: COMMENT,
  };
  const rows = Object.entries(operations).flatMap(([what, operation]) =>
    faults.map(([name, fault]) => [what, name, operation, fault] as const),
  );
  it.each(rows)('of a %s that %s is made good', async (_what, _name, operation, fault) => {
    const numbers = await begin();
    const armed = w.github.faults.add(fault, { operation, times: 2 });
    await work();
    await expectConverged(numbers);
    expect(armed.hits()).toBeGreaterThan(0);
  });

  const refused = { status: 200, body: { data: null, errors: [{ type: 'FORBIDDEN' }] } };
  it.each(faults)(
    'of a removal, where GraphQL does not help, that %s is made good',
    async (_name, fault) => {
      const numbers = await begin();
      w.github.faults.add(
        { kind: 'answer', answer: refused },
        { operation: AT_ONCE, times: Number.POSITIVE_INFINITY },
      );
      const armed = w.github.faults.add(fault, { operation: REMOVE, times: 2 });
      await work();
      await expectConverged(numbers);
      expect(armed.hits()).toBeGreaterThan(0);
    },
  );

  it('goes by REST for a while when the budget of GraphQL is used up', async () => {
    const numbers = await begin({ double: { limits: { graphqlPrimary: 1 } } });
    const [first = 0] = numbers;
    for (const name of ['needs-review', 'in-progress']) {
      await w.forge.setLabels(SHOP, first, { add: [name], remove: [] });
      await w.forge.setLabels(SHOP, first, { add: [], remove: [name] });
    }
    await work();
    await expectConverged(numbers);
    const writes = w.github.requests.filter((one) => one.operation === AT_ONCE);
    expect(writes).toHaveLength(1);
    expect(w.github.limits.violations).toEqual([]);
  });

  it('knows labels again that somebody deleted and made again', async () => {
    const numbers = await begin();
    await w.forge.setLabels(SHOP, numbers[0] ?? 0, { add: ['needs-review'], remove: [] });
    await w.forge.setLabels(SHOP, numbers[0] ?? 0, { add: [], remove: ['needs-review'] });
    const repo = w.github.world.repo(SHOP);
    for (const [id, label] of Array.from(repo.labels)) {
      if (label.name !== 'needs-review') continue;
      repo.labels.delete(id);
      repo.labels.set(id + 100_000, { ...label, id: id + 100_000 });
    }
    await work();
    await expectConverged(numbers);
  });
});

describe('GitHub', () => {
  it('that answers late delays nothing but the ledger', async () => {
    // Real time: late, but long before GitHub is given up on.
    const numbers = await begin({ forge: { pacing: { ...UNPACED, timeoutMs: 10_000 } } });
    w.github.setLatency(500);
    const asked = w.request('a1');
    asked.catch(() => undefined);
    // Five seconds of the clock pass while GitHub thinks.
    const refs = async () => w.github.requests.filter(({ operation }) => operation === REF);
    await eventually(refs, (seen) => seen.length > 0);
    w.time.advance(5000);
    const given = await asked;
    expect(given?.ledger).toBe('pending');
    await w.broker.release({
      taskId: given?.task.id ?? '',
      token: given?.lease.token ?? '',
      reason: null,
    });
    w.github.setLatency(20);
    await w.converge();
    await work();
    await expectConverged(numbers);
  });

  it('that never answers is given up on, and asked again', async () => {
    const numbers = await begin({ forge: { pacing: { ...UNPACED, timeoutMs: 500 } } });
    w.github.faults.add({ kind: 'hang' }, { method: 'write', times: 3 });
    w.github.faults.add({ kind: 'lost', how: 'hang' }, { method: 'write', nth: 4, times: 3 });
    await work();
    await expectConverged(numbers);
  });

  it('that is down for two minutes loses nothing', async () => {
    const numbers = await begin();
    w.github.faults.add({ kind: 'reset' }, { forMs: 120_000 });
    await work();
    await expect(w.runUntilIdle()).rejects.toBeInstanceOf(Error);
    w.time.advance(60_000);
    await w.broker.loops.outbox.runOnce();
    expect((await w.ledger(numbers[0] ?? 0)).shown).toEqual(['P0', 'python']);
    expect(await w.request('a3')).toBeNull();
    w.time.advance(61_000);
    await expectConverged(numbers);
  });

  it('that does not know the token for a while loses nothing', async () => {
    const numbers = await begin();
    w.github.revoke(w.github.token);
    await work();
    await w.converge().catch(() => undefined);
    w.github.addToken(w.github.token);
    await expectConverged(numbers);
  });
});

describe('a secondary limit', () => {
  it.each([403, 429] as const)(
    'answered %i stops every write for as long as it says',
    async (status) => {
      const numbers = await begin();
      const answer = secondaryLimit(90, status);
      w.github.faults.add({ kind: 'answer', answer }, { method: 'write', nth: 3 });
      await work();
      const toldAt = w.time.now();
      for (let second = 0; second < 89; second += 1) {
        w.time.advance(1000);
        await w.broker.loops.outbox.runOnce();
        await w.poll().catch((error: unknown) => expect(error).toBeInstanceOf(ForgeBusy));
      }
      await expectConverged(numbers);
      expect(w.github.limits.violations).toEqual([]);
      const after = w.github.requests.filter((one) => one.written && one.at > toldAt);
      expect(Math.min(...after.map((one) => one.at))).toBeGreaterThanOrEqual(toldAt + 90_000);
    },
  );
});

describe('the primary limit', () => {
  it('is not run into: reads stop before it, writes at it, until it is full again', async () => {
    const numbers = await begin({ double: { limits: {} } });
    w.github.limits.leave(3);
    await w.poll().catch(() => undefined);
    await work();
    await expect(w.poll()).rejects.toBeInstanceOf(ForgeBusy);
    expect(await w.broker.budget()).toMatchObject({ limit: 5000 });
    expect((await w.broker.budget())?.remaining).toBeLessThanOrEqual(3);
    // Noted for the line over time, without asking GitHub for it.
    const asked = w.github.requests.length;
    await w.broker.loops.budgetHistory.runOnce();
    const [noted] = await w.broker.budgetHistory(0);
    expect(noted?.limit).toBe(5000);
    expect(noted?.remaining).toBeLessThanOrEqual(3);
    expect(w.github.requests).toHaveLength(asked);
    for (let minute = 0; minute < 58; minute += 1) {
      w.time.advance(60_000);
      await w.broker.loops.outbox.runOnce();
    }
    expect((await w.ledger(numbers[1] ?? 0)).shown).not.toContain('needs-human');
    w.time.advance(180_000);
    await expectConverged(numbers);
    expect(w.github.limits.violations).toEqual([]);
  });
});

describe('a refusal for good', () => {
  const held = async (number: number) => (await w.states())[`${number}~implement.1`];

  it('of labels when the work has ended is made good by a later pass, though nobody touches the issue', async () => {
    const [first = 0] = await begin();
    const given = await w.request('a1');
    if (given === null) throw new Error('nothing was handed out');
    const answer = ANSWERS.samlRequired;
    const always = { method: 'write', times: Number.POSITIVE_INFINITY } as const;
    const armed = w.github.faults.add({ kind: 'answer', answer }, always);
    const { id: taskId } = given.task;
    const result = { summary: null, prNumber: 77, verdict: null, comments: [] };
    await w.broker.complete({ taskId, token: given.lease.token, ...result });
    await w.runUntilIdle();
    expect(armed.hits()).toBeGreaterThan(0);
    armed.remove();
    // The date of the last change stays that of Banto's own write, made for the lease.
    expect((await w.ledger(first)).shown).toContain('in-progress');
    w.time.advance(61_000);
    await w.runUntilIdle();
    await w.converge();
    expect((await w.ledger(first)).shown).toEqual(['P0', 'needs-review', 'python']);
  });

  it.each([
    ['invalid_branch', REF, ANSWERS.refInvalid],
    ['branch_conflict', REF, ANSWERS.refConflict],
    ['branch_forbidden', REF, ANSWERS.refForbidden],
    ['branch_refused', REF, { status: 422, body: { message: 'Something new' } }],
    ['empty_repository', REF, ANSWERS.emptyRepository],
    ['no_permission', REF, ANSWERS.notAccessible],
    ['no_permission', ADD, ANSWERS.samlRequired],
    ['archived', ADD, ANSWERS.archived],
    ['locked', ADD, ANSWERS.locked],
    ['gone', ADD, ANSWERS.notFound],
    ['gone', ADD, ANSWERS.deleted],
    ['gone', ADD, ANSWERS.issuesDisabled],
    ['label_refused', ADD, ANSWERS.labelRefused],
  ])(
    '(%s, on %s) undoes the lease, and the next one is tried',
    async (reason, operation, answer) => {
      const [first = 0, second = 0] = await begin();
      w.github.faults.add({ kind: 'answer', answer }, { operation });
      const given = await w.request('a1');
      expect(given?.task.number).toBe(second);
      expect(await held(first)).toBe(`held: refused:${reason}`);
      await w.converge();
      expect((await w.ledger(first)).shown).toEqual(['P0', 'python']);
      w.time.advance(601_000);
      await w.runUntilIdle();
      expect((await w.request('a2'))?.task.number).toBe(first);
      expect(await w.violations()).toEqual([]);
    },
  );

  it('of a branch that is already there is none', async () => {
    const [first = 0] = await begin();
    w.ann.push(SHOP, `feature/issue-${first}`);
    expect(await w.request('a1')).toMatchObject({ ledger: 'written' });
  });

  it('of a commit that is gone is not believed before the head was read again', async () => {
    await begin();
    w.github.faults.add({ kind: 'answer', answer: ANSWERS.objectMissing }, { operation: REF });
    expect(await w.request('a1')).toMatchObject({ ledger: 'written' });
  });

  it('of an issue that really is gone ends its task', async () => {
    const [first = 0, second = 0] = await begin();
    w.ann.remove(SHOP, first);
    const given = await w.request('a1');
    expect(given?.task.number).toBe(second);
    await w.runUntilIdle();
    expect(await held(first)).toBe('cancelled: issue_closed');
    await w.converge();
  });

  it('by spam protection is patience', async () => {
    const numbers = await begin();
    w.github.faults.add({ kind: 'answer', answer: ANSWERS.spam }, { operation: COMMENT });
    await work();
    await expectConverged(numbers);
  });
});

describe('without access to the repository', () => {
  it('nothing is taken for gone', async () => {
    const [first = 0] = await begin();
    const given = await w.request('a1');
    w.github.faults.add(
      { kind: 'answer', answer: ANSWERS.notFound },
      { method: 'read', times: 50 },
    );
    await expect(w.runUntilIdle()).rejects.toBeInstanceOf(Error);
    await expect(w.poll()).rejects.toBeInstanceOf(Error);
    await expect(w.forge.read(SHOP, first)).rejects.toBeInstanceOf(Error);
    w.github.faults.clear();
    await w.runUntilIdle();
    expect((await w.states())[given?.task.id.replace('octo~shop~', '') ?? '']).toBe('leased');
  });
});
