// What every step of one attempt shares.

import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import type { LeaseHolder } from './lease.ts';
import type { Meter } from './meter.ts';
import type { Checkout } from './place/checkout.ts';
import type { Layout } from './place/layout.ts';
import type { Memory } from './place/memory.ts';
import type { Worktree } from './place/worktree.ts';
import type { AttemptLog } from './run/attempt-log.ts';
import type { Stops } from './run/command.ts';
import type { WorkDeps, WorkSettings } from './settings.ts';

export interface Slot {
  readonly agentId: string;
  readonly settings: WorkSettings;
  readonly deps: WorkDeps;
  readonly checkout: Checkout;
  readonly layout: Layout;
  /** Aborted when the grace period is over. */
  readonly graceOver: AbortSignal;
}

export interface Bench extends Slot {
  readonly task: AssignmentAnswer;
  readonly key: string;
  readonly log: AttemptLog;
  readonly lease: LeaseHolder;
  readonly memory: Memory;
  readonly meter: Meter;
  readonly scratch: string;
  readonly stops: Stops;
}

export interface Workplace extends Bench {
  readonly worktree: Worktree;
  readonly env: NodeJS.ProcessEnv;
  readonly promptFile: string;
  /** The end of the whole run, in milliseconds since 1970. */
  readonly deadline: number;
}
