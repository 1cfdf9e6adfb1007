// Leases as the timeline draws them: loaded for the range in view, then kept by the events.

import { signal } from '@preact/signals';
import { api } from './api.ts';
import type { Event, LeaseBar } from './contract.ts';

export const leases = signal<readonly LeaseBar[]>([]);
/** Since when they are known; null: not loaded. */
let loadedSince: number | null = null;

const ENDS = new Set([
  'completed',
  'failed',
  'released',
  'expired',
  'refused',
  'unlocked',
  'cancelled',
]);

export async function loadLeases(since: number): Promise<void> {
  if (loadedSince !== null && loadedSince <= since) return;
  const before = loadedSince;
  loadedSince = since;
  try {
    leases.value = (await api.leases(new Date(since))).leases;
  } catch (error) {
    loadedSince = before;
    throw error;
  }
}

function kindOf(taskId: string): LeaseBar['kind'] {
  return (/~(implement|review|fix)\.\d+$/.exec(taskId)?.[1] ?? 'implement') as LeaseBar['kind'];
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function takeLeaseEvent(event: Event): void {
  const id = event.task_id;
  if (loadedSince === null || id === undefined) return;
  if (event.type === 'leased') {
    leases.value = [
      ...leases.value,
      {
        task_id: id,
        agent_id: String(event['agent_id']),
        kind: kindOf(id),
        attempt: Number(event['attempt'] ?? 1),
        started_at: event.at,
        ended_at: null,
        expires_at: String(event['expires_at']),
        outcome: null,
        note: null,
      },
    ];
    return;
  }
  if (!ENDS.has(event.type)) return;
  leases.value = leases.value.map((lease) =>
    lease.task_id === id && lease.ended_at === null
      ? {
          ...lease,
          ended_at: event.at,
          outcome: event.type,
          note: text(event['reason']) ?? text(event['summary']) ?? lease.note,
        }
      : lease,
  );
}
