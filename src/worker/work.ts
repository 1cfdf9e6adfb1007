// `banto work`: as many slots as were asked for, each an agent of its own, until the work ends or somebody
// stops it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Slot } from './bench.ts';
import { WorkerFault } from './fault.ts';
import { lockAgent } from './place/agent-lock.ts';
import { type Checkout, openCheckout } from './place/checkout.ts';
import { layoutOf, prepareWorkDir } from './place/layout.ts';
import { tidy } from './place/leftovers.ts';
import type { Halt } from './run/halt.ts';
import type { WorkDeps, WorkSettings } from './settings.ts';
import { runSlot, type SlotEnd } from './slot.ts';

/** An agent holds one task at a time, so that each further slot needs a name of its own. */
export function slotNames(agentId: string, parallel: number): string[] {
  return Array.from({ length: parallel }, (_, index) =>
    index === 0 ? agentId : `${agentId}-${index + 1}`,
  );
}

function graceSignal(settings: WorkSettings, deps: WorkDeps, over: AbortSignal): AbortSignal {
  const grace = new AbortController();
  const halt: Halt = { by: 'shutdown' };
  deps.stops.asked.addEventListener('abort', () => {
    deps.tell({ type: 'stopping', graceSeconds: settings.graceSeconds });
    sleep(settings.graceSeconds * 1000, undefined, { signal: over })
      .then(() => grace.abort(halt))
      .catch(() => undefined);
  });
  return grace.signal;
}

async function openSlot(
  agentId: string,
  shared: { settings: WorkSettings; deps: WorkDeps; checkout: Checkout; graceOver: AbortSignal },
): Promise<{ slot: Slot; unlock: () => void }> {
  const layout = layoutOf(shared.settings.workDir, agentId);
  const unlock = await lockAgent(layout.agent, agentId);
  await tidy(shared.checkout, layout, shared.deps.now());
  return { slot: { ...shared, agentId, layout }, unlock };
}

export async function work(settings: WorkSettings, deps: WorkDeps): Promise<SlotEnd[]> {
  const checkout = await openCheckout(settings.repoDir);
  prepareWorkDir(settings.workDir);
  const over = new AbortController();
  // One slot that cannot go on ends the others' asking as well; what they hold they finish.
  const failed = new AbortController();
  const stops = { ...deps.stops, asked: AbortSignal.any([deps.stops.asked, failed.signal]) };
  const graceOver = graceSignal(settings, deps, over.signal);
  const shared = { settings, deps: { ...deps, stops }, checkout, graceOver };
  const unlocks: (() => void)[] = [];
  try {
    const slots: Slot[] = [];
    for (const agentId of slotNames(settings.agentId, settings.parallel)) {
      const { slot, unlock } = await openSlot(agentId, shared);
      unlocks.push(unlock);
      slots.push(slot);
    }
    const ends = await Promise.allSettled(
      slots.map((slot) =>
        runSlot(slot)
          .finally(() => undefined)
          .then(
            (end) => {
              if (end.fault !== null) failed.abort();
              return end;
            },
            (error: unknown) => {
              failed.abort();
              throw error;
            },
          ),
      ),
    );
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    const done = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const fault = done.find((end) => end.fault !== null)?.fault ?? null;
    if (fault !== null) throw new WorkerFault(fault);
    return done;
  } finally {
    over.abort();
    for (const unlock of unlocks) unlock();
  }
}
