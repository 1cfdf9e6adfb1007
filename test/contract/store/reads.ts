// Reads: lists, counts, statistics and facts.

import { describe, expect, it } from 'vitest';
import type { Fact } from '../../../src/core/facts.ts';
import type { TaskFilter } from '../../../src/core/store.ts';
import { entry, followUp, idOf, REPOSITORY, type World } from './world.ts';

const HOSTILE = [
  'plain',
  '🦉 owl',
  `quote ' " \` -- ; DROP TABLE tasks`,
  'nul\u0000byte',
  'line\r\nbreak\ttab',
  '../../etc/passwd',
  '${x} %s {0} \\',
  '\u202eright to left',
  '__proto__',
];

export function testReads(world: () => World): void {
  const numbers = async (filter: Omit<TaskFilter, 'limit'>) =>
    (await world().store.tasks({ limit: 100, ...filter })).tasks.map(({ number }) => number);

  describe('tasks', () => {
    it('are listed by state, kind, agent, label and repository, alone and together', async () => {
      const { mirror, take, complete } = world();
      await mirror(
        entry(1, { labels: ['Python'] }),
        entry(2, { labels: ['web'], issue: { labels: ['Web', 'Needs-Review'] } }),
        entry(3),
      );
      await complete(await take('a1'), { followUp: followUp(idOf(1, 'review')) });
      await take('a2');
      expect(await numbers({})).toEqual([1, 2, 3, 1]);
      expect(await numbers({ state: 'ready' })).toEqual([2, 1]);
      expect(await numbers({ kind: 'review' })).toEqual([1]);
      expect(await numbers({ agent: 'a2' })).toEqual([3]);
      expect(await numbers({ agent: 'a1', state: 'done' })).toEqual([1]);
      expect(await numbers({ label: 'PYTHON' })).toEqual([1, 3, 1]);
      expect(await numbers({ label: 'needs-review' })).toEqual([2]);
      expect(await numbers({ label: 'python', state: 'ready', kind: 'review' })).toEqual([1]);
      expect(await numbers({ label: 'python', agent: 'a2' })).toEqual([3]);
      expect(await numbers({ repository: REPOSITORY, kind: 'implement' })).toEqual([1, 2, 3]);
      expect(await numbers({ repository: 'other/park' })).toEqual([]);
    });

    it('come in pages that neither repeat nor miss anything', async () => {
      const { mirror, store } = world();
      await mirror(...Array.from({ length: 7 }, (_, index) => entry(index + 1)));
      const seen: number[] = [];
      let cursor: string | null = null;
      do {
        const page = await store.tasks({ limit: 3, ...(cursor === null ? {} : { cursor }) });
        seen.push(...page.tasks.map(({ number }) => number));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await store.tasks({ limit: 7 })).toMatchObject({ nextCursor: null });
      await expect(store.tasks({ limit: 1, cursor: "1' OR 1" })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    });

    it('keep hostile text as it is', async () => {
      const { mirror, take, store, complete } = world();
      for (const [index, text] of HOSTILE.entries()) {
        const number = index + 1;
        const pull = null;
        await mirror(
          entry(number, {
            labels: ['python', text],
            issue: { title: text, body: text, author: text, pull },
            plan: { branch: text, reviewComments: [text] },
          }),
        );
        const handOut = await take(`a${number}`, { capabilities: ['python', text.toLowerCase()] });
        expect(handOut.task).toMatchObject({ number, branch: text, reviewComments: [text] });
        expect(handOut.issue).toMatchObject({ title: text, body: text, labels: ['python', text] });
        const { token } = handOut.lease;
        await store.heartbeat({ taskId: handOut.task.id, token, progress: text });
        await complete(handOut, { summary: text, comments: [text], ledger: [text] });
        const detail = await store.task(handOut.task.id);
        expect(detail?.task.result).toMatchObject({ summary: text, comments: [text] });
        expect(detail?.attempts[0]).toMatchObject({ note: text, progress: [text] });
        expect(detail?.history.at(-1)).toMatchObject({ type: 'completed', summary: text });
        expect(detail?.issue.wanted).toEqual([text]);
        expect(await numbers({ label: text })).toEqual([number]);
      }
    });

    it('are null when they are not there', async () => {
      expect(await world().store.task('nothing')).toBeNull();
    });
  });

  describe('issues', () => {
    it('are found by number, by being open, and by what they wait for', async () => {
      const { mirror, store } = world();
      const closed = { state: 'closed' } as const;
      await mirror(
        entry(3, { dependsOn: [1, 2] }),
        entry(1, { labels: ['docs', 'python'] }),
        entry(2, { issue: closed, plans: [] }),
        entry(4, { issue: closed, dependsOn: [1], plans: [] }),
        entry(5, { issue: closed }),
      );
      const found = await store.issuesNumbered(REPOSITORY, [2, 9, 1]);
      expect(found.map(({ issue }) => issue.number)).toEqual([2, 1]);
      expect(found[1]?.tasks).toMatchObject([{ id: idOf(1) }]);
      expect(found[1]?.matchLabels).toEqual(['docs', 'python']);
      const texts = await store.issueTexts(REPOSITORY, [2, 9, 1]);
      expect(texts).toEqual(found.map(({ issue }) => issue));
      const open = async (after: number, limit: number) =>
        (await store.openIssues(REPOSITORY, after, limit)).map(({ issue }) => issue.number);
      expect(await open(0, 10)).toEqual([1, 3, 5]);
      expect(await open(1, 1)).toEqual([3]);
      expect(await store.dependents(REPOSITORY, 1)).toEqual([3]);
      await mirror(entry(3, { dependsOn: [2] }));
      expect(await store.dependents(REPOSITORY, 1)).toEqual([]);
    });
  });

  describe('the queue', () => {
    it('shows its first tasks in the order they are offered', async () => {
      const { mirror, take, store } = world();
      const low = { priority: 25 };
      const high = { priority: 100 };
      await mirror(entry(1, { plan: low }), entry(2), entry(3, { plan: high }), entry(4));
      await mirror(entry(5, { plan: high }), entry(6, { labels: ['docs'], plan: high }));
      const first = async (limit: number) =>
        (await store.firstReady(limit)).map(({ number }) => number);
      expect(await first(10)).toEqual([3, 5, 6, 2, 4, 1]);
      expect(await first(4)).toEqual([3, 5, 6, 2]);
      expect(await first(0)).toEqual([]);
      await take('a1');
      expect(await first(10)).toEqual([5, 6, 2, 4, 1]);
    });

    it('is counted by state, kind and priority', async () => {
      const { mirror, take, store } = world();
      expect(await store.queue(10)).toMatchObject({ counts: [], oldestReadyAt: null });
      const want = { state: 'delayed', delayMs: 500, reason: 'wait' } as const;
      await mirror(entry(1), entry(2), entry(3, { plan: { priority: 100 } }));
      await mirror(entry(4, { plan: { want } }), entry(5, { plan: { want } }));
      await take('a1');
      const now = await store.now();
      const queue = await store.queue(1);
      const counts = queue.counts.map(
        ({ state, priority, count }) => `${state} ${priority} ${count}`,
      );
      expect(counts.sort()).toEqual(['delayed 50 2', 'leased 100 1', 'ready 50 2']);
      expect(queue.oldestReadyAt).toBe(now);
      expect(queue.delayed).toEqual([{ taskId: idOf(4), readyAt: now + 500 }]);
      expect(queue.outbox).toEqual({ pending: 2, failing: 0 });
    });
  });

  describe('statistics', () => {
    it('count by day and by hour', async () => {
      const { mirror, take, complete, fail, store, advance } = world();
      await mirror(entry(1), entry(2));
      advance(1_000);
      const handOut = await take('a1');
      advance(500);
      await complete(handOut);
      await fail(await take('a1'));
      const [day] = await store.stats('daily', 5);
      const iso = new Date(await store.now()).toISOString();
      expect(day).toEqual({
        start: iso.slice(0, 10),
        counters: expect.objectContaining({
          accepted: 2,
          handed_out: 2,
          completed: 1,
          failed: 1,
          worked_ms: 500,
        }),
      });
      expect(day?.counters['waited_ms']).toBeGreaterThanOrEqual(2_400);
      expect((await store.stats('hourly', 5))[0]?.start).toBe(iso.slice(0, 13));
      advance(3_600_000);
      await mirror(entry(3));
      const hours = await store.stats('hourly', 5);
      expect(hours.map(({ counters }) => counters['accepted'])).toEqual([1, 2]);
      expect(await store.stats('hourly', 1)).toEqual(hours.slice(0, 1));
    });

    it('belong to the day and hour of their facts, to the millisecond at midnight UTC', async () => {
      const { mirror, take, complete, facts, store, advance } = world();
      const DAY_MS = 86_400_000;
      await mirror(entry(1), entry(2));
      const now = await store.now();
      advance(DAY_MS - (now % DAY_MS) - 1);
      const before = await take('a1', { leaseSeconds: 60 });
      advance(1);
      await complete(before);
      await take('a2');
      const all = await facts();
      for (const [period, length] of [
        ['daily', 10],
        ['hourly', 13],
      ] as const) {
        const startOf = (at: number) => new Date(at).toISOString().slice(0, length);
        const rows = await store.stats(period, 30);
        const leased = all.filter(({ type }) => type === 'leased');
        const starts = leased.map(({ at }) => startOf(at));
        expect(new Set(starts).size).toBe(2);
        for (const start of starts) {
          const row = rows.find((candidate) => candidate.start === start);
          expect(row?.counters['handed_out']).toBe(1);
        }
        const done = all.find(({ type }) => type === 'completed');
        const last = rows.find((row) => row.start === startOf(done?.at ?? 0));
        expect(last?.counters).toMatchObject({ completed: 1, handed_out: 1 });
      }
    });
  });

  describe('facts', () => {
    it('are numbered without end, read in pages and told after the commit', async () => {
      const { mirror, store, facts } = world();
      const told: Fact[] = [];
      const stop = store.subscribe((fresh) => told.push(...fresh));
      store.subscribe(() => {
        throw new Error('a bad listener');
      });
      await mirror(entry(1), entry(2));
      expect(told).toEqual(await facts());
      expect(told).toHaveLength(2);
      stop();
      await mirror(entry(3));
      expect(told).toHaveLength(2);
      const [first, second] = await facts();
      expect(await store.facts(0, 1)).toEqual([first]);
      expect(await store.facts(first?.seq ?? 0, 1)).toEqual([second]);
      expect(await store.lastSeq()).toBe((await facts()).at(-1)?.seq);
    });
  });

  describe('a store that is opened again', () => {
    it('has everything as it was', async ({ skip }) => {
      const under = world();
      if (under.reopen === undefined) skip('this store lives outside the process');
      await under.mirror(entry(1), entry(2));
      const handOut = await under.take('a1', { requestId: 'r1' });
      // Buckets that ran empty need not be known again: nobody is ranked by an earlier life of the process.
      const everything = async () => {
        const { store, facts } = world();
        const { buckets, unlearned } = await store.registry();
        const filled = (await store.peek(buckets, 5)).filter(({ ready }) => ready > 0);
        return [await store.task(idOf(1)), await facts(), filled, unlearned];
      };
      const before = await everything();
      await under.reopen?.();
      const again = world();
      expect(await everything()).toEqual(before);
      expect((await again.take('a1', { requestId: 'r1' })).lease).toEqual(handOut.lease);
      expect(await again.complete(handOut)).toMatchObject({ outcome: 'ok' });
    });

    it('pings, and says so when it is closed', async () => {
      const { store } = world();
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}
