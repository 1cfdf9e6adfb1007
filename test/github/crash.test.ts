// kill -9 at each named point between the store and GitHub. After the restart nothing is missing and nothing is there
// twice: not a branch, not a comment; and no label of a person is lost, not even one added while Banto was dead.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GithubDouble, startGithubDouble } from '../../github-double/double.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { eventually } from '../support/eventually.ts';
import { checkInvariants } from '../support/invariants.ts';
import { scratchDir } from '../support/scratch.ts';
import { createVictim, type VictimClient } from '../support/victim.ts';

const SHOP = 'octo/shop';
const WORK_MS = 60_000;

const BRANCH = 'POST /repos/{owner}/{repo}/git/refs';
const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

let github: GithubDouble;
let dataDir: string;
const victim = createVictim(join(import.meta.dirname, 'victim.ts'));
let number: number;

beforeEach(async () => {
  github = await startGithubDouble({ repositories: [SHOP] });
  dataDir = scratchDir();
  const body = '## Deliverables\n\n- it';
  ({ number } = github
    .as('ann')
    .openIssue(SHOP, { title: 'One', body, labels: ['python', 'P2', 'nice'] }));
});

afterEach(async () => {
  victim.kill();
  await github.close();
  rmSync(dataDir, { recursive: true });
});

const start = (point = '') =>
  victim.start({ dataDir, apiUrl: github.url, token: github.token, repository: SHOP }, point);
const { stop } = victim;

const request = { agent_id: 'hana', capabilities: ['python'], request_id: 'r-1' };
const done = (operation: string) =>
  github.requests.filter((one) => one.operation === operation && one.written);
const comments = () => [...github.world.repo(SHOP).comments.values()].map((one) => one.body);

async function showing(...labels: string[]): Promise<void> {
  await eventually(
    async () => github.labels(SHOP, number).toSorted(),
    (shown) => shown.join() === labels.toSorted().join(),
    WORK_MS,
  );
}

/** Nothing is left to be written. */
async function written(client: VictimClient): Promise<void> {
  await eventually(
    () => client.queue(),
    ({ outbox }) => outbox.pending === 0,
    WORK_MS,
  );
}

async function checkHistory(expected: { leased: number; completed: number }): Promise<void> {
  const store = await openSqliteStore({ dataDir });
  const facts = await store.facts(0, 10_000);
  const { outbox } = await store.queue(1);
  await store.close();
  expect(checkInvariants(facts)).toEqual([]);
  const count = (type: string) => facts.filter((fact) => fact.type === type).length;
  expect({ leased: count('leased'), completed: count('completed') }).toEqual(expected);
  expect(outbox).toEqual({ pending: 0, failing: 0 });
}

describe('kill -9', () => {
  it.each([
    ['between lease and branch', 'after_claim'],
    ['between branch and labels', 'after_branch'],
    ['between labels and their record', 'after_labels'],
    ['between ledger and answer', 'before_answer'],
  ])(
    '%s: one lease, one branch, the labels, and those of people',
    { timeout: 2 * WORK_MS },
    async (_, point) => {
      const first = await start(point);
      await expect(first.client.requestTask(request)).rejects.toMatchObject({
        code: 'unreachable',
      });
      await first.died;
      github.as('ann').label(SHOP, number, 'added by ann');
      github.as('ann').unlabel(SHOP, number, 'nice');

      const second = await start();
      await showing('python', 'P2', 'added by ann', 'in-progress', 'hana');
      const task = await second.client.requestTask(request);
      expect(task).toMatchObject({ issue_id: number, branch_name: `feature/issue-${number}` });
      expect(await second.client.requestTask({ ...request, agent_id: 'kenji' })).toBeNull();
      expect(done(BRANCH)).toHaveLength(1);
      await second.client.complete(task?.task_id ?? '', { lease_token: task?.lease.token ?? '' });
      await showing('python', 'P2', 'added by ann', 'needs-review');
      await written(second.client);
      await stop(second.died);
      expect(comments()).toEqual([]);
      await checkHistory({ leased: 1, completed: 1 });
    },
  );

  it.each([
    ['before the completion', 'before_complete'],
    ['between completion and labels', 'after_complete'],
    ['between the labels of the completion and their record', 'after_labels#2'],
  ])(
    '%s: it counts once, the labels arrive, and those of people stay',
    { timeout: 2 * WORK_MS },
    async (_, point) => {
      const first = await start(point);
      const task = await first.client.requestTask(request);
      const id = task?.task_id ?? '';
      const said = { lease_token: task?.lease.token ?? '', summary: 'done' };
      // After the record the answer may still get out: the agent repeats itself either way.
      await first.client.complete(id, said).catch(() => null);
      await first.died;
      github.as('ann').label(SHOP, number, 'added by ann');
      github.as('ann').unlabel(SHOP, number, 'nice');

      const second = await start();
      expect(await second.client.complete(id, said)).toMatchObject({ state: 'done' });
      expect(await second.client.complete(id, said)).toMatchObject({ state: 'done' });
      await showing('python', 'P2', 'added by ann', 'needs-review');
      await written(second.client);
      await stop(second.died);
      expect(comments()).toEqual([]);
      expect(done(BRANCH)).toHaveLength(1);
      await checkHistory({ leased: 1, completed: 1 });
    },
  );

  it.each([
    ['after the labels and before the comment', 'after_labels#2', false],
    ['after the comment was written', 'after_labels#3', false],
    ['after the comment was written and its answer lost', 'after_labels#3', true],
    ['as soon as the agent has heard of the death', 'the answer', true],
  ])(
    '%s: people read of a death exactly once',
    { timeout: 2 * WORK_MS },
    async (_, point, lost) => {
      const first = await start(point);
      const task = await first.client.requestTask(request);
      const id = task?.task_id ?? '';
      const said = {
        lease_token: task?.lease.token ?? '',
        reason: 'the tests need a GPU',
        retryable: false,
      };
      if (lost) github.faults.add({ kind: 'lost', how: 'reset' }, { operation: COMMENT });
      await first.client.fail(id, said).catch(() => null);
      if (point === 'the answer') victim.kill();
      await first.died;
      github.as('ann').label(SHOP, number, 'added by ann');

      const second = await start();
      expect(await second.client.fail(id, said)).toMatchObject({ state: 'dead' });
      await showing('python', 'P2', 'nice', 'added by ann', 'needs-human');
      await written(second.client);
      await stop(second.died);
      expect(comments()).toHaveLength(1);
      expect(comments()[0]).toContain('the tests need a GPU');
      expect(done(COMMENT)).toHaveLength(1);
      await checkHistory({ leased: 1, completed: 0 });
    },
  );
});
