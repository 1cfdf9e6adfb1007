// What several views compute from the same signals, once.

import { computed } from '@preact/signals';
import { fleetOf } from './fleet.ts';
import { findNeeds } from './needs.ts';
import { agents, cards, latest, queue } from './state.ts';

const ledgerError = computed(() => {
  const event = latest.value.find(({ type }) => type === 'ledger_failed');
  const error = event?.['error'];
  if (event === undefined || typeof error !== 'string') return null;
  return { error, at: event.at };
});

export const needs = computed(() =>
  findNeeds({
    cards: cards.value.values(),
    agents: agents.value,
    queue: queue.value,
    ledgerError: ledgerError.value,
  }),
);

export const fleet = computed(() => fleetOf(agents.value, cards.value.values()));
