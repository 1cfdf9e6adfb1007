// Watches a run for what nobody else notices: silence, no end, and a tool that waits for a rate limit for ever.

import type { Waiting } from '../presets/preset.ts';
import type { Halt } from './halt.ts';

export interface WatchOptions {
  readonly stallMs: number;
  /** The run must be over by then. */
  readonly deadline: number;
  readonly timeoutSeconds: number;
  readonly now: () => number;
  /** Something that changes when the files do. */
  readonly stamp: () => Promise<string>;
  readonly waiting: () => Waiting | null;
}

export interface Watch {
  readonly halt: AbortSignal;
  /** The tool said something. */
  sawOutput(): void;
  stop(): void;
}

/** Tools repeat a refused request for hours. */
const PATIENCE_MS = 120_000;
const TICKS_PER_STALL = 4;
const MOST_BETWEEN_MS = 15_000;

export function watchRun(options: WatchOptions): Watch {
  const { stallMs, deadline, timeoutSeconds, now, stamp, waiting } = options;
  const halting = new AbortController();
  let activeAt = now();
  let spoke = false;
  let lastStamp: string | null = null;
  let timer: NodeJS.Timeout | null = null;
  let over = false;
  const everyMs = Math.max(50, Math.min(stallMs / TICKS_PER_STALL, MOST_BETWEEN_MS));

  const haltBy = (halt: Halt) => halting.abort(halt);

  async function look(): Promise<void> {
    if (now() >= deadline) return haltBy({ by: 'timeout', seconds: timeoutSeconds });
    const refused = waiting();
    if (refused !== null && now() - refused.since > PATIENCE_MS) {
      return haltBy({ by: 'refused', why: refused.why });
    }
    if (spoke) {
      spoke = false;
      activeAt = now();
      lastStamp = null;
      return;
    }
    const seen = await stamp();
    if (lastStamp !== null && seen !== lastStamp) activeAt = now();
    lastStamp = seen;
    if (now() - activeAt >= stallMs) {
      haltBy({ by: 'stall', seconds: Math.round(stallMs / 1000) });
    }
  }

  function schedule(): void {
    if (over || halting.signal.aborted) return;
    const left = Math.max(0, deadline - now());
    timer = setTimeout(
      () => {
        look()
          .catch(() => undefined)
          .then(schedule, schedule);
      },
      Math.min(everyMs, left + 1),
    );
  }
  schedule();

  return {
    halt: halting.signal,
    sawOutput() {
      spoke = true;
    },
    stop() {
      over = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}
