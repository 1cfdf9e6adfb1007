// One task through a store the way the broker does it: choose, claim, complete with what follows.

import type { Chooser } from '../src/broker/hand-out/chooser.ts';
import { outcomeOf } from '../src/core/plan/follow-up.ts';
import { DEFAULT_POLICY } from '../src/core/settings.ts';
import type { Store } from '../src/core/store.ts';
import { parseTaskId } from '../src/core/task.ts';
import { benchEntry, CAPABILITIES } from './backlog.ts';

const BATCH = 500;

/** Mirrors issues `from` and up. */
export async function grow(store: Store, from: number, by: number): Promise<void> {
  for (let at = 0; at < by; at += BATCH) {
    const length = Math.min(BATCH, by - at);
    await store.mirror(Array.from({ length }, (_, index) => benchEntry(from + at + index)));
  }
}

export async function handOut(
  store: Store,
  chooser: Chooser,
  agentId: string,
  token: string,
  /** False: nothing is made of a finished task, as in a plain queue. */
  follows = true,
): Promise<void> {
  const seeker = { agentId, capabilities: CAPABILITIES, kinds: null, repositories: null };
  for (;;) {
    const { groups, version } = await chooser.choose(seeker);
    const result = await store.claim({
      agentId,
      capabilities: CAPABILITIES,
      requestId: null,
      token,
      leaseSeconds: 600,
      groups,
      registryVersion: version,
      writeLockMs: 30_000,
    });
    if (result.outcome === 'stale') {
      await chooser.refresh();
      continue;
    }
    if (result.outcome !== 'leased') throw new Error(`the bench got ${result.outcome}`);
    const { task, lease } = result.handOut;
    const name = parseTaskId(task.id);
    if (name === null) throw new Error(task.id);
    const ended = await store.complete({
      taskId: task.id,
      token: lease.token,
      summary: 'done',
      prNumber: null,
      verdict: null,
      comments: [],
      ...outcomeOf(name, null, [], DEFAULT_POLICY, true),
      ...(follows ? {} : { followUp: null }),
    });
    if (ended.outcome !== 'ok') throw new Error(`the bench got ${ended.outcome}`);
    return;
  }
}

/** Many callers at once until so many tasks are done; returns the milliseconds. */
export async function byCallers(
  callers: number,
  tasks: number,
  once: (caller: number, task: number) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  let taken = 0;
  const call = async (caller: number) => {
    while (taken < tasks) {
      taken += 1;
      await once(caller, taken);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return performance.now() - startedAt;
}
