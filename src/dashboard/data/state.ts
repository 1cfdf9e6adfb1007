// What the page knows. Views read these signals; only the live connection writes them.

import { computed, signal } from '@preact/signals';
import type {
  Agent,
  Card,
  Cards,
  Config,
  Event,
  Feature,
  Flags,
  Flow,
  Queue,
  Session,
} from './contract.ts';

export const session = signal<Session | null>(null);
export const cards = signal<ReadonlyMap<string, Card>>(new Map());
export const truncated = signal(false);
export const agents = signal<readonly Agent[]>([]);
export const queue = signal<Queue | null>(null);
export const flags = signal<Flags | null>(null);
export const config = signal<Config | null>(null);
/** Since yesterday's midnight, in quarters of an hour. */
export const twoDays = signal<Flow | null>(null);
/** The newest events that are worth a line, newest first. */
export const latest = signal<readonly Event[]>([]);
/** Ids of cards that changed a moment ago. */
export const changed = signal<ReadonlySet<string>>(new Set());
export const loaded = signal(false);
/** The first view is there before the rest of a long backlog. */
export const allLoaded = signal(false);
/** What the ledger's last failed write said, where it is not made up for yet. */
export const ledgerFailure = signal<Cards['ledger_failure']>(null);

export const mayAct = computed(() => session.value?.scope === 'operator');

export function offers(feature: Feature): boolean {
  return session.value?.features.includes(feature) === true;
}

export const agentNames = computed(() => agents.value.map(({ agent_id }) => agent_id).sort());
export const repositories = computed(() => [
  ...new Set([...cards.value.values()].map(({ repository }) => repository)),
]);
