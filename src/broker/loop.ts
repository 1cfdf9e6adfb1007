// The shape of every background service: run once, start, stop. One failure is logged and the loop goes on.

import type { Log, Timers } from './context.ts';

export interface Loop {
  /** Runs now; a run under way is waited for and followed by one more. */
  runOnce(): Promise<void>;
  /** Runs soon, without waiting for it. Many calls make one run. */
  kick(): void;
  start(): void;
  stop(): Promise<void>;
}

export interface LoopOptions {
  readonly name: string;
  readonly timers: Timers;
  readonly log: Log;
  /** Returns after how many milliseconds to run again; null: only when kicked. */
  readonly turn: () => Promise<number | null>;
  /** After a failed turn. */
  readonly retryMs: number;
}

export function createLoop({ name, timers, log, turn, retryMs }: LoopOptions): Loop {
  let started = false;
  let cancelTimer: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let again = false;

  function schedule(ms: number | null): void {
    cancelTimer?.();
    cancelTimer = started && ms !== null ? timers.after(ms, kick) : null;
  }

  async function work(): Promise<void> {
    do {
      again = false;
      schedule(null);
      try {
        schedule(await turn());
      } catch (error) {
        log.warn({ err: error, loop: name }, `${name} failed; it will try again`);
        schedule(retryMs);
      }
    } while (again);
  }

  function run(): Promise<void> {
    if (running !== null) {
      again = true;
      return running;
    }
    running = work().finally(() => {
      running = null;
    });
    return running;
  }

  function kick(): void {
    if (started) void run();
  }

  return {
    runOnce: run,
    kick,
    start() {
      started = true;
      kick();
    },
    async stop() {
      started = false;
      again = false;
      schedule(null);
      await running;
    },
  };
}
