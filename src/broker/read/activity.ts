// Follows the facts for those who look: read when somebody asks, from where the last one stopped. Nobody
// asks, nothing is read or kept.

import {
  ACTIVITY_WINDOW_MS,
  type Activity,
  createActivity,
} from '../../core/reporting/activity.ts';
import type { Broker } from '../broker.ts';
import type { Context } from '../context.ts';

const BATCH = 1000;

export function createActivityReads({ store }: Context): Pick<Broker, 'activity'> {
  let activity: Activity | null = null;
  let cursor = 0;
  let generation = '';
  let running: Promise<Activity> | null = null;

  /** The last fact before the window, found by halving: facts are in the order of time. */
  async function seqBefore(at: number): Promise<number> {
    let low = 0;
    let high = await store.lastSeq();
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [fact] = await store.facts(middle, 1);
      if (fact === undefined || fact.at >= at) high = middle;
      else low = fact.seq;
    }
    return low;
  }

  async function catchUp(): Promise<Activity> {
    const last = await store.lastSeq();
    // A store that lost data begins again, perhaps with other facts under the same numbers.
    if (activity === null || generation !== store.generation() || last < cursor) {
      generation = store.generation();
      cursor = await seqBefore((await store.now()) - ACTIVITY_WINDOW_MS);
      activity = createActivity();
    }
    for (let more = true; more; ) {
      const facts = await store.facts(cursor, BATCH);
      for (const fact of facts) activity.take(fact);
      cursor = facts.at(-1)?.seq ?? cursor;
      more = facts.length === BATCH;
      // A long history is read beside the work, not before it.
      if (more) await new Promise((resolve) => setImmediate(resolve));
    }
    return activity;
  }

  return {
    activity() {
      running ??= catchUp().finally(() => {
        running = null;
      });
      return running;
    },
  };
}
