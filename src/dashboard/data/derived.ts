// What several views compute from the same signals, once.

import { computed } from '@preact/signals';
import { now } from './clock.ts';
import { fleetOf } from './fleet.ts';
import { findNeeds } from './needs.ts';
import { agents, cards, ledgerFailure, queue } from './state.ts';

/** Nothing that is told changes within an hour. */
const hour = computed(() => Math.floor(now.value / 3_600_000) * 3_600_000);

export const needs = computed(() =>
  findNeeds({
    cards: cards.value.values(),
    now: hour.value,
    agents: agents.value,
    queue: queue.value,
    ledgerFailure: ledgerFailure.value,
  }),
);

export const fleet = computed(() => fleetOf(agents.value, cards.value.values()));
