// Holds a lease while the work goes on: renews it with the latest progress and usage, sends the log, and says
// at once when the task is no longer ours or what it may cost is used up.

import type { Client } from '../client/client.ts';
import { BantoError, isRefusedForNow } from '../core/errors.ts';
import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import type { UsageBody } from '../doors/schema/usage.ts';
import type { AttemptLog } from './run/attempt-log.ts';
import type { Halt } from './run/halt.ts';

export interface LeaseHolder {
  /** Aborted with a `Halt`: stop what runs. */
  readonly halt: AbortSignal;
  note(text: string): void;
  /** Renews now. False: the lease is lost. Waits for a server that is away. */
  confirm(): Promise<boolean>;
  /** Sends what is left of the log. */
  flush(): Promise<void>;
  /** No further heartbeats. */
  stop(): Promise<void>;
}

export interface LeaseOptions {
  readonly client: Client;
  readonly task: AssignmentAnswer;
  readonly log: AttemptLog;
  readonly usage: () => UsageBody | null;
  readonly away: (text: string) => void;
  /** Aborted: nobody waits for a server that is away. */
  readonly urgent: AbortSignal;
  readonly now: () => number;
}

const MOST_BETWEEN_MS = 30_000;
const LEAST_BETWEEN_MS = 1000;
const BEATS_PER_LEASE = 3;
const MOST_PROGRESS = 4000;
const AWAY_PAUSE_MS = 2000;

export function beatEveryMs(leaseSeconds: number): number {
  const third = (leaseSeconds * 1000) / BEATS_PER_LEASE;
  return Math.max(LEAST_BETWEEN_MS, Math.min(MOST_BETWEEN_MS, third));
}

export function isLost(error: unknown): boolean {
  return error instanceof BantoError && ['lease_lost', 'not_found'].includes(error.code);
}

export function isAway(error: unknown): boolean {
  return error instanceof BantoError && isRefusedForNow(error.code);
}

export function holdLease(options: LeaseOptions): LeaseHolder {
  const { client, task, log, usage, away, urgent, now } = options;
  const halting = new AbortController();
  const leaving = new AbortController();
  let latest: string | null = null;
  let sent: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let beating: Promise<void> = Promise.resolve();
  let takesLog = true;

  const haltBy = (halt: Halt) => halting.abort(halt);

  async function sendLog(): Promise<void> {
    for (let taken = takesLog ? log.take() : null; taken !== null; taken = log.take()) {
      try {
        await client.appendLog(task.task_id, { lease_token: task.lease.token, ...taken });
      } catch (error) {
        // A server without this call; the log is on disk in any case.
        if (error instanceof BantoError && !isAway(error)) takesLog = false;
        else log.giveBack(taken);
        return;
      }
    }
  }

  async function beat(): Promise<void> {
    const progress = latest === sent ? null : latest;
    const used = usage();
    const answer = await client.heartbeat(
      task.task_id,
      {
        lease_token: task.lease.token,
        ...(progress === null ? {} : { progress: progress.slice(0, MOST_PROGRESS) }),
        ...(used === null ? {} : { usage: used }),
      },
      { signal: leaving.signal },
    );
    sent = progress ?? sent;
    const { stop } = answer;
    if (stop !== null && stop !== undefined) {
      haltBy({ by: 'budget', detail: stop.detail ?? stop.reason });
    }
  }

  async function turn(): Promise<void> {
    try {
      await beat();
      await sendLog();
    } catch (error) {
      if (isLost(error)) return haltBy({ by: 'lease_lost' });
      if (leaving.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      away(message);
      log.banto(`the heartbeat failed: ${message}`);
    }
  }

  function schedule(afterMs = beatEveryMs(task.lease.seconds)): void {
    if (leaving.signal.aborted || halting.signal.aborted) return;
    timer = setTimeout(() => {
      beating = turn().then(() => schedule());
    }, afterMs);
  }

  async function confirm(): Promise<boolean> {
    for (;;) {
      if (halting.signal.aborted) return (halting.signal.reason as Halt).by !== 'lease_lost';
      try {
        await beat();
        await sendLog();
        return true;
      } catch (error) {
        if (isLost(error)) {
          haltBy({ by: 'lease_lost' });
          return false;
        }
        if (!isAway(error) || leaving.signal.aborted || urgent.aborted) throw error;
        away((error as Error).message);
        await new Promise((resolve) => {
          setTimeout(resolve, AWAY_PAUSE_MS);
        });
      }
    }
  }

  // A lease that was taken up again may be near its end.
  const left = (Date.parse(task.lease.expires_at) - now()) / BEATS_PER_LEASE;
  schedule(Math.max(0, Math.min(left, beatEveryMs(task.lease.seconds))));
  return {
    halt: halting.signal,
    note(text) {
      latest = text;
    },
    confirm,
    flush: sendLog,
    async stop() {
      leaving.abort();
      if (timer !== null) clearTimeout(timer);
      await beating;
    },
  };
}
