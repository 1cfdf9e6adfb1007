// Tickets: data that expires, an index that does not, repaired by bulk reads.
// Reads go to the replica where there is one; what it does not have is looked for on the primary.

import type { Ticket, Tickets } from '../../../core/ticket.ts';
import type { Client } from '../connection/connect.ts';
import type { Parts } from '../parts.ts';
import type { ListChange } from '../rows/step-arguments.ts';

type Stored = Ticket & { readonly expiresAt: number };

/** `testNow`: the test's clock, where it owns one; otherwise Redis itself expires the data. */
export function createTickets(
  { link, keys, write, warn }: Parts,
  replica: Client | null,
  testNow: () => number | null,
): Tickets {
  const key = (id: string) => `${keys.at.ticket_data}${id}`;

  function keep(found: Map<string, Ticket>, texts: readonly (string | null)[]): void {
    const now = testNow();
    for (const text of texts) {
      if (text === null) continue;
      const { expiresAt, ...ticket } = JSON.parse(text) as Stored;
      if (now === null || expiresAt > now) found.set(ticket.id, ticket);
    }
  }

  /** A replica that is away is no reason to fail: the primary knows everything. */
  async function fromReplica(ids: readonly string[]): Promise<(string | null)[]> {
    if (replica === null || ids.length === 0) return [];
    try {
      return await replica.mget(...ids.map(key));
    } catch (error) {
      warn('The replica could not be read; asking the primary', error);
      return [];
    }
  }

  async function find(ids: readonly string[]): Promise<Map<string, Ticket>> {
    const found = new Map<string, Ticket>();
    keep(found, await fromReplica(ids));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) keep(found, await link.send('MGET', ...missing.map(key)));
    return found;
  }

  const unlist = (ids: readonly string[]) =>
    ids.map((id): ListChange => ['SREM', keys.at.tickets_index, id]);
  const free = (ids: readonly string[]) =>
    ids.map((id): ListChange => ['ZREM', keys.at.tickets_pending, id]);

  return {
    async create(ticket, ttlMs, most) {
      const { id, agentId: agent } = ticket;
      // The step knows until when it counts, and closes the text.
      const data = `${JSON.stringify(ticket).slice(0, -1)},"expiresAt":`;
      const limits = most === undefined ? ['', ''] : [String(most.perAgent), String(most.all)];
      const [word] = await link.run('create_ticket', [id, agent, data, String(ttlMs), ...limits]);
      return word as Awaited<ReturnType<Tickets['create']>>;
    },
    get: async (id) => (await find([id])).get(id) ?? null,
    async getMany(ids) {
      if (ids.length === 0) return [];
      const found = await find(ids);
      const missing = ids.filter((id) => !found.has(id));
      if (missing.length > 0) {
        // Looked at once more in the step that repairs: it may have been made meanwhile.
        const [, late] = await link.run('repair_tickets', missing);
        keep(found, late as string[]);
      }
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    async listActive(limit, pendingMs) {
      const [, ids] = await link.run('list_tickets', [String(limit), String(pendingMs)]);
      return ids as string[];
    },
    async assign(ids) {
      if (ids.length > 0) await write([...unlist(ids), ...free(ids)]);
    },
    async release(ids) {
      if (ids.length > 0) await write(free(ids));
    },
    async delete(id) {
      await write([...unlist([id]), ...free([id]), ['DEL', key(id)]]);
    },
    async unlisted(ids) {
      if (ids.length === 0) return [];
      const listed = await link.send<number[]>('SMISMEMBER', keys.at.tickets_index, ...ids);
      return ids.filter((_, index) => listed[index] !== 1);
    },
    count: async () => Number(await link.send('SCARD', keys.at.tickets_index)),
    async perAgent() {
      const ids = await link.send<string[]>('SMEMBERS', keys.at.tickets_index);
      const counts = new Map<string, number>();
      for (const { agentId } of (await find(ids)).values()) {
        counts.set(agentId, (counts.get(agentId) ?? 0) + 1);
      }
      return counts;
    },
  };
}
