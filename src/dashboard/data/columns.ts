// Tasks as the board files them, and the order within a column.

import type { Card, Queue } from './contract.ts';

export const COLUMNS = [
  'held',
  'delayed',
  'ready',
  'leased',
  'review',
  'done',
  'dead',
  'cancelled',
] as const;
export type Column = (typeof COLUMNS)[number];

/** Reviews and fixes that are offered or worked on have a column of their own. */
export function columnOf({ kind, state }: Pick<Card, 'kind' | 'state'>): Column {
  if (kind !== 'implement' && (state === 'ready' || state === 'leased')) return 'review';
  return state;
}

export const SORTS = ['queue', 'newest', 'oldest', 'number'] as const;
export type Sort = (typeof SORTS)[number];

export interface Filter {
  readonly text: string;
  readonly repository: string | null;
  readonly label: string | null;
  readonly agent: string | null;
  readonly kind: string | null;
  readonly sort: Sort;
}

export function readFilter(query: URLSearchParams): Filter {
  const sort = query.get('sort') as Sort | null;
  return {
    text: query.get('q') ?? '',
    repository: query.get('repository'),
    label: query.get('label'),
    agent: query.get('agent'),
    kind: query.get('kind'),
    sort: sort !== null && SORTS.includes(sort) ? sort : 'queue',
  };
}

export function isFiltered({ text, repository, label, agent, kind }: Filter): boolean {
  return text !== '' || [repository, label, agent, kind].some((value) => value !== null);
}

export function agentOf(card: Card): string | null {
  return card.lease?.agent_id ?? card.done_by ?? card.only_agent;
}

/** `#7` and `7` mean the number; words must all be somewhere in title, labels, repository or agent. */
export function matchesText(card: Card, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.every((word) => {
    const number = /^#?(\d+)$/.exec(word)?.[1];
    if (number !== undefined && card.issue_id === Number(number)) return true;
    const reference = `${card.repository}#${card.issue_id}`.toLowerCase();
    return (
      card.title.toLowerCase().includes(word) ||
      reference.includes(word) ||
      card.labels.some((label) => label.toLowerCase().includes(word)) ||
      (agentOf(card)?.toLowerCase().includes(word) ?? false)
    );
  });
}

function matches(card: Card, filter: Filter): boolean {
  return (
    (filter.repository === null || card.repository === filter.repository) &&
    (filter.kind === null || card.kind === filter.kind) &&
    (filter.agent === null || agentOf(card) === filter.agent) &&
    (filter.label === null || card.labels.includes(filter.label)) &&
    (filter.text === '' || matchesText(card, filter.text))
  );
}

/** ISO instants compare as text. */
const early = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function inQueueOrder(column: Column): (a: Card, b: Card) => number {
  if (column === 'done' || column === 'cancelled' || column === 'dead' || column === 'held') {
    return (a, b) => early(b.since, a.since);
  }
  if (column === 'delayed') return (a, b) => early(a.ready_at ?? '', b.ready_at ?? '');
  if (column === 'leased') {
    return (a, b) => early(b.lease?.leased_at ?? '', a.lease?.leased_at ?? '');
  }
  // What runs first, then what is offered, as it is offered.
  return (a, b) =>
    Number(b.lease !== null) - Number(a.lease !== null) ||
    b.priority - a.priority ||
    early(a.since, b.since);
}

const ORDERS: Readonly<Record<Exclude<Sort, 'queue'>, (a: Card, b: Card) => number>> = {
  newest: (a, b) => early(b.since, a.since),
  oldest: (a, b) => early(a.since, b.since),
  number: (a, b) => early(a.repository, b.repository) || a.issue_id - b.issue_id,
};

export type Columns = Readonly<Record<Column, readonly Card[]>>;

export function fileCards(cards: Iterable<Card>, filter: Filter): Columns {
  const columns = Object.fromEntries(COLUMNS.map((name) => [name, [] as Card[]])) as Record<
    Column,
    Card[]
  >;
  for (const card of cards) if (matches(card, filter)) columns[columnOf(card)].push(card);
  for (const name of COLUMNS) {
    columns[name].sort(filter.sort === 'queue' ? inQueueOrder(name) : ORDERS[filter.sort]);
  }
  return columns;
}

/** How many there are of those that have not ended, before all of them are here. */
export function countColumns(counts: Queue['counts']): Partial<Record<Column, number>> {
  const sums: Partial<Record<Column, number>> = {};
  for (const { kind, state, count } of counts) {
    if (state === 'done' || state === 'cancelled') continue;
    const column = columnOf({ kind, state });
    sums[column] = (sums[column] ?? 0) + count;
  }
  return sums;
}

/** While somebody points at a list it keeps its order: what is new comes last, what is gone leaves. */
export function keepOrder(list: readonly Card[], before: readonly string[]): readonly Card[] {
  const places = new Map(before.map((id, index) => [id, index]));
  const place = (card: Card) => places.get(card.task_id) ?? before.length;
  return list.every((card, index) => place(card) <= index)
    ? list
    : [...list].sort((a, b) => place(a) - place(b));
}

/** `shop#7`: the owner is left out, as everybody knows it. */
export function reference(card: Pick<Card, 'repository' | 'issue_id'>): string {
  return `${card.repository.split('/').at(-1) ?? ''}#${card.issue_id}`;
}

/** The same from the id of a task that is perhaps no longer known. */
export function referenceOf(taskId: string): string {
  const parts = taskId.split('~');
  return `${parts.at(-3) ?? ''}#${parts.at(-2) ?? ''}`;
}
