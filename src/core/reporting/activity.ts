// What the facts of the last days add up to: leases as bars, tasks by column over time, and how long
// things took. Facts go in one by one; every figure that the page draws comes out of here.

import { type Fact, isIssueFact, isTold } from '../facts.ts';
import { parseTaskId, type TaskKind, type TaskState } from '../task.ts';
import { createFailures, createMinutes, createNewest } from './activity-lists.ts';
import { createSpending, type Spending } from './spending.ts';

export const ACTIVITY_WINDOW_MS = 7 * 86_400_000;
const MINUTE_MS = 60_000;
const MOST_LEASES = 100_000;
const MOST_ENDED = 1000;
const MOST_RECENT = 40;

/** The bands of the cumulative flow. Reviews and fixes that are offered or worked on are "review". */
export const BANDS = ['held', 'ready', 'leased', 'review', 'dead', 'done'] as const;
export type Band = (typeof BANDS)[number];

export const COUNTERS = ['handed_out', 'completed', 'failed', 'expired', 'released'] as const;
export type Counter = (typeof COUNTERS)[number];

const WIDTH = BANDS.length + COUNTERS.length;

export type LeaseEnd =
  | 'completed'
  | 'failed'
  | 'released'
  | 'expired'
  | 'refused'
  | 'unlocked'
  | 'cancelled';

export interface LeaseSpan {
  readonly taskId: string;
  readonly agentId: string;
  readonly attempt: number;
  readonly startedAt: number;
  readonly waitedMs: number;
  /** Null: accepted before the window began. */
  readonly priority: number | null;
  readonly kind: TaskKind;
  expiresAt: number;
  endedAt: number | null;
  outcome: LeaseEnd | null;
  /** The last progress note while it runs, the reason or summary afterwards. */
  note: string | null;
  noteAt: number;
}

export interface FlowPoint {
  readonly at: number;
  readonly tasks: Readonly<Record<Band, number>>;
  readonly counts: Readonly<Record<Counter, number>>;
  readonly costMicroUsd: number;
}

export interface Activity {
  take(fact: Fact): void;
  /** Leases that overlap the range, oldest first; the newest `limit` of them. */
  leases(from: number, to: number, limit: number): LeaseSpan[];
  openLease(taskId: string): LeaseSpan | null;
  /** Newest first. */
  readonly ended: { readonly done: readonly string[]; readonly cancelled: readonly string[] };
  /** When it came into its state, as far as the facts say; null: before they begin. */
  stateSince(taskId: string, state: TaskState): number | null;
  /** The last facts that are worth a line, newest first. */
  readonly recent: readonly Fact[];
  /** Reviews that approved, newest first. */
  readonly approved: readonly string[];
  /** The last ledger write that failed, of an issue that was not written since; null: none. */
  readonly ledgerFailure: { readonly error: string; readonly at: number } | null;
  readonly spending: Pick<Spending, 'byModel' | 'byAgent'>;
  /** `now` gives the counts of this moment; earlier ones follow from what changed since. */
  flow(input: {
    readonly from: number;
    readonly to: number;
    readonly stepMs: number;
    readonly now: Readonly<Record<Band, number>>;
  }): FlowPoint[];
}

export function bandOf(kind: TaskKind, state: TaskState): Band | null {
  if (state === 'cancelled') return null;
  if (state === 'delayed') return 'held';
  if ((state === 'ready' || state === 'leased') && kind !== 'implement') return 'review';
  return state;
}

const ENDS: Partial<Record<Fact['type'], LeaseEnd>> = {
  completed: 'completed',
  failed: 'failed',
  released: 'released',
  expired: 'expired',
  refused: 'refused',
  unlocked: 'unlocked',
  cancelled: 'cancelled',
};

const COUNTED: Partial<Record<Fact['type'], Counter>> = {
  leased: 'handed_out',
  completed: 'completed',
  failed: 'failed',
  expired: 'expired',
  released: 'released',
};

/** The band a task was in before the first fact of it that is still kept. */
function bandBefore(type: Fact['type'], kind: TaskKind): Band | null {
  if (type === 'accepted') return null;
  if (type === 'leased') return bandOf(kind, 'ready');
  if (ENDS[type] !== undefined && type !== 'cancelled') return bandOf(kind, 'leased');
  if (type === 'requeued') return 'dead';
  return type === 'held' || type === 'delayed' ? bandOf(kind, 'ready') : 'held';
}

function noteOf(fact: Fact): string | null {
  if (fact.type === 'completed') return fact.summary;
  return 'reason' in fact ? fact.reason : null;
}

