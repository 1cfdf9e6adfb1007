// What a turn notes of agents. When one was last seen is kept with the next change of anything, and not more often
// than once a second: a lost instant harms nobody.

import { type AgentNote, type AgentRow, foldNote } from '../../core/rows/agent-row.ts';
import { encodeAgent } from '../../core/rows/codec.ts';
import { sameTexts } from '../../core/rows/issue-row.ts';
import type { Changes } from './archive.ts';

const SEEN_KEPT_MS = 1000;

export interface AgentNotes {
  note(note: AgentNote, now: number): void;
  forget(agentId: string): void;
  changes(): Changes['agents'];
  /** They are kept now. */
  finish(): void;
}

/** `step`: something changed that must be kept, and how to take it back. */
export function createAgentNotes(
  agents: Map<string, AgentRow>,
  step: (undo: () => void) => void,
): AgentNotes {
  const noted = new Set<string>();
  /** When each was last seen, as the archive has it. */
  const seenKept = new Map(Array.from(agents.values(), (a) => [a.agentId, a.lastSeenAt]));

  function put(agentId: string, row: AgentRow | undefined): void {
    if (row === undefined) agents.delete(agentId);
    else agents.set(agentId, row);
  }

  return {
    note(about, now) {
      const { agentId } = about;
      const before = agents.get(agentId);
      const after = foldNote(before, about, now);
      if (after === undefined) return;
      agents.set(agentId, after);
      const changed =
        before?.lapsed !== after.lapsed || !sameTexts(before.capabilities, after.capabilities);
      if (changed || now - (seenKept.get(agentId) ?? 0) >= SEEN_KEPT_MS) noted.add(agentId);
      if (changed) step(() => put(agentId, before));
    },
    forget(agentId) {
      const before = agents.get(agentId);
      put(agentId, undefined);
      noted.add(agentId);
      step(() => put(agentId, before));
    },
    changes: () =>
      Array.from(noted, (id) => {
        const row = agents.get(id);
        return [id, row === undefined ? null : encodeAgent(row)] as const;
      }),
    finish() {
      for (const id of noted) seenKept.set(id, agents.get(id)?.lastSeenAt ?? 0);
      noted.clear();
      if (seenKept.size <= 2 * agents.size + 1000) return;
      for (const id of seenKept.keys()) if (!agents.has(id)) seenKept.delete(id);
    },
  };
}
