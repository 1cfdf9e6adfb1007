import { afterEach, beforeEach, expect, it } from 'vitest';
import { entry, idOf } from '../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../test/support/desk.ts';
import type { Issue } from '../core/issue.ts';
import type { MirroredIssue } from '../core/store.ts';
import { createBranchWishes } from './backlog/branch-wishes.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { createOutbox, type OutboxLoop } from './outbox.ts';

let desk: Desk;
let mirror: Mirror;
let outbox: OutboxLoop;
/** What the store says of an issue before it loses its data, which it does after one look. */
let before: MirroredIssue[] | null;

beforeEach(() => {
  before = null;
  let losses = 0;
  desk = makeDesk({
    wrapStore: (store) => ({
      ...store,
      generation: () => `${losses}`,
      async issuesNumbered(...asked) {
        const found = before ?? (await store.issuesNumbered(...asked));
        if (before !== null) losses += 1;
        before = null;
        return found;
      },
    }),
  });
  mirror = createMirror(desk.context, createBranchWishes(desk.context), {
    pollMs: 5000,
    fullPassMs: 300_000,
    leads: () => true,
  });
  outbox = createOutbox(desk.context, mirror);
});
afterEach(async () => {
  await mirror.stop();
  await outbox.stop();
  await desk.close();
});

const show = (over: Partial<Issue>) =>
  mirror.take({
    repository: 'octo/park',
    issues: [{ ...entry(1).issue, labels: ['python'], ...over }],
    gone: [],
  });

async function workAndGiveBack(): Promise<void> {
  const handOut = await desk.take('hana', { writeLockMs: 30_000 });
  await outbox.writeNow(handOut);
  await desk.rest();
  desk.time.advance(5000);
  await desk.release(handOut);
  await outbox.runOnce();
}

it("does not take an agent's name for a label of people, in a picture from before it was taken off", async () => {
  await show({});
  const before = desk.time.now();
  await workAndGiveBack();
  // Somebody had taken `in-progress` off meanwhile; that is heard of late.
  await show({ labels: ['python', 'hana'], updatedAt: before + 1 });
  await workAndGiveBack();
  expect(desk.asked.filter((what) => what.startsWith('labels'))).toEqual([
    'labels of #1: +in-progress +hana',
    'labels of #1: -in-progress -hana',
    'labels of #1: +in-progress +hana',
    'labels of #1: -in-progress -hana',
  ]);
  expect((await desk.task(idOf(1))).state).toBe('ready');
});

it('leaves a label alone that people have put there since', async () => {
  await show({});
  await workAndGiveBack();
  desk.time.advance(60_000);
  await show({ labels: ['python', 'hana'], updatedAt: desk.time.now() });
  await workAndGiveBack();
  expect(desk.asked.at(-1)).toBe('labels of #1: -in-progress');
});

it('plans again what it planned from data that the store has lost meanwhile', async () => {
  const lost = makeDesk();
  await lost.mirror(entry(1));
  await lost.take('hana');
  before = await lost.store.issuesNumbered('octo/park', [1]);
  await lost.close();
  // Explained by the lease as it was; without it somebody else is at work.
  await show({ labels: ['python', 'in-progress'] });
  expect(await desk.task(idOf(1))).toMatchObject({ state: 'held', reason: 'in_progress' });
});
