// One issue that cannot be taken does not stop the backlog: on both stores it is held with its reason, and
// the rest goes on.

import { afterEach, describe, expect, it } from 'vitest';
import { createBroker } from '../../src/broker/create-broker.ts';
import type { Forge } from '../../src/core/forge.ts';
import type { Issue } from '../../src/core/issue.ts';
import { DEFAULT_POLICY } from '../../src/core/settings.ts';
import type { Store } from '../../src/core/store.ts';
import { openRedisStore } from '../../src/store/redis/redis-store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { scratchDir } from '../support/scratch.ts';
import { silentLog } from '../support/world.ts';

const REPOSITORY = 'octo/park';
const BAD = 13;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const STORES: Record<string, () => Promise<Store>> = {
  SQLite: () => openSqliteStore({ dataDir: scratchDir() }),
  async Redis() {
    const server = await startRedisServer();
    ends.push(() => server.stop());
    return openRedisStore({ connection: { url: server.url } });
  },
};

function issue(number: number, over: Partial<Issue> = {}): Issue {
  return {
    subject: 'issue',
    repository: REPOSITORY,
    number,
    title: `Issue ${number}`,
    body: '## Deliverables\nIt works.',
    url: `https://forge.example/${number}`,
    labels: ['python'],
    state: 'open',
    author: 'someone',
    createdAt: 0,
    updatedAt: 1,
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
    ...over,
  };
}

/** A forge that shows these issues on one page. */
function forgeOf(issues: readonly Issue[]): Forge {
  const refuse = () => Promise.reject(new Error('not part of this test'));
  return {
    repositories: [REPOSITORY],
    hasPullRequests: false,
    defaultBranch: async () => 'main',
    async *list() {
      yield [...issues];
    },
    read: async (_: string, number: number) => issues.find((one) => one.number === number) ?? null,
    changes: async () => ({
      change: { repository: REPOSITORY, issues: [], gone: [] },
      cursor: null,
    }),
    watch: () => async () => undefined,
    ensureBranch: refuse,
    writeLabels: refuse,
    comment: refuse,
    check: async () => undefined,
    close: async () => undefined,
  } as unknown as Forge;
}

async function mirrored(store: Store, bad: Partial<Issue>) {
  ends.push(() => store.close());
  const numbers = Array.from({ length: 30 }, (_, index) => index + 1);
  const issues = numbers.map((n) => issue(n, n === BAD ? bad : {}));
  const forge = forgeOf(issues);
  const broker = createBroker({ store, forge, policy: DEFAULT_POLICY, log: silentLog });
  await broker.loops.mirror.fullPass();
  const { tasks } = await store.tasks({ limit: 100 });
  return {
    ready: tasks.filter(({ state }) => state === 'ready').length,
    bad: tasks.find(({ number }) => number === BAD),
  };
}

describe.each(Object.entries(STORES))('on %s', (_, open) => {
  it.each<[string, Partial<Issue>, RegExp]>([
    ['labels that are half a character', { labels: ['python', '\ud83d'] }, /surrogate/],
    [
      '9,000 labels',
      { labels: Array.from({ length: 9000 }, (_, n) => `label ${n}`) },
      /more than 100 labels/,
    ],
    ['an empty label', { labels: [''] }, /empty/],
    ['a label of 5,000 characters', { labels: ['x'.repeat(5000)] }, /longer than 50/],
    ['a label with NUL', { labels: ['a\u0000'] }, /control/],
  ])('an issue with %s is held with the reason; the other 29 are ready', async (_, bad, reason) => {
    const seen = await mirrored(await open(), bad);
    expect(seen.ready).toBe(29);
    expect(seen.bad).toMatchObject({ state: 'held', reason: expect.stringMatching(reason) });
  });

  it('an issue with broken characters in its texts is ready like the others', async () => {
    const seen = await mirrored(await open(), {
      title: 'a\ud800',
      body: '## Deliverables\n\udc00x',
    });
    expect(seen.ready).toBe(30);
  });

  it('an issue that the store refuses for a reason nobody thought of is held; the others go on', async () => {
    const store = await open();
    const wrapped: Store = {
      ...store,
      async mirror(entries) {
        if (entries.some(({ issue: { labels } }) => labels.includes('poison'))) {
          throw new Error('no such luck');
        }
        await store.mirror(entries);
      },
    };
    const seen = await mirrored(wrapped, { labels: ['poison'] });
    expect(seen.ready).toBe(29);
    expect(seen.bad).toMatchObject({
      state: 'held',
      reason: expect.stringMatching(/the store cannot take it \(no such luck\)/),
    });
  });
});
