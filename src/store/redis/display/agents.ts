// Agents, as far as they have been heard of (processes, in the keys' words). Notes are never compared. That an agent
// is still there is written at most once a second; what is new about it at once.

import type { AgentNote } from '../../../core/rows/agent-row.ts';
import type { Keys } from '../keys.ts';
import { type ListChange } from '../rows/step-arguments.ts';
import type { Ttls } from '../ttl.ts';

const SEEN_EVERY_MS = 1000;
const REMEMBERED = 10_000;

interface Told {
  capabilities: string | null;
  lapsed: boolean;
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

export function createAgents(
  keys: Keys,
  ttls: Ttls,
  write: (lists: readonly ListChange[]) => Promise<void>,
): Agents {
  const { at } = keys;
  const told = new Map<string, Told>();
  let underWay: Promise<unknown> = Promise.resolve();

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

  function send(lists: readonly ListChange[], ids: readonly string[]): void {
    // What could not be written is new again.
    const done = write(lists).catch(() => {
      for (const id of ids) told.delete(id);
    });
    underWay = Promise.all([underWay, done]);
  }

  return {
    note(about, now) {
      const { agentId: id } = about;
      const before = told.get(id);
      if (about.note === 'lapsed') {
        told.delete(id);
        const info = `${at.process_info}${id}`;
        send(
          [
            ['HSET', info, 'lapsed', '1'],
            ['SADD', at.processes_zombies, id],
          ],
          [id],
        );
        return;
      }
      const capabilities =
        about.note === 'asked'
          ? JSON.stringify(about.capabilities)
          : (before?.capabilities ?? null);
      const known = before !== undefined && before.capabilities === capabilities;
      if (known && !before.lapsed && now - before.writtenAt < SEEN_EVERY_MS) {
        before.heardAt = now;
        return;
      }
      if (told.size > REMEMBERED) told.clear();
      told.set(id, { capabilities, lapsed: false, writtenAt: now, heardAt: null });
      const info = `${at.process_info}${id}`;
      const can: ListChange[] =
        about.note === 'asked' ? [['HSET', info, 'capabilities', capabilities ?? '[]']] : [];
      send([...can, ...seenLists(id, now)], [id]);
    },
    async flush() {
      const late = [...told].filter(([, { heardAt }]) => heardAt !== null);
      if (late.length > 0) {
        const lists = late.flatMap(([id, state]) => seenLists(id, state.heardAt ?? 0));
        for (const [, state] of late) {
          state.writtenAt = state.heardAt ?? state.writtenAt;
          state.heardAt = null;
        }
        send(
          lists,
          late.map(([id]) => id),
        );
      }
      await underWay;
    },
    forget: () => told.clear(),
  };
}
