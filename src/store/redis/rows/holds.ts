// Who holds what, in one list for all agents: `<agent> <task>`, all of the same score, found by the agent's name. A space
// comes before every character that the name of an agent may have.

import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';

export const holdName = (agentId: string, taskId: string): string => `${agentId} ${taskId}`;

const range = (agentId: string): [string, string] => [`[${agentId} `, `(${agentId}!`];

export const taskOfHold = (name: string): string => name.slice(name.indexOf(' ') + 1);

/** Ids of the tasks that an agent holds. */
export async function heldBy(link: Link, { at }: Keys, agentId: string): Promise<string[]> {
  const found = await link.send('ZRANGE', at.process_holds, ...range(agentId), 'BYLEX');
  return (found as string[]).map(taskOfHold);
}

export async function holdsAny(link: Link, { at }: Keys, agentId: string): Promise<boolean> {
  return Number(await link.send('ZLEXCOUNT', at.process_holds, ...range(agentId))) > 0;
}