export function createActivity(): Activity {
  const minutes = createMinutes(ACTIVITY_WINDOW_MS, WIDTH);
  const bands = new Map<string, Band | null>();
  const states = new Map<string, { readonly state: TaskState; readonly at: number }>();
  const priorities = new Map<string, number>();
  const open = new Map<string, LeaseSpan>();
  const done = createNewest(MOST_ENDED);
  const cancelled = createNewest(MOST_ENDED);
  const approved = createNewest(MOST_ENDED);
  const ledgerFailures = createFailures();
  const spending = createSpending(ACTIVITY_WINDOW_MS);
  let spans: LeaseSpan[] = [];
  let recent: Fact[] = [];

  function move(fact: Fact & { taskId: string; state: TaskState }, kind: TaskKind): void {
    const before = bands.has(fact.taskId)
      ? (bands.get(fact.taskId) ?? null)
      : bandBefore(fact.type, kind);
    const after = bandOf(kind, fact.state);
    if (states.get(fact.taskId)?.state !== fact.state) {
      states.set(fact.taskId, { state: fact.state, at: fact.at });
    }
    if (before !== after) {
      if (before !== null) minutes.add(fact.at, BANDS.indexOf(before), -1);
      if (after !== null) minutes.add(fact.at, BANDS.indexOf(after), 1);
    }
    if (fact.state === 'done') {
      bands.delete(fact.taskId);
      states.delete(fact.taskId);
      priorities.delete(fact.taskId);
      done.add(fact.taskId);
    } else bands.set(fact.taskId, after);
    if (fact.state === 'cancelled') cancelled.add(fact.taskId);
    else cancelled.remove(fact.taskId);
  }

  function begin(fact: Extract<Fact, { type: 'leased' }>, kind: TaskKind): void {
    const span: LeaseSpan = {
      taskId: fact.taskId,
      agentId: fact.agentId,
      attempt: fact.attempt,
      startedAt: fact.at,
      waitedMs: fact.waitedMs,
      priority: priorities.get(fact.taskId) ?? null,
      kind,
      expiresAt: fact.expiresAt,
      endedAt: null,
      outcome: null,
      note: null,
      noteAt: fact.at,
    };
    open.set(fact.taskId, span);
    spans.push(span);
    if (spans.length <= MOST_LEASES * 1.1) return;
    const since = fact.at - ACTIVITY_WINDOW_MS;
    spans = spans.filter(({ endedAt }) => endedAt === null || endedAt >= since).slice(-MOST_LEASES);
  }

  function end(fact: Fact & { taskId: string }, outcome: LeaseEnd): void {
    const span = open.get(fact.taskId);
    if (span === undefined) return;
    open.delete(fact.taskId);
    span.endedAt = fact.at;
    span.outcome = outcome;
    span.note = noteOf(fact) ?? span.note;
  }

  function take(fact: Fact): void {
    if (isTold(fact.type)) recent = [fact, ...recent.slice(0, MOST_RECENT - 1)];
    spending.take(fact);
    ledgerFailures.take(fact);
    if (!('taskId' in fact) || isIssueFact(fact)) return;
    const kind = parseTaskId(fact.taskId)?.kind ?? 'implement';
    const counter = COUNTED[fact.type];
    if (counter !== undefined) minutes.add(fact.at, BANDS.length + COUNTERS.indexOf(counter), 1);
    if (fact.type === 'accepted' || fact.type === 'prioritized') {
      priorities.set(fact.taskId, fact.priority);
    }
    if (fact.type === 'leased') begin(fact, kind);
    else if (fact.type === 'renewed') {
      const span = open.get(fact.taskId);
      if (span !== undefined) {
        span.expiresAt = fact.expiresAt;
        span.noteAt = fact.at;
        span.note = fact.progress ?? span.note;
      }
    } else {
      const outcome = ENDS[fact.type];
      if (outcome !== undefined) end(fact, outcome);
      if (fact.type === 'completed' && fact.verdict === 'approve') approved.add(fact.taskId);
    }
    move(fact, kind);
  }

  function flow({ from, to, stepMs, now }: Parameters<Activity['flow']>[0]): FlowPoint[] {
    const stepMinutes = Math.max(1, Math.round(stepMs / MINUTE_MS));
    const last = Math.floor(to / MINUTE_MS);
    const first = Math.floor(from / MINUTE_MS);
    const points: FlowPoint[] = [];
    const tasks: Record<Band, number> = { ...now };
    // Steps begin at whole multiples, so that two questions get the same bars.
    let start = Math.floor(last / stepMinutes) * stepMinutes;
    let minute = last;
    while (minute >= first) {
      const counts = Object.fromEntries(COUNTERS.map((name) => [name, 0])) as Record<
        Counter,
        number
      >;
      const atEnd = { ...tasks };
      let costMicroUsd = 0;
      for (; minute >= Math.max(start, first); minute -= 1) {
        costMicroUsd += spending.ofMinute(minute);
        for (const [index, name] of COUNTERS.entries()) {
          counts[name] += minutes.read(minute, BANDS.length + index);
        }
        for (const [index, band] of BANDS.entries()) tasks[band] -= minutes.read(minute, index);
      }
      points.push({ at: start * MINUTE_MS, tasks: atEnd, counts, costMicroUsd });
      start -= stepMinutes;
    }
    return points.reverse();
  }

  return {
    take,
    stateSince(taskId, state) {
      const known = states.get(taskId);
      return known?.state === state ? known.at : null;
    },
    openLease: (taskId) => open.get(taskId) ?? null,
    leases: (from, to, limit) =>
      spans
        .filter(({ startedAt, endedAt }) => startedAt <= to && (endedAt ?? to) >= from)
        .slice(-limit),
    ended: {
      get done() {
        return done.list();
      },
      get cancelled() {
        return cancelled.list();
      },
    },
    get recent() {
      return recent;
    },
    get approved() {
      return approved.list();
    },
    get ledgerFailure() {
      return ledgerFailures.last();
    },
    spending,
    flow,
  };
}

/** The value below which this share of them lies; null of nothing. */
export function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? null;
}
