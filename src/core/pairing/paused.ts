// Hand-out that an operator paused for one repository or one agent: the flags `maintenance:{name}`.
// A name may be both; then both are paused.

import { type Because, because } from '../because.ts';
import type { Seeker } from '../ticket.ts';

export const MAINTENANCE_FLAG = 'flags:maintenance';
const PREFIX = `${MAINTENANCE_FLAG}:`;

/** The setting of the flag `maintenance:{name}`. */
export function pausedSetting(name: string): string {
  return `${PREFIX}${name}`;
}

/** Whom a setting pauses; null: it is another setting. */
export function pausedName(setting: string): string | null {
  return setting.startsWith(PREFIX) ? setting.slice(PREFIX.length) : null;
}

const NAME = /^[A-Za-z0-9._-]{1,100}(?:\/[A-Za-z0-9._-]{1,100})?$/;

/** `owner/repo`, a local repository's name, or an agent id. */
export function mayBePaused(name: string): boolean {
  return NAME.test(name);
}

/** Why nobody gets anything. */
export function pausedForAll(): Because {
  return because('paused', 'Hand-out is paused by an operator.');
}

/** Why this agent gets nothing at all; null: it is not paused. */
export function pausedFor(
  { agentId, repositories }: Pick<Seeker, 'agentId' | 'repositories'>,
  paused: ReadonlySet<string>,
): Because | null {
  if (paused.size === 0) return null;
  if (paused.has(agentId)) {
    const detail = `Hand-out to ${agentId} is paused by an operator.`;
    return because('paused_agent', detail, { agent: agentId });
  }
  const all = repositories !== null && repositories.length > 0;
  if (!all || !repositories.every((name) => paused.has(name))) return null;
  const names = repositories.join(', ');
  return because('paused_repository', `Hand-out from ${names} is paused by an operator.`, {
    repository: names,
  });
}
