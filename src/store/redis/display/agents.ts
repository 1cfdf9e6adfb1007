// Agents, as far as they have been heard of (processes, in the keys' words). Notes are never compared. That an agent
// is still there is written at most once a second; what is new about it at once.

import type { AgentNote } from '../../../core/rows/agent-row.ts';
import type { Parts } from '../parts.ts';
import { type ListChange, spellLists } from '../rows/step-arguments.ts';

const SEEN_EVERY_MS = 1000;
const REMEMBERED = 10_000;

interface Told {
  capabilities: string | null;
  writtenAt: number;
  /** Heard of since; null: all is written. */
  heardAt: number | null;
}

export interface Agents {
  note(note: AgentNote, now: number): void;
  /** Writes what was held back. */
  flush(): Promise<void>;
  forget(): void;
}

export function createAgents({
  keys,
  ttls,
  silent,
}: Pick<Parts, 'keys' | 'ttls' | 'silent'>): Agents {
  const { at } = keys;
  const told = new Map<string, Told>();
  let underWay: Promise<void> = Promise.resolve();

  function seenLists(id: string, now: number): ListChange[] {
    const instant = String(now);
    const info = `${at.process_info}${id}`;
    return [
      ['HSETNX', info, 'first_seen_at', instant],
      ['HSET', info, 'agent_id', id, 'last_seen_at', instant, 'lapsed', ''],
      ['SET', `${at.process_heartbeat}${id}`, instant, 'EX', String(ttls.heartbeat)],
      ['ZADD', at.processes_active, instant, id],
      ['ZADD', at.processes_known, instant, id],
      ['SREM', at.processes_zombies, id],
    ];
  }

  function send(id: string, lists: readonly ListChange[]): void {
    // What could not be written is new again. Whoever is told last is written last: all go the same way.
    underWay = silent
      .soon(at.processes_known, (to) => spellLists(lists, to))
      .catch(() => void told.delete(id));
  }

  return {
    note(about, now) {
      const { agentId: id } = about;
      const before = told.get(id);
      const info = `${at.process_info}${id}`;
      if (about.note === 'lapsed') {
        told.delete(id);
        send(id, [
          ['HSET', info, 'lapsed', '1'],
          ['SADD', at.processes_zombies, id],
        ]);
        return;
      }
      const capabilities =
        about.note === 'asked'
          ? JSON.stringify(about.capabilities)
          : (before?.capabilities ?? null);
      const known = before !== undefined && before.capabilities === capabilities;
      if (known && now - before.writtenAt < SEEN_EVERY_MS) {
        before.heardAt = now;
        return;
      }
      if (told.size > REMEMBERED) told.clear();
      told.set(id, { capabilities, writtenAt: now, heardAt: null });
      const can: ListChange[] =
        about.note === 'asked' ? [['HSET', info, 'capabilities', capabilities ?? '[]']] : [];
      send(id, [...can, ...seenLists(id, now)]);
    },
    async flush() {
      for (const [id, state] of told) {
        if (state.heardAt === null) continue;
        send(id, seenLists(id, state.heardAt));
        state.writtenAt = state.heardAt;
        state.heardAt = null;
      }
      silent.hurry();
      await underWay;
    },
    forget: () => told.clear(),
  };
}
