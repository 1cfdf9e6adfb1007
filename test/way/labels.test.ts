// Whose labels are whose: what people put on an issue stays there, whatever the agents are called.

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Assignment } from '../../src/broker/broker.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

async function take(agentId: string, capabilities: readonly string[]): Promise<Assignment> {
  const task = await world.request(agentId, { capabilities });
  if (task === null) throw new Error('expected a task');
  return task;
}

const complete = ({ task, lease }: Assignment) =>
  world.broker.complete({
    taskId: task.id,
    token: lease.token,
    summary: null,
    prNumber: null,
    verdict: null,
    comments: [],
  });

it('leaves the label of an issue alone when an agent of that name is done', async () => {
  await world.repository.write(7, { labels: ['Docs', 'python'] });
  await world.runUntilIdle();
  const task = await take('docs', ['python']);
  await world.runUntilIdle();
  expect(await world.repository.labels(7)).toEqual(['Docs', 'python', 'in-progress']);
  await complete(task);
  await world.runUntilIdle();
  expect(await world.repository.labels(7)).toEqual(['Docs', 'python', 'needs-review']);
});

it('goes on matching by that label while and after the agent of that name had it', async () => {
  await world.repository.write(7, { labels: ['docs'] });
  await world.runUntilIdle();
  const first = await take('docs', ['docs']);
  await world.runUntilIdle();
  await world.broker.release({ taskId: first.task.id, token: first.lease.token, reason: null });
  await world.runUntilIdle();
  expect((await take('other', ['docs'])).issue.labels).toContain('docs');
});

it("takes off an agent's name that the issue did not have before", async () => {
  await world.repository.write(7, { labels: ['python'] });
  await world.runUntilIdle();
  const task = await take('docs', ['python']);
  await world.runUntilIdle();
  expect(await world.repository.labels(7)).toEqual(['python', 'in-progress', 'docs']);
  await complete(task);
  await world.runUntilIdle();
  expect(await world.repository.labels(7)).toEqual(['python', 'needs-review']);
});

it.each([
  ['p0', /priority label/],
  ['Blocked', /keeps agents away/],
  ['EPIC', /keeps agents away/],
  ['Needs-Review', /Banto writes itself/],
])('refuses the agent id %s with a sentence', async (agentId, sentence) => {
  await world.repository.write(7);
  await world.runUntilIdle();
  await expect(world.request(agentId)).rejects.toThrow(sentence);
});

it('offers nobody what people have blocked while an agent worked on it, until they lift that', async () => {
  await world.repository.write(7, { labels: ['python'] });
  await world.runUntilIdle();
  const { task, lease } = await take('hana', ['python']);
  await world.runUntilIdle();
  const labels = await world.repository.labels(7);
  await world.repository.write(7, { labels: [...labels, 'blocked'] });
  await world.runUntilIdle();
  await world.broker.heartbeat({ taskId: task.id, token: lease.token, progress: null });
  await world.broker.release({ taskId: task.id, token: lease.token, reason: null });
  // At once: before anybody has looked at the issue again.
  expect(await world.request('kenji', { capabilities: ['python'] })).toBeNull();
  expect((await world.store.task(task.id))?.task).toMatchObject({
    state: 'held',
    reason: 'excluded_label:blocked',
  });
  await world.runUntilIdle();
  await world.repository.write(7, { labels: ['python'] });
  await world.runUntilIdle();
  expect((await take('kenji', ['python'])).task.id).toBe(task.id);
});
