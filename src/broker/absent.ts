// Requests that nobody waits for any more: the wait ended, or the store never answered. Whatever was, or
// still is, claimed for one of them is given back. A request with an id of the agent's own is none of these:
// the agent asks again with that id and gets what was claimed.

import { waitingLedger } from '../core/ledger.ts';
import type { HandOut } from '../core/store.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Context } from './context.ts';
import type { ClaimTicket } from './request.ts';

/** Longer than any matcher may still be busy with a ticket it read before it was deleted. */
const REMEMBERED_MS = 30_000;

export interface Absent {
  /** `unsure`: something may have been claimed already; that is asked until the store answers. */
  remember(ticket: Ticket, unsure: boolean): void;
  /** Somebody claimed for it. */
  claimed(requestId: string): void;
  /** Before the agent asks anew: what it never heard of must not count as held by it. */
  settleAgent(agentId: string): Promise<void>;
  /** Asks for all that are unsure. */
  settleAll(): Promise<void>;
  stop(): void;
}

interface Entry {
  readonly ticket: Ticket;
  unsure: boolean;
  cancel: () => void;
}

export function createAbsent(context: Context, claimFor: ClaimTicket): Absent {
  const { store, timers, log } = context;
  const entries = new Map<string, Entry>();
  let stopped = false;

  async function giveBack({ task, lease }: HandOut): Promise<void> {
    await store.release({
      taskId: task.id,
      token: lease.token,
      reason: 'the request ended before the answer',
      ledger: waitingLedger(task.kind),
    });
  }

  async function settle(entry: Entry): Promise<void> {
    const { ticket } = entry;
    await store.tickets.delete(ticket.id);
    const result = await claimFor(ticket, [], -1);
    if (result.outcome === 'leased') await giveBack(result.handOut);
    entry.unsure = false;
  }

  function forgetLater(requestId: string, entry: Entry): void {
    entry.cancel = timers.after(REMEMBERED_MS, () => {
      if (entry.unsure) forgetLater(requestId, entry);
      else if (entries.get(requestId) === entry) entries.delete(requestId);
    });
  }

  async function settleThose(wanted: (entry: Entry) => boolean): Promise<void> {
    const unsure = [...entries.values()].filter((entry) => entry.unsure && wanted(entry));
    for (const entry of unsure) await settle(entry);
  }

  function forget(requestId: string): void {
    entries.get(requestId)?.cancel();
    entries.delete(requestId);
  }

  return {
    remember(ticket, unsure) {
      if (stopped) return;
      forget(ticket.requestId);
      const entry: Entry = { ticket, unsure, cancel: () => undefined };
      entries.set(ticket.requestId, entry);
      forgetLater(ticket.requestId, entry);
    },
    claimed(requestId) {
      const entry = entries.get(requestId);
      if (entry === undefined) return;
      entry.unsure = true;
      settle(entry).catch((error: unknown) => {
        log.warn({ err: error }, 'could not give back a hand-out yet; trying again');
      });
    },
    settleAgent: (agentId) => settleThose(({ ticket }) => ticket.agentId === agentId),
    settleAll: () => settleThose(() => true),
    stop() {
      stopped = true;
      for (const { cancel } of entries.values()) cancel();
      entries.clear();
    },
  };
}
