// Tickets: data that expires, an index that does not, repaired by bulk reads. In memory,
// because one process owns the file: a ticket stands for one of its open requests and ends with it. After a
// crash nobody waits any more, and work claimed for such a ticket would be lost until its lease ran out.

import type { Ticket, Tickets } from '../../core/ticket.ts';
import type { Clocked } from './clock.ts';

interface Data {
  readonly ticket: Ticket;
  readonly expiresAt: number;
}

export function createTickets({ read }: Clocked): Tickets {
  const data = new Map<string, Data>();
  /** In order of arrival; the value is the instant until which somebody matches it. */
  const index = new Map<string, number>();

  const byAgent = new Map<string, Set<string>>();

  function drop(id: string): void {
    const agentId = data.get(id)?.ticket.agentId ?? '';
    data.delete(id);
    const own = byAgent.get(agentId);
    own?.delete(id);
    if (own?.size === 0) byAgent.delete(agentId);
  }

  function find(id: string, now: number): Ticket | null {
    const found = data.get(id);
    if (found === undefined) return null;
    if (found.expiresAt > now) return found.ticket;
    drop(id);
    return null;
  }

  function setPending(id: string, until: number): void {
    if (index.has(id)) index.set(id, until);
  }

  const waitsWith = (agentId: string, now: number): number =>
    [...(byAgent.get(agentId) ?? [])].filter((id) => find(id, now) !== null).length;

  function perAgent(now: number): Map<string, number> {
    const counts = [...byAgent.keys()].map((id) => [id, waitsWith(id, now)] as const);
    return new Map(counts.filter(([, count]) => count > 0));
  }

  return {
    create: (ticket, ttlMs, most) =>
      read((now) => {
        if (most !== undefined && !index.has(ticket.id)) {
          if (waitsWith(ticket.agentId, now) >= most.perAgent) return 'perAgent';
          if (index.size >= most.all) return 'all';
        }
        data.set(ticket.id, { ticket, expiresAt: now + ttlMs });
        byAgent.set(ticket.agentId, (byAgent.get(ticket.agentId) ?? new Set()).add(ticket.id));
        if (!index.has(ticket.id)) index.set(ticket.id, 0);
        return 'ok';
      }),
    get: (id) => read((now) => find(id, now)),
    getMany: (ids) =>
      read((now) =>
        ids.flatMap((id) => {
          const ticket = find(id, now);
          if (ticket === null) index.delete(id);
          return ticket ?? [];
        }),
      ),
    listActive: (limit, pendingMs) =>
      read((now) => {
        const ids: string[] = [];
        for (const [id, pendingUntil] of index) {
          if (ids.length >= limit) break;
          if (pendingUntil <= now) ids.push(id);
        }
        for (const id of ids) setPending(id, now + pendingMs);
        return ids;
      }),
    assign: (ids) =>
      read(() => {
        for (const id of ids) {
          index.delete(id);
          drop(id);
        }
      }),
    release: (ids) =>
      read(() => {
        for (const id of ids) setPending(id, 0);
      }),
    delete: (id) =>
      read(() => {
        index.delete(id);
        drop(id);
      }),
    unlisted: (ids) => read(() => ids.filter((id) => !index.has(id))),
    count: () => read(() => index.size),
    perAgent: () => read(perAgent),
  };
}
