// Facts: what happened, appended in the same step as the change. History, events, statistics
// and the checks of the invariants are all read from here.

import type { TaskKind, TaskState, Verdict } from './task.ts';
import type { UsageAdded } from './usage.ts';

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

/** What the call added to what its attempt used; missing: nothing. */
interface Uses {
  readonly usage?: UsageAdded;
}

/** Who asked for it by hand; missing: nobody did, or it was not written down. */
export interface ByHand {
  readonly by?: string;
}

/** What was done by hand to an issue of a backlog that Banto keeps itself. Moves no task. */
export const ISSUE_FACTS = [
  'issue_added',
  'issue_edited',
  'issue_closed',
  'issue_reopened',
] as const;
export type IssueFactType = (typeof ISSUE_FACTS)[number];

/** In the history of the task that somebody who names the issue means, where it has one. */
interface OfIssue {
  readonly repository: string;
  readonly number: number;
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
  | (OfTask &
      Uses & {
        type: 'renewed';
        agentId: string;
        fence: number;
        expiresAt: number;
        progress: string | null;
      })
  | (OfTask &
      Uses & {
        type: 'completed';
        agentId: string;
        fence: number;
        summary: string | null;
        verdict: Verdict | null;
        prNumber: number | null;
        workedMs: number;
      })
  | (OfTask &
      Uses & {
        type: 'failed';
        agentId: string;
        fence: number;
        reason: string;
        attempt: number;
        readyAt: number | null;
        workedMs: number;
      })
  | (OfTask &
      Uses & {
        type: 'released';
        agentId: string;
        fence: number;
        reason: string | null;
        /** When it is offered again, where it was given back for a time. */
        readyAt?: number;
      })
  | (OfTask & { type: 'expired'; agentId: string; fence: number; attempt: number })
  | (OfTask & { type: 'refused'; agentId: string; fence: number; reason: string })
  | (OfTask & ByHand & { type: 'unlocked'; agentId: string; fence: number })
  | (OfTask & {
      type: 'asked';
      agentId: string;
      fence: number;
      questionId: string;
      question: string;
      /** The deadline of the paused lease. */
      expiresAt: number;
    })
  | (OfTask &
      ByHand & {
        type: 'answered';
        questionId: string;
        answer: string;
        /** The deadline of the lease that goes on; null: it has ended. */
        expiresAt: number | null;
      })
  | (OfTask & ByHand & { type: 'budgeted'; costUsd: number | null; tokens: number | null })
  | (OfTask & { type: 'pull_linked'; prNumber: number })
  | (OfTask & { type: 'dead'; reason: string })
  | (OfTask &
      ByHand & { type: 'cancelled'; reason: string; agentId: string | null; fence: number | null })
  | (OfTask & ByHand & { type: 'requeued'; readyAt: number | null })
  | (OfTask & ByHand & { type: 'prioritized'; priority: number })
  | (OfIssue & ByHand & { type: IssueFactType })
  | (OfTask & OfIssue & ByHand & { type: IssueFactType })
  | { type: 'ledger_written'; repository: string; number: number; labels: readonly string[] }
  | { type: 'ledger_failed'; repository: string; number: number; error: string; final: boolean }
  | (ByHand & { type: 'setting_changed'; name: string; value: unknown });

export type Fact = FactHead & FactBody;
export type FactType = Fact['type'];

/** What is worth a line to somebody who comes back: not every renewal. */
const TOLD: ReadonlySet<string> = new Set<FactType>([
  'leased',
  'completed',
  'failed',
  'released',
  'expired',
  'refused',
  'unlocked',
  'dead',
  'cancelled',
  'requeued',
  'prioritized',
  'asked',
  'answered',
  'budgeted',
  'ledger_failed',
  ...ISSUE_FACTS,
]);

export function isTold(type: string): boolean {
  return TOLD.has(type);
}

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

const issueFacts: ReadonlySet<string> = new Set(ISSUE_FACTS);
export const isIssueFact = <Any extends FactBody>(
  fact: Any,
): fact is Extract<Any, { type: IssueFactType }> => issueFacts.has(fact.type);

/** For a fact of what somebody asked for by hand. */
export const byHand = ({ by }: ByHand): ByHand => (by === undefined ? {} : { by });
