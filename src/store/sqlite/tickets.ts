// Tickets as seed 002 has them: data that expires, an index that does not, repaired by bulk reads.

import type { Ticket, Tickets } from '../../core/ticket.ts';
import type { Kit } from './kit.ts';
import { all, first, loadStatements } from './statements.ts';

export function createTickets(kit: Kit): Tickets {
  const sql = loadStatements(kit.db, 'tickets', [
    'put',
    'index',
    'find',
    'free',
    'pend',
    'deindex',
    'drop',
    'count',
    'listed',
  ]);

  function find(id: string, now: number): Ticket | null {
    const row = first<{ data: string }>(sql.find, { id, now });
    return row === undefined ? null : (JSON.parse(row.data) as Ticket);
  }

  return {
    create: (ticket, ttlMs) =>
      kit.write(({ now }) => {
        sql.put.run({ id: ticket.id, data: JSON.stringify(ticket), expires_at: now + ttlMs });
        sql.index.run({ id: ticket.id });
      }),
    get: (id) => kit.read((now) => find(id, now)),
    getMany: (ids) =>
      kit.write(({ now }) =>
        ids.flatMap((id) => {
          const ticket = find(id, now);
          if (ticket === null) sql.deindex.run({ id });
          return ticket ?? [];
        }),
      ),
    listActive: (limit, pendingMs) =>
      kit.write(({ now }) => {
        const ids = all<{ id: string }>(sql.free, { now, limit }).map((row) => row.id);
        for (const id of ids) sql.pend.run({ id, until: now + pendingMs });
        return ids;
      }),
    assign: (ids) =>
      kit.write(() => {
        for (const id of ids) sql.deindex.run({ id });
      }),
    release: (ids) =>
      kit.write(() => {
        for (const id of ids) sql.pend.run({ id, until: 0 });
      }),
    delete: (id) =>
      kit.write(() => {
        sql.drop.run({ id });
        sql.deindex.run({ id });
      }),
    unlisted: (ids) =>
      kit.read(() => ids.filter((id) => first<{ id: string }>(sql.listed, { id }) === undefined)),
    count: () => kit.read(() => first<{ count: number }>(sql.count)?.count ?? 0),
  };
}
