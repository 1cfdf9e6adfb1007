// A process that takes and finishes work in a loop and says each step after the store has answered it.
// The crash test kills it at random moments.

import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { createWorld, entry, followUp } from '../contract/store/world.ts';

const [dataDir = '', life = '0'] = process.argv.slice(2);
const store = await openSqliteStore({ dataDir });
const world = createWorld({ store, advance: () => {}, close: () => store.close() });

function acknowledge(step: string, id: string, fence = 0): void {
  process.stdout.write(`${JSON.stringify({ step, id, fence })}\n`);
}

async function agent(name: string): Promise<never> {
  for (let turn = 1; ; turn += 1) {
    // Everything about this step is new in each life, so that what was said before must still be there.
    const number = Number(life) * 1_000_000 + turn * 10 + Number(name);
    await world.mirror(entry(number));
    acknowledge('accepted', `octo~park~${number}~implement.1`);
    const held = await world.claim(`agent-${name}`);
    if (held.outcome !== 'leased' && held.outcome !== 'unfinished') continue;
    const { handOut } = held;
    const { id } = handOut.task;
    acknowledge('leased', id, handOut.lease.fence);
    if (turn % 5 === 0) {
      await world.fail(handOut);
      acknowledge('failed', id, handOut.lease.fence);
    } else {
      const review = followUp(id.replace('implement', 'review'));
      await world.complete(handOut, { followUp: review });
      acknowledge('completed', id, handOut.lease.fence);
      acknowledge('accepted', review.id);
    }
  }
}

await Promise.all(['1', '2', '3'].map(agent));
