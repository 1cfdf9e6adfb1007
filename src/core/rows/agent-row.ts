// Agents, as far as they have been heard of. Steps leave notes; a store never compares agents, it only folds notes.

import type { AgentRecord } from '../store.ts';
import { livingLeases, shortestLease, type TaskRow } from './task-row.ts';

export interface AgentRow {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** True from the expiry of a lease of its until it is heard of again. */
  readonly lapsed: boolean;
}

export type AgentNote =
  | { readonly note: 'asked'; readonly agentId: string; readonly capabilities: readonly string[] }
  | { readonly note: 'seen' | 'lapsed'; readonly agentId: string };

/** Undefined: nobody of this name ever asked for work, so that there is nothing to note. */
export function foldNote(
  before: AgentRow | undefined,
  note: AgentNote,
  now: number,
): AgentRow | undefined {
  if (note.note === 'asked') {
    const { agentId, capabilities } = note;
    const firstSeenAt = before?.firstSeenAt ?? now;
    return { agentId, capabilities, firstSeenAt, lastSeenAt: now, lapsed: false };
  }
  if (before === undefined) return undefined;
  if (note.note === 'lapsed') return { ...before, lapsed: true };
  return { ...before, lastSeenAt: now, lapsed: false };
}

/** `held`: its tasks with a lease, live or lapsed. */
export function agentRecord(agent: AgentRow, held: readonly TaskRow[], now: number): AgentRecord {
  const leases = livingLeases(held, now);
  return {
    ...agent,
    holds: leases.map(({ id }) => id),
    leaseSeconds: shortestLease(leases),
  };
}
