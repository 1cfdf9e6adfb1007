// What an event means for what is shown. Cards that changed are read again, a few at a time and together; the list
// as a whole is read once, first what is seen first.

import { batch } from '@preact/signals';
import { isTold } from '../../doors/schema/told.ts';
import { api } from './api.ts';
import type { Card, Cards, Event } from './contract.ts';
import { takeLeaseEvent } from './leases.ts';
import {
  agents,
  allLoaded,
  cards,
  changed,
  config,
  flags,
  latest,
  ledgerFailure,
  loaded,
  queue,
  truncated,
  twoDays,
} from './state.ts';
import { linkedTasks } from './task-links.ts';

const FLUSH_MS = 80;
const SHOW_CHANGE_MS = 1200;
const MOST_LATEST = 40;
/** More changes than this at once, and the list is read as a whole after all. */
const MANY = 400;
/** The address of a call is limited. */
const LONGEST_IDS = 2500;
/** More than this nobody looks through; a browser's memory has an end too. */
const MOST_CARDS = 20_000;
const MOST_VISIBLE = 100;
const POLL_MS = 10_000;
const RESYNC_MS = 600_000;

function debounce(ms: () => number, run: () => Promise<void>): () => void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  return () => {
    timer ??= setTimeout(() => {
      timer = null;
      // The live connection notices by itself when the server is gone.
      run().catch(() => undefined);
    }, ms());
  };
}

/** A large fleet is read less often. */
const calm = () => (agents.value.length > 100 ? 3000 : 400);

const readAgents = debounce(calm, async () => {
  agents.value = (await api.agents()).agents;
});
const readQueue = debounce(calm, async () => {
  queue.value = await api.queue();
});
const readFlags = debounce(
  () => 50,
  async () => {
    const [newFlags, newConfig] = await Promise.all([api.flags(), api.config()]);
    batch(() => {
      flags.value = newFlags;
      config.value = newConfig;
    });
  },
);

export function startOfDay(daysAgo = 0): Date {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() - daysAgo);
  return date;
}

async function loadTwoDays(): Promise<void> {
  twoDays.value = await api.flow(startOfDay(1), 900);
}
const readTwoDays = debounce(() => 2 * calm(), loadTwoDays);

let dirty = new Set<string>();

function chunks(ids: readonly string[]): string[][] {
  const found: string[][] = [];
  let length = LONGEST_IDS;
  for (const id of ids) {
    if (length + id.length > LONGEST_IDS || (found.at(-1)?.length ?? 0) >= 100) {
      found.push([]);
      length = 0;
    }
    found.at(-1)?.push(id);
    length += id.length + 1;
  }
  return found;
}

function showChanged(ids: readonly string[]): void {
  changed.value = new Set([...changed.value, ...ids]);
  setTimeout(() => {
    const gone = new Set(ids);
    changed.value = new Set([...changed.value].filter((id) => !gone.has(id)));
  }, SHOW_CHANGE_MS);
}

/** Cards that were read again while a list was on its way: the list may be older than they are. */
const touched = new Set<string>();

/** The page after this one, and so on; null: more than can be shown. */
async function readPages(from: string | null): Promise<Card[] | null> {
  const found: Card[] = [];
  for (let cursor = from; cursor !== null; ) {
    const page = await api.cards({ cursor });
    found.push(...page.cards);
    if (found.length > MOST_CARDS) return null;
    cursor = page.next_cursor;
  }
  return found;
}

function takeHead(answer: Cards): void {
  latest.value = answer.latest.slice(0, MOST_LATEST);
  ledgerFailure.value = answer.ledger_failure;
}

function show(list: readonly Card[], before: Iterable<readonly [string, Card]>): void {
  const next = new Map(before);
  for (const card of list) if (!touched.has(card.task_id)) next.set(card.task_id, card);
  cards.value = next;
  for (const id of touched) dirty.add(id);
  if (touched.size > 0) flush();
}

/** All of them again, in place of what is shown. */
async function loadAll(): Promise<void> {
  touched.clear();
  const answer = await api.cards();
  const rest = await readPages(answer.next_cursor);
  batch(() => {
    takeHead(answer);
    show(
      [...answer.cards, ...(rest ?? [])],
      [...cards.value].filter(([id]) => rest === null || touched.has(id)),
    );
  });
}

let restFrom: string | null = null;

/** Enough for the first view, however long the backlog is. */
async function loadFirst(): Promise<number> {
  touched.clear();
  const answer = await api.cards();
  batch(() => {
    cards.value = new Map(answer.cards.map((card) => [card.task_id, card]));
    takeHead(answer);
    allLoaded.value = false;
  });
  restFrom = answer.next_cursor;
  return answer.seq;
}

