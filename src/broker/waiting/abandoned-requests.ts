// Abandoned requests, which nobody waits for any more: the wait ended, or the store never answered. Whatever was, or
// still is, claimed for one of them is given back. A request with an id of the agent's own is none of these:
// the agent asks again with that id and gets what was claimed.

import { waitingLedger } from '../../core/ledger.ts';
import { requestKey, type Ticket } from '../../core/ticket.ts';
import type { Context } from '../context.ts';

/** Longer than any matcher may still be busy with a ticket it read before it was deleted. */
const REMEMBERED_MS = 30_000;

export interface AbandonedRequests {
  /** `unsure`: something may have been claimed already; that is asked until the store answers. */
  remember(ticket: Ticket, unsure: boolean): void;
  /** Somebody claimed for it. */
  claimed(request: Pick<Ticket, 'agentId' | 'requestId'>): void;
  /** Before the agent asks again: what it never heard of must not count as held by it. */
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

/** Gives back what was claimed for a request that nobody listens to, unless the agent was told of it after all. */
export async function giveBack(
  store: Context['store'],
  request: Pick<Ticket, 'agentId' | 'requestId'>,
): Promise<void> {
  const { agentId, requestId } = request;
  const found = await store.recall({ agentId, requestId, takeOver: false, writeLockMs: null });
  if (found === null) return;
  await store.release({
    taskId: found.task.id,
    token: found.lease.token,
    reason: 'the request ended before the answer',
    ledger: waitingLedger(found.task.kind),
    unheardBy: requestId,
  });
}

export function createAbandonedRequests(context: Context): AbandonedRequests {
  const { store, timers, log } = context;
  const entries = new Map<string, Entry>();
  let stopped = false;

  async function settle(entry: Entry): Promise<void> {
    const { ticket } = entry;
    await store.tickets.delete(ticket.id);
    await giveBack(store, ticket);
    entry.unsure = false;
  }

  function forgetLater(key: string, entry: Entry): void {
    entry.cancel = timers.after(REMEMBERED_MS, () => {
      if (entry.unsure) forgetLater(key, entry);
      else if (entries.get(key) === entry) entries.delete(key);
    });
  }

  async function settleThose(wanted: (entry: Entry) => boolean): Promise<void> {
    const unsure = [...entries.values()].filter((entry) => entry.unsure && wanted(entry));
    for (const entry of unsure) await settle(entry);
  }

  function forget(key: string): void {
    entries.get(key)?.cancel();
    entries.delete(key);
  }

  return {
    remember(ticket, unsure) {
      if (stopped) return;
      const key = requestKey(ticket);
      forget(key);
      const entry: Entry = { ticket, unsure, cancel: () => undefined };
      entries.set(key, entry);
      forgetLater(key, entry);
    },
    claimed(request) {
      const entry = entries.get(requestKey(request));
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
