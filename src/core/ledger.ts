// The ledger: labels that show people the state. Display, never the lock.

import type { Policy } from './settings.ts';
import type { LedgerByKind } from './store.ts';
import { isAgentId, type TaskKind } from './task.ts';

export const IN_PROGRESS = 'in-progress';
export const NEEDS_REVIEW = 'needs-review';
export const APPROVED = 'approved';
export const NEEDS_HUMAN = 'needs-human';

export interface LedgerLabel {
  readonly name: string;
  /** Six hexadecimal digits, as GitHub wants them. */
  readonly color: string;
  readonly description: string;
}

export const LEDGER_LABELS: readonly LedgerLabel[] = [
  { name: IN_PROGRESS, color: 'fbca04', description: 'An agent is working on this' },
  { name: NEEDS_REVIEW, color: '0e8a16', description: 'Done and waiting for a review' },
  { name: APPROVED, color: '1d76db', description: 'Reviewed and approved' },
  { name: NEEDS_HUMAN, color: 'd93f0b', description: 'Agents cannot go on here without a person' },
];

const NAMES = new Set(LEDGER_LABELS.map((label) => label.name));

/** Labels compare without case, as on GitHub. */
export function isLedgerLabel(label: string): boolean {
  return NAMES.has(label.toLowerCase());
}

/** What the issue shows while a task of this kind waits for an agent (or is held, or backs off). */
export function waitingLedger(kind: TaskKind): string[] {
  return kind === 'review' ? [NEEDS_REVIEW] : [];
}

export function leasedLedger(kind: TaskKind, agentId: string): string[] {
  return [...waitingLedger(kind), IN_PROGRESS, agentId];
}

export function deadLedger(kind: TaskKind): string[] {
  return [...waitingLedger(kind), NEEDS_HUMAN];
}

export function byKind(labels: (kind: TaskKind) => readonly string[]): LedgerByKind {
  return { implement: labels('implement'), review: labels('review'), fix: labels('fix') };
}

/**
 * What has to be written. Everything wanted is added again, because the mirror may be out of date and adding
 * twice is harmless; only what Banto itself put there is removed, and never what people had put there before
 * (`theirs`, in lower case), whatever an agent is called.
 */
export function labelChange(
  wanted: readonly string[],
  written: readonly string[],
  theirs: readonly string[],
): { add: readonly string[]; remove: readonly string[] } {
  const kept = new Set([...wanted.map((label) => label.toLowerCase()), ...theirs]);
  return { add: wanted, remove: written.filter((label) => !kept.has(label.toLowerCase())) };
}

/** True where the issue does not show what the store wants it to show. */
export function ledgerDiffers(
  wanted: readonly string[],
  written: readonly string[],
  present: readonly string[],
  theirs: readonly string[],
): boolean {
  const have = new Set(present.map((label) => label.toLowerCase()));
  const { add, remove } = labelChange(wanted, written, theirs);
  return (
    add.some((label) => !have.has(label.toLowerCase())) ||
    remove.some((label) => have.has(label.toLowerCase()))
  );
}

/**
 * An agent's id stands as a label on the issues it works on: one that means something there would change what
 * the issue says. The sentence that refuses it; null: it may be used.
 */
export function agentIdProblem(
  agentId: string,
  { priorityLabels, excludedLabels }: Pick<Policy, 'priorityLabels' | 'excludedLabels'>,
): string | null {
  if (!isAgentId(agentId)) {
    return 'agent_id must be 1 to 50 letters, digits, dots, underscores or hyphens, and begin with a letter or digit.';
  }
  const { high, normal, low } = priorityLabels;
  const means = isLedgerLabel(agentId)
    ? 'a label that Banto writes itself'
    : isAmong(agentId, [...high, ...normal, ...low])
      ? 'a priority label'
      : isAmong(agentId, excludedLabels)
        ? 'a label that keeps agents away'
        : null;
  return means === null
    ? null
    : `agent_id cannot be ${agentId}: that is ${means}, and the agent's id is put on issues as a label. Choose another name.`;
}

function isAmong(label: string, labels: readonly string[]): boolean {
  return labels.some((one) => one.toLowerCase() === label.toLowerCase());
}
