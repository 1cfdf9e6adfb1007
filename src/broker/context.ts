// What every verb of the broker stands on. Time, randomness and the outside world come in here.

import type { Forge } from '../core/forge.ts';
import type { Templates } from '../core/prompt/prompt-template.ts';
import type { Policy } from '../core/settings.ts';
import type { Store } from '../core/store.ts';

export interface Log {
  debug(data: object, message: string): void;
  info(data: object, message: string): void;
  warn(data: object, message: string): void;
  error(data: object, message: string): void;
}

export interface Timers {
  /** Runs `fn` after `ms`; the returned function takes that back. */
  after(ms: number, fn: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, fn) {
    // Node fires at once for delays past 2^31 - 1 ms.
    const timer = setTimeout(fn, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};

/** Named points of the way at which crash tests stop the process. Nothing listens in production. */
export type Checkpoint =
  | 'before_claim'
  | 'after_claim'
  | 'after_branch'
  | 'after_labels'
  | 'before_answer'
  | 'before_complete'
  | 'after_complete';

export interface Context {
  readonly store: Store;
  readonly forge: Forge;
  /** The policy as it is now; run-time changes show at once. */
  readonly policy: () => Policy;
  readonly prompts: Templates;
  readonly instanceId: string;
  readonly timers: Timers;
  /** In [0, 1). */
  readonly random: () => number;
  /** 128 bits or more, URL-safe. */
  readonly newSecret: () => string;
  readonly log: Log;
  readonly reached: (checkpoint: Checkpoint) => void;
}
