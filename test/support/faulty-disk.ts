// A process whose disk fails for a while: says what it saw before, meanwhile, after, and when it was opened again.

import { rmSync, writeFileSync } from 'node:fs';
import type { Store } from '../../src/core/store.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createWorld, entry, idOf, type World } from '../contract/store/world.ts';

export interface Seen {
  /** How the calls ended that were made while the disk failed. */
  readonly meanwhile: readonly string[];
  readonly sameMeanwhile: boolean;
  /** How the same calls ended when it worked again. */
  readonly after: readonly string[];
  readonly sameAfterReopening: boolean;
  readonly states: Readonly<Record<string, string>>;
}

const [dataDir = '', how = 's'] = process.argv.slice(2);
const flag = process.env['FAULT_FLAG'] ?? '';

async function everything(store: Store): Promise<string> {
  const { tasks } = await store.tasks({ limit: 1000 });
  const issues = await store.openIssues('octo/park', 0, 1000);
  return JSON.stringify([tasks, issues, await store.facts(0, 10_000), await store.queue(100)]);
}

function calls(world: World, token: string): Promise<string[]> {
  const body = 'x'.repeat(5_000);
  const all: Promise<unknown>[] = [
    world.mirror(...Array.from({ length: 50 }, (_, n) => entry(n + 10, { issue: { body } }))),
    world.store.heartbeat({ taskId: idOf(1), token, progress: 'half' }),
    world.claim('a2', { requestId: 'r2', token: 'second' }),
    world.store.putSetting('config:x', 1),
  ];
  return Promise.allSettled(all).then((ended) =>
    ended.map((end) =>
      end.status === 'fulfilled' ? 'ok' : String((end.reason as { code?: string }).code),
    ),
  );
}

let store = await openSqliteStore({ dataDir });
let world = createWorld({ store, advance: () => undefined, close: () => store.close() });
await world.mirror(entry(1), entry(2));
const { lease } = await world.take('a1', { requestId: 'r1' });
const before = await everything(store);

writeFileSync(flag, how);
const meanwhile = [...(await calls(world, lease.token)), ...(await calls(world, lease.token))];
const sameMeanwhile = (await everything(store)) === before;
rmSync(flag);

const after = await calls(world, lease.token);
const atTheEnd = await everything(store);
await store.close();
store = await openSqliteStore({ dataDir });
world = createWorld({ store, advance: () => undefined, close: () => store.close() });
const { tasks } = await store.tasks({ limit: 1000 });
const seen: Seen = {
  meanwhile,
  sameMeanwhile,
  after,
  sameAfterReopening: (await everything(store)) === atTheEnd,
  states: Object.fromEntries(tasks.map(({ id, state }) => [id, state])),
};
await store.close();
process.stdout.write(JSON.stringify(seen));
