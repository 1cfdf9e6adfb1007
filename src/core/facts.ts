// Facts: what happened, appended in the same step as the change. History, events, statistics
// and the checks of the invariants are all read from here.

import type { TaskKind, TaskState, Verdict } from './task.ts';

interface FactHead {
  /** Strictly rising in one store; what `Last-Event-ID` names. */
  readonly seq: number;
  readonly at: number;
}

interface OfTask {
  readonly taskId: string;
  /** The state after this fact. */
  readonly state: TaskState;
}

export type FactBody =
  | (OfTask & { type: 'accepted'; kind: TaskKind; priority: number; reason: string | null })
  | (OfTask & { type: 'held'; reason: string })
  | (OfTask & { type: 'delayed'; reason: string | null; readyAt: number })
  | (OfTask & { type: 'ready'; reason: string | null })
  | (OfTask & {
      type: 'leased';
      agentId: string;
      fence: number;
      expiresAt: number;
      attempt: number;
      requestId: string | null;
      waitedMs: number;
    })
  | (OfTask & {
      type: 'renewed';
      agentId: string;
      fence: number;
      expiresAt: number;
      progress: string | null;
    })
  | (OfTask & {
      type: 'completed';
      agentId: string;
      fence: number;
      summary: string | null;
      verdict: Verdict | null;
      prNumber: number | null;
      workedMs: number;
    })
  | (OfTask & {
      type: 'failed';
      agentId: string;
      fence: number;
      reason: string;
      attempt: number;
      readyAt: number | null;
      workedMs: number;
    })
  | (OfTask & { type: 'released'; agentId: string; fence: number; reason: string | null })
  | (OfTask & { type: 'expired'; agentId: string; fence: number; attempt: number })
  | (OfTask & { type: 'refused'; agentId: string; fence: number; reason: string })
  | (OfTask & { type: 'unlocked'; agentId: string; fence: number })
  | (OfTask & { type: 'dead'; reason: string })
  | (OfTask & { type: 'cancelled'; reason: string; agentId: string | null; fence: number | null })
  | (OfTask & { type: 'requeued'; readyAt: number | null })
  | (OfTask & { type: 'prioritized'; priority: number })
  | { type: 'ledger_written'; repository: string; number: number; labels: readonly string[] }
  | { type: 'ledger_failed'; repository: string; number: number; error: string; final: boolean }
  | { type: 'setting_changed'; name: string; value: unknown };

export type Fact = FactHead & FactBody;
export type FactType = Fact['type'];

/** The counters of `GET /stats`, by the fact that raises them. */
export const COUNTED_FACTS = {
  accepted: 'accepted',
  leased: 'handed_out',
  completed: 'completed',
  failed: 'failed',
  expired: 'expired',
  released: 'released',
  refused: 'refused',
  dead: 'dead',
  cancelled: 'cancelled',
} as const satisfies Partial<Record<FactType, string>>;
