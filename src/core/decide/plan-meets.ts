// How a plan meets the task it finds: the table of `TaskPlan`, row by row.

import { BUDGET } from '../attempt/budget.ts';
import { NO_PROGRESS } from '../attempt/no-progress.ts';
import type { TaskRow } from '../rows/task-row.ts';
import type { TaskPlan } from '../store.ts';
import { isRefused } from './refuse.ts';

export interface Turn {
  readonly state: 'ready' | 'delayed' | 'held';
  readonly reason: string | null;
  readonly readyAt: number | null;
  /** The instant is a back-off's: no plan sets it again. */
  readonly timed: boolean;
}

const READY = { state: 'ready', reason: null, readyAt: null, timed: false } as const;

/** Null: such a task is not made. */
export function planFromNothing(want: TaskPlan['want'], now: number): Turn | null {
  switch (want.state) {
    case 'ready':
      return READY;
    case 'delayed':
      if (want.delayMs <= 0) return READY;
      return { state: 'delayed', reason: want.reason, readyAt: now + want.delayMs, timed: false };
    case 'held':
      return hold(want, null, false, now);
    case 'cancelled':
      return null;
  }
}

/** Null: it stays as it is. */
export function planMeets(
  found: TaskRow,
  planned: TaskPlan['want'],
  now: number,
  reopened: boolean,
): Turn | 'cancel' | null {
  const want = withPerson(found, planned);
  if (found.state === 'cancelled') return reopened ? planFromNothing(want, now) : null;
  if (found.state === 'done') return null;
  if (want.state === 'cancelled') return 'cancel';
  if (found.state === 'leased' || found.state === 'dead') return null;
  if (want.state === 'held') {
    if (found.state === 'held' && found.reason === want.reason) return null;
    return hold(want, found.readyAt, found.timed, now);
  }
  if (found.state === 'held') return lift(found, want, now);
  if (want.state === 'ready' || found.timed) return null;
  return delayAgain(found, want, now);
}

/**
 * No plan takes a lease away, but what people have said meanwhile counts when it ends. What only says that the forge
 * is not known yet does not.
 */
export function holdAfterLease(want: TaskPlan['want']): string | null {
  if (want.state !== 'held' || want.graceMs !== null || want.reason === 'listing') return null;
  return want.reason;
}

/** Said about this kind of task alone; everything else is said about the issue, and so about what follows as well. */
const OF_ONE_KIND = new Set(['no_deliverables', 'no_pull_request', 'needs_review', 'approved']);

export function holdOfFollowUp({ holdAfter }: TaskRow): string | null {
  return holdAfter === null || OF_ONE_KIND.has(holdAfter) ? null : holdAfter;
}

/** What makes no progress or used up its budget waits for an operator, whatever the issue says. */
function withPerson(found: TaskRow, want: TaskPlan['want']): TaskPlan['want'] {
  const offers = want.state === 'ready' || want.state === 'delayed';
  if (!offers || !(found.stuck || found.overspent)) return want;
  return { state: 'held', reason: found.stuck ? NO_PROGRESS : BUDGET, graceMs: null };
}

type Want<State> = Extract<TaskPlan['want'], { state: State }>;

function hold(want: Want<'held'>, readyAt: number | null, timed: boolean, now: number): Turn {
  const until = want.graceMs === null ? readyAt : now + want.graceMs;
  return { state: 'held', reason: want.reason, readyAt: until, timed };
}

/** An instant that outlived the hold is kept; a delay from acceptance that ends later counts too. */
function lift(found: TaskRow, want: Want<'ready' | 'delayed'>, now: number): Turn | null {
  const kept = found.readyAt ?? 0;
  if (isRefused(found.reason) && kept > now) return null;
  const { timed } = found;
  const planned = want.state === 'delayed' && !timed ? found.createdAt + want.delayMs : 0;
  if (Math.max(kept, planned) <= now) {
    return { state: 'ready', reason: null, readyAt: found.readyAt, timed };
  }
  return want.state === 'delayed' && planned >= kept
    ? { state: 'delayed', reason: want.reason, readyAt: planned, timed: false }
    : { state: 'delayed', reason: 'retry', readyAt: kept, timed: true };
}

function delayAgain(found: TaskRow, want: Want<'delayed'>, now: number): Turn | null {
  const readyAt = found.createdAt + want.delayMs;
  if (readyAt <= now) {
    return found.state === 'ready' ? null : { state: 'ready', reason: null, readyAt, timed: false };
  }
  const same =
    found.state === 'delayed' && found.readyAt === readyAt && found.reason === want.reason;
  return same ? null : { state: 'delayed', reason: want.reason, readyAt, timed: false };
}
