// Who holds what: a hash of agents, with the ids of the tasks that each holds.

import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';

const idsOf = (text: string | null): string[] => (text === null ? [] : text.split(' '));

/** Ids of the tasks that an agent holds. */
export async function heldBy(link: Link, { at }: Keys, agentId: string): Promise<string[]> {
  return idsOf(await link.send<string | null>('HGET', at.process_holds, agentId));
}

/** Those of these agents that hold anything. */
export async function holding(
  link: Link,
  { at }: Keys,
  agentIds: readonly string[],
): Promise<Set<string>> {
  if (agentIds.length === 0) return new Set();
  const held = await link.send<(string | null)[]>('HMGET', at.process_holds, ...agentIds);
  return new Set(agentIds.filter((_, index) => held[index] !== null));
}
