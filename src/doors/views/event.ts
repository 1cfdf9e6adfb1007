// A fact as an event: snake_case, instants as ISO 8601.

import type { Fact } from '../../core/facts.ts';
import { tokenIdOf, tokenSetting } from '../../core/token.ts';
import type { Event } from '../schema/events.ts';
import { instant } from './instant.ts';
import { snakeCase } from './snake-case.ts';
import { usedView } from './used.ts';

// Whoever knows an agent's request id could be handed the same lease again.
const HIDDEN = new Set(['requestId']);
const SECRET_SETTING = /^tokens?[:.]/;

function isInstant(name: string): boolean {
  return name === 'at' || name.endsWith('At');
}

export function eventView(fact: Fact): Event {
  const entries = Object.entries(fact)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => [
      snakeCase(name),
      isInstant(name) && typeof value === 'number' ? instant(value) : value,
    ]);
  const event: Record<string, unknown> = Object.fromEntries(entries);
  if ('usage' in fact && fact.usage !== undefined) {
    event['usage'] = { model: fact.usage.model, ...usedView(fact.usage) };
  }
  if (fact.type === 'setting_changed' && SECRET_SETTING.test(fact.name)) {
    event['value'] = null;
    // The name ends in the hash of the secret; its id says as much to people.
    event['name'] = tokenSetting(tokenIdOf(fact.name));
  }
  return event as Event;
}
