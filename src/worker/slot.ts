// One agent's loop: ask for a task, work on it, ask again. A server that is away is waited for.

import { setTimeout as sleep } from 'node:timers/promises';
import { BantoError } from '../core/errors.ts';
import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import { type AttemptEnd, workOn } from './attempt.ts';
import type { Slot } from './bench.ts';
import { isAway } from './lease.ts';
import { otherRepository } from './place/same-repository.ts';

export interface SlotEnd {
  /** Null: no task came. */
  readonly last: AttemptEnd | null;
  readonly fault: string | null;
}

const FIRST_PAUSE_MS = 1000;
const MOST_PAUSE_MS = 60_000;
const MOST_QUIET_MS = 86_400_000;

async function ask({ agentId, settings, deps }: Slot): Promise<AssignmentAnswer | null> {
  const { capabilities, waitSeconds, leaseSeconds, kinds, repositories } = settings;
  return deps.client.requestTask(
    {
      agent_id: agentId,
      capabilities: [...capabilities],
      wait_seconds: waitSeconds,
      on_unfinished: 'resume',
      ...(leaseSeconds === null ? {} : { lease_seconds: leaseSeconds }),
      ...(kinds === null ? {} : { kinds: [...kinds] }),
      ...(repositories === null ? {} : { repositories: [...repositories] }),
    },
    { signal: deps.stops.asked },
  );
}

/** Worth waiting for with --once too; a day's budget that is used up says to come back much later. */
function isBusyForNow(error: unknown): boolean {
  if (!(error instanceof BantoError) || error.code !== 'busy') return false;
  return (error.retryAfterSeconds ?? 0) * 1000 <= MOST_PAUSE_MS;
}

/** A task of another repository cannot be done in this clone. */
async function strange({ checkout }: Slot, task: AssignmentAnswer): Promise<string | null> {
  const { slug, folder } = checkout;
  const other = await otherRepository(checkout, task.issue_url);
  if (other !== null) {
    return `The task ${task.task_id} is of the repository in ${other}, but this is ${folder}, which shares no commit with it. Start \`banto work\` there, or set BANTO_URL to the Banto of this one.`;
  }
  if (slug === null || !task.repository.includes('/')) return null;
  if (slug.toLowerCase() === task.repository.toLowerCase()) return null;
  return `The task ${task.task_id} is of ${task.repository}, but this is a clone of ${slug}. Start \`banto work\` in a clone of it, or say --repository ${slug}.`;
}

export async function runSlot(slot: Slot): Promise<SlotEnd> {
  const { agentId, settings, deps } = slot;
  const { asked } = deps.stops;
  let last: AttemptEnd | null = null;
  let pauseMs = FIRST_PAUSE_MS;
  const pause = async () => {
    await sleep(pauseMs, undefined, { signal: asked }).catch(() => undefined);
    pauseMs = Math.min(MOST_PAUSE_MS, pauseMs * 2);
  };
  while (!asked.aborted) {
    deps.tell({ type: 'waiting', agentId });
    let task: AssignmentAnswer | null;
    try {
      task = await ask(slot);
    } catch (error) {
      if (asked.aborted) break;
      if (!isAway(error) || (settings.once && !isBusyForNow(error))) throw error;
      deps.tell({
        type: 'away',
        agentId,
        text: `${(error as Error).message} It is asked again by itself.`,
      });
      await pause();
      continue;
    }
    if (task === null) {
      if (!settings.once) continue;
      deps.tell({ type: 'away', agentId, text: 'There was no suitable task.' });
      break;
    }
    const wrong = await strange(slot, task);
    if (wrong !== null) {
      await deps.client.release(task.task_id, { lease_token: task.lease.token, reason: wrong });
      return { last, fault: wrong };
    }
    last = await workOn(slot, task);
    if (last.fault !== null) return { last, fault: last.fault };
    if (settings.once) break;
    if (last.quietUntil !== null) {
      const until = new Date(last.quietUntil).toLocaleTimeString();
      deps.tell({ type: 'away', agentId, text: `Waits until ${until}: ${last.text}` });
      const ms = Math.min(MOST_QUIET_MS, last.quietUntil - deps.now());
      await sleep(ms, undefined, { signal: asked }).catch(() => undefined);
    } else if (last.pause) await pause();
    else pauseMs = FIRST_PAUSE_MS;
  }
  return { last, fault: null };
}