async function loadOthers(): Promise<void> {
  const rest = await readPages(restFrom);
  batch(() => {
    show(rest ?? [], cards.value);
    truncated.value = rest === null;
    allLoaded.value = true;
  });
}

/** What is the same stays the same object: nothing is drawn again for it. */
function replace(ids: readonly string[], fresh: readonly Card[]): void {
  const next = new Map(cards.value);
  const found = new Map(fresh.map((card) => [card.task_id, card]));
  const different = ids.filter(
    (id) => JSON.stringify(next.get(id)) !== JSON.stringify(found.get(id)),
  );
  if (different.length === 0) return;
  for (const id of different) {
    const card = found.get(id);
    if (card === undefined) next.delete(id);
    else next.set(id, card);
  }
  batch(() => {
    cards.value = next;
    showChanged(different);
  });
}

const flush = debounce(
  () => FLUSH_MS,
  async () => {
    const ids = [...dirty];
    dirty = new Set();
    if (ids.length > MANY) {
      await loadAll();
      return;
    }
    try {
      const answers = await Promise.all(chunks(ids).map((some) => api.cards({ ids: some })));
      const fresh = answers.flatMap((answer) => answer.cards);
      for (const id of ids) touched.add(id);
      replace(ids, fresh);
    } catch (error) {
      for (const id of ids) dirty.add(id);
      throw error;
    }
  },
);

function renew(event: Event): void {
  const card = cards.value.get(event.task_id ?? '');
  const { lease } = card ?? {};
  if (card === undefined || lease === null || lease === undefined) return;
  const note = event['progress'];
  const renewed: Card = {
    ...card,
    lease: {
      ...lease,
      expires_at: String(event['expires_at']),
      note: typeof note === 'string' ? note : lease.note,
      note_at: event.at,
    },
  };
  cards.value = new Map(cards.value).set(card.task_id, renewed);
}

const listeners = new Set<(event: Event) => void>();

/** Told of every new event; returns the function that ends it. */
export function onEvent(listener: (event: Event) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function takeEvent(event: Event): void {
  if (event.type === 'ledger_failed' && typeof event['error'] === 'string') {
    ledgerFailure.value = { error: event['error'], at: event.at };
  }
  if (isTold(event.type)) latest.value = [event, ...latest.value].slice(0, MOST_LATEST);
  takeLeaseEvent(event);
  if (event.type === 'renewed') {
    renew(event);
    if (event['usage'] !== undefined) readTwoDays();
  } else if (event.task_id !== undefined) {
    dirty.add(event.task_id);
    flush();
    readAgents();
    readQueue();
    if (event.type !== 'ready') readTwoDays();
  } else if (event.type === 'setting_changed') readFlags();
  else readQueue();
  for (const listener of listeners) listener(event);
}

/** Everything once; answers the number of the last event that is part of it. */
export async function loadSnapshot(): Promise<number> {
  const [seq, newAgents, newQueue, newFlags, newConfig] = await Promise.all([
    loadFirst(),
    api.agents(),
    api.queue(),
    api.flags(),
    api.config(),
  ]);
  batch(() => {
    agents.value = newAgents.agents;
    queue.value = newQueue;
    flags.value = newFlags;
    config.value = newConfig;
    loaded.value = true;
  });
  void loadRest();
  return seq;
}

/** What the first view does not wait for. */
async function loadRest(): Promise<void> {
  loadTwoDays().catch(() => undefined);
  for (let tries = 0; !allLoaded.value && tries < 5; tries += 1) {
    try {
      await loadOthers();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

/** Issues that are edited or closed make no event: what is changed here is read again. */
export function readAgain(taskIds: readonly string[]): void {
  for (const id of taskIds) dirty.add(id);
  flush();
}

/** The same for what others change on the forge, while somebody looks at it. */
function readVisible(): void {
  const ids = linkedTasks(document.querySelectorAll('main a[href]'));
  readAgain([...ids].filter((id) => cards.value.has(id)).slice(0, MOST_VISIBLE));
}

/** Who waits, the forge's budget and edited titles make no event. */
export function startPolling(): void {
  let resyncAt = Date.now() + RESYNC_MS;
  setInterval(() => {
    if (document.hidden || !loaded.value) return;
    readAgents();
    readQueue();
    readVisible();
    if (Date.now() < resyncAt) return;
    resyncAt = Date.now() + RESYNC_MS;
    readTwoDays();
    loadAll().catch(() => undefined);
  }, POLL_MS);
}
