// Many workers on many short tasks: all done, each once. `npm run test:fleet` runs the large one.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeWorkshop, type Workshop } from '../support/workshop.ts';

const [workers = 6, tasks = 15] = (process.env['BANTO_TEST_FLEET'] ?? '')
  .split('x')
  .filter(Boolean)
  .map(Number);

let shop: Workshop;
beforeEach(async () => {
  shop = await makeWorkshop({ maxWaiting: 1000, reviewDelaySeconds: 3600 });
});
afterEach(() => shop.close());

it(`${workers} workers do ${tasks} tasks, each once`, async () => {
  for (let number = 1; number <= tasks; number += 1) shop.addIssue(number);
  const does =
    'echo "$BANTO_ISSUE" >> done.txt && git add done.txt && git commit --quiet -m "Do $BANTO_ISSUE"';
  const fleet = shop.start({ parallel: workers, does, kinds: ['implement'] });
  const ended = () => fleet.events.filter((event) => event.type === 'ended');
  await expect.poll(() => ended().length, { timeout: 600_000, interval: 100 }).toBe(tasks);
  fleet.stop();
  await fleet.ended;
  expect(ended().filter(({ how }) => how !== 'completed')).toEqual([]);
  expect(new Set(ended().map(({ taskId }) => taskId)).size).toBe(tasks);
  const subjects = shop.git('--git-dir', shop.remote, 'log', '--all', '--format=%s').split('\n');
  expect(subjects.filter((subject) => subject.startsWith('Do ')).length).toBe(tasks);
  expect(new Set(subjects).size).toBe(tasks + 1);
  expect(shop.git('worktree', 'list').split('\n')).toHaveLength(1);
}, 620_000);
