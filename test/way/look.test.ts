// What a list of tasks shows of their issues, and what that costs.

import { afterEach, expect, test } from 'vitest';
import type { Store } from '../../src/core/store.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
afterEach(() => world.close());

test('tasks are listed with the words of their issues, by one further read', async () => {
  const reads: (readonly number[])[] = [];
  const counted = (store: Store): Store => ({
    ...store,
    issueTexts(repository, numbers) {
      reads.push(numbers);
      return store.issueTexts(repository, numbers);
    },
  });
  world = await makeWorld({ wrapStore: counted });
  for (const number of [1, 2, 3]) {
    await world.repository.write(number, { title: `Title ${number}`, labels: ['python', 'bug'] });
  }
  await world.runUntilIdle();
  const done = await world.request('hana');
  await world.broker.complete({
    taskId: done?.task.id ?? '',
    token: done?.lease.token ?? '',
    summary: null,
    prNumber: null,
    verdict: null,
    comments: [],
  });
  reads.length = 0;
  const page = await world.broker.tasks({ limit: 10 });
  expect(page.tasks.map(({ task, issue }) => [task.id, issue.title])).toEqual(
    expect.arrayContaining([
      ['repo~1~implement.1', 'Title 1'],
      ['repo~1~review.1', 'Title 1'],
      ['repo~2~implement.1', 'Title 2'],
      ['repo~3~implement.1', 'Title 3'],
    ]),
  );
  expect(page.tasks.at(-1)?.issue).toMatchObject({
    labels: expect.arrayContaining(['python', 'bug']),
    url: expect.stringContaining('backlog'),
  });
  expect(reads.map((numbers) => [...numbers].sort((a, b) => a - b))).toEqual([[1, 2, 3]]);
});

test('a task whose issue was forgotten meanwhile is left out, and the page goes on', async () => {
  let forgotten = 0;
  const forgetful = (store: Store): Store => ({
    ...store,
    issueTexts: (repository, numbers) =>
      store.issueTexts(
        repository,
        numbers.filter((number) => number !== forgotten),
      ),
  });
  world = await makeWorld({ wrapStore: forgetful });
  for (const number of [1, 2, 3]) await world.repository.write(number);
  await world.runUntilIdle();
  forgotten = 2;
  const { tasks, nextCursor } = await world.broker.tasks({ limit: 2 });
  expect(tasks.map(({ task }) => task.number)).toHaveLength(1);
  expect(nextCursor).not.toBeNull();
});
