// kill -9 at each named point of a hand-out and of a completion. After the restart the agent repeats what it
// asked for, as any client does that never heard the answer; nothing is lost and nothing happens twice.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { type BacklogRepository, makeBacklogRepository } from '../support/backlog-repository.ts';
import { eventually } from '../support/eventually.ts';
import { checkInvariants } from '../support/invariants.ts';
import { createVictim } from '../support/victim.ts';

const WORK_MS = 60_000;

let repository: BacklogRepository;
const victim = createVictim(join(import.meta.dirname, 'victim.ts'));

beforeEach(async () => {
  repository = await makeBacklogRepository();
  await repository.write(1);
  await repository.write(2, { labels: ['docs'] });
});

afterEach(async () => {
  victim.kill();
  await repository.remove();
});

const start = (point = '') =>
  victim.start({ repoDir: repository.repoDir, dataDir: repository.dataDir }, point);
const { stop } = victim;

const request = { agent_id: 'hana', capabilities: ['python'], request_id: 'r-1' };

async function checkHistory(): Promise<void> {
  const store = await openSqliteStore({ dataDir: repository.dataDir });
  const facts = await store.facts(0, 10_000);
  await store.close();
  expect(checkInvariants(facts)).toEqual([]);
  const leases = facts.filter((fact) => fact.type === 'leased');
  expect(leases.map((fact) => fact.taskId)).toEqual(['repo~1~implement.1']);
  expect(facts.filter((fact) => fact.type === 'completed')).toHaveLength(1);
  const reviews = facts.filter((f) => f.type === 'accepted' && f.kind === 'review');
  expect(reviews).toHaveLength(1);
}

describe('kill -9', () => {
  it.each(['before_claim', 'after_claim', 'after_branch', 'after_labels', 'before_answer'])(
    'at %s: the repeated request gets the one lease, branch and labels arrive',
    async (checkpoint) => {
      const first = await start(checkpoint);
      await expect(first.client.requestTask(request)).rejects.toMatchObject({
        code: 'unreachable',
      });
      await first.died;

      const second = await start();
      const task = await second.client.requestTask(request);
      expect(task?.issue_id).toBe(1);
      const other = await second.client.requestTask({
        agent_id: 'kenji',
        capabilities: ['python'],
      });
      expect(other).toBeNull();
      // The labels were being written when the process died: their lock has to run out first.
      await eventually(
        () => repository.labels(1),
        (labels) => labels.join() === 'python,in-progress,hana',
        WORK_MS,
      );
      expect(await repository.branches()).toContain('feature/issue-1');
      await second.client.complete(task?.task_id ?? '', { lease_token: task?.lease.token ?? '' });
      await eventually(
        () => repository.labels(1),
        (labels) => labels.join() === 'python,needs-review',
        WORK_MS,
      );
      await stop(second.died);
      await checkHistory();
    },
    2 * WORK_MS,
  );

  it.each(['before_complete', 'after_complete'])(
    'at %s: the repeated completion counts once',
    async (checkpoint) => {
      const first = await start(checkpoint);
      const task = await first.client.requestTask(request);
      const done = { lease_token: task?.lease.token ?? '', summary: 'done' };
      const id = task?.task_id ?? '';
      await expect(first.client.complete(id, done)).rejects.toMatchObject({ code: 'unreachable' });
      await first.died;

      const second = await start();
      expect(await second.client.complete(id, done)).toMatchObject({ state: 'done' });
      expect(await second.client.complete(id, done)).toMatchObject({ state: 'done' });
      await eventually(
        () => repository.labels(1),
        (labels) => labels.join() === 'python,needs-review',
        WORK_MS,
      );
      await stop(second.died);
      await checkHistory();
    },
    2 * WORK_MS,
  );

  it('while a request waits: nothing is given to those who are no longer there', async () => {
    const first = await start();
    const waiting = first.client
      .requestTask({ agent_id: 'ghost', capabilities: ['rust'], wait_seconds: 60 })
      .catch((error: unknown) => error);
    await eventually(
      () => first.client.queue(),
      (queue) => queue.waiting === 1,
    );
    victim.kill();
    expect(await waiting).toMatchObject({ code: 'unreachable' });

    const second = await start();
    await repository.write(3, { labels: ['rust'] });
    await eventually(
      () => second.client.tasks({ label: 'rust' }),
      ({ tasks }) => tasks.length === 1,
    );
    const task = await second.client.requestTask({ agent_id: 'kenji', capabilities: ['rust'] });
    expect(task?.issue_id).toBe(3);
    await stop(second.died);
  });
});
