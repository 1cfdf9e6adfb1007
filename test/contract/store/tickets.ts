// Tickets.

import { describe, expect, it } from 'vitest';
import type { Ticket } from '../../../src/core/ticket.ts';
import { twenty, type World } from './world.ts';

const ticket = (id: string): Ticket => ({
  id,
  agentId: `agent-${id}`,
  capabilities: ['python', '"quoted"', '絵文字 🦉'],
  kinds: null,
  repositories: ['octo/park'],
  requestId: `request-${id}`,
  leaseSeconds: 600,
  instanceId: 'instance',
  createdAt: 1,
});

export function testTickets(world: () => World): void {
  const tickets = () => world().store.tickets;
  const create = (...ids: string[]) =>
    Promise.all(ids.map((id) => tickets().create(ticket(id), 10_000)));

  describe('tickets', () => {
    it('are read back as they were made', async () => {
      await create('1');
      expect(await tickets().get('1')).toEqual(ticket('1'));
      expect(await tickets().getMany(['1'])).toEqual([ticket('1')]);
      expect(await tickets().get('2')).toBeNull();
    });

    it('expire, may be listed once more, and are gone after the next bulk read', async () => {
      await create('1', '2');
      world().advance(10_000);
      await tickets().create(ticket('3'), 10_000);
      expect(await tickets().get('1')).toBeNull();
      expect(await tickets().count()).toBe(3);
      expect(await tickets().listActive(10, 1_000)).toEqual(['1', '2', '3']);
      expect(await tickets().getMany(['1', '2', '3'])).toEqual([ticket('3')]);
      expect(await tickets().count()).toBe(1);
      world().advance(1_000);
      expect(await tickets().listActive(10, 1_000)).toEqual(['3']);
    });

    it('are not repaired by a single read', async () => {
      await create('1');
      world().advance(10_000);
      expect(await tickets().get('1')).toBeNull();
      expect(await tickets().listActive(10, 1_000)).toEqual(['1']);
    });

    it('go to matchers in disjoint sets', async () => {
      await create('1', '2', '3', '4', '5');
      const lists = await twenty(() => tickets().listActive(2, 1_000));
      expect(lists.flat().sort()).toEqual(['1', '2', '3', '4', '5']);
    });

    it('come back after an unfinished match, or when they are given back', async () => {
      await create('1', '2');
      await tickets().listActive(10, 1_000);
      await tickets().release(['2']);
      expect(await tickets().listActive(10, 5_000)).toEqual(['2']);
      world().advance(1_000);
      expect(await tickets().listActive(10, 1_000)).toEqual(['1']);
    });

    it('leave the index when they are assigned, and all places when they are deleted', async () => {
      await create('1', '2');
      await tickets().assign(['1']);
      await tickets().delete('2');
      expect(await tickets().count()).toBe(0);
      expect(await tickets().listActive(10, 1_000)).toEqual([]);
      expect(await tickets().get('2')).toBeNull();
      await tickets().release(['1', '2']);
      expect(await tickets().listActive(10, 1_000)).toEqual([]);
    });

    it('are refused past the limits of all together and of one agent, and counted while they wait', async () => {
      const of = (agentId: string, id: string) => ({ ...ticket(id), agentId });
      const most = { all: 3, perAgent: 2 };
      const ask = (agentId: string, id: string) => tickets().create(of(agentId, id), 10_000, most);
      expect(await ask('a', '1')).toBe('ok');
      expect(await ask('a', '2')).toBe('ok');
      expect(await ask('a', '3')).toBe('perAgent');
      expect(await ask('a', '2')).toBe('ok');
      expect(await ask('b', '4')).toBe('ok');
      expect(await ask('c', '5')).toBe('all');
      expect([...(await tickets().perAgent())].sort()).toEqual([
        ['a', 2],
        ['b', 1],
      ]);
      expect(await tickets().get('3')).toBeNull();
      expect(await tickets().create(of('c', '6'), 10_000)).toBe('ok');
      await tickets().assign(['1']);
      await tickets().delete('6');
      expect(await ask('a', '3')).toBe('ok');
      world().advance(10_000);
      expect([...(await tickets().perAgent())]).toEqual([]);
      await tickets().getMany(['2', '3', '4']);
      expect(await ask('a', '7')).toBe('ok');
      expect(await ask('a', '8')).toBe('ok');
      expect([...(await tickets().perAgent())]).toEqual([['a', 2]]);
    });

    it('say which of them are not in the index; being matched is no reason', async () => {
      await create('1', '2', '3');
      await tickets().listActive(10, 1_000);
      await tickets().assign(['1']);
      await tickets().delete('2');
      expect(await tickets().unlisted(['1', '2', '3', '4'])).toEqual(['1', '2', '4']);
      expect(await tickets().unlisted([])).toEqual([]);
    });
  });
}
