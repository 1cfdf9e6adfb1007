// What waits for a person, most urgent first. Each has a cause and one way to solve it.

import type { Agent, Card, Queue } from './contract.ts';

export type Need =
  | {
      readonly kind: 'question' | 'dead' | 'stuck' | 'budget';
      readonly card: Card;
      readonly since: string;
    }
  | { readonly kind: 'stopped'; readonly agent: Agent; readonly since: string }
  | {
      readonly kind: 'ledger';
      readonly failing: number;
      readonly error: string | null;
      readonly since: string;
    }
  | { readonly kind: 'held' | 'human' | 'approved'; readonly card: Card; readonly since: string };

/** These wait for nobody in particular, or for other tasks; the rest of the reasons wait for a person. */
const WAITS_FOR_PERSON = new Set([
  'no_deliverables',
  'malformed',
  'refused',
  'untrusted_author',
  'no_pull_request',
]);

export const HOT: ReadonlySet<Need['kind']> = new Set([
  'question',
  'dead',
  'stuck',
  'budget',
  'stopped',
  'ledger',
]);

/** An agent that stopped and never came back is told of for a day; the list of agents shows it for longer. */
const TOLD_STOPPED_MS = 86_400_000;

const ORDER: readonly Need['kind'][] = [
  'question',
  'dead',
  'stuck',
  'budget',
  'stopped',
  'ledger',
  'human',
  'held',
  'approved',
];

function needOf(card: Card): Need | null {
  const { since, reason, state } = card;
  const word = reason?.split(':')[0] ?? '';
  if (card.question) return { kind: 'question', card, since: card.question.asked_at };
  if (state === 'dead') return { kind: 'dead', card, since };
  if (state === 'held' && word === 'no_progress') return { kind: 'stuck', card, since };
  if (state === 'held' && word === 'budget') return { kind: 'budget', card, since };
  if (state === 'held' && WAITS_FOR_PERSON.has(word)) return { kind: 'held', card, since };
  if (state === 'held' && reason === 'excluded_label:needs-human') {
    return { kind: 'human', card, since };
  }
  const approved = state === 'done' && card.verdict === 'approve' && card.issue_state === 'open';
  return approved ? { kind: 'approved', card, since } : null;
}

export function findNeeds(input: {
  readonly cards: Iterable<Card>;
  readonly now: number;
  readonly agents: readonly Agent[];
  readonly queue: Queue | null;
  readonly ledgerFailure: { readonly error: string; readonly at: string } | null;
}): Need[] {
  const needs: Need[] = [];
  // An issue asks for a person once, by its most urgent task.
  const byIssue = new Map<string, Need>();
  for (const card of input.cards) {
    const need = needOf(card);
    if (need === null) continue;
    const key = `${card.repository}#${card.issue_id}`;
    const before = byIssue.get(key);
    if (before === undefined || ORDER.indexOf(need.kind) < ORDER.indexOf(before.kind)) {
      byIssue.set(key, need);
    }
  }
  needs.push(...byIssue.values());
  for (const agent of input.agents) {
    const silentMs = input.now - Date.parse(agent.last_seen_at);
    if (agent.status === 'zombie' && (agent.holds.length > 0 || silentMs < TOLD_STOPPED_MS))
      needs.push({ kind: 'stopped', agent, since: agent.last_seen_at });
  }
  const failing = input.queue?.outbox.failing ?? 0;
  if (failing > 0) {
    const { error = null, at = new Date().toISOString() } = input.ledgerFailure ?? {};
    needs.push({ kind: 'ledger', failing, error, since: at });
  }
  return needs.sort(
    (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.since < b.since ? -1 : 1),
  );
}
