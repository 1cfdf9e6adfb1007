// Tasks by state. Search, filters and order are in the address bar; the keyboard moves a cursor.

import { computed, signal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { askIssue, canAct } from '../../data/actions.tsx';
import { now } from '../../data/clock.ts';
import {
  agentOf,
  COLUMNS,
  type Column,
  type Columns,
  countColumns,
  fileCards,
  isFiltered,
  keepOrder,
  readFilter,
  SORTS,
} from '../../data/columns.ts';
import type { Card } from '../../data/contract.ts';
import { startOfDay } from '../../data/follow.ts';
import { route, setQuery } from '../../data/route.ts';
import { allLoaded, cards, offers, queue, repositories } from '../../data/state.ts';
import { Glyph, State } from '../../parts/marks.tsx';
import { type ListHandle, VirtualList } from '../../parts/virtual-list.tsx';
import { Find } from '../../shell/find.tsx';
import { onKey } from '../../shell/keyboard.ts';
import { duration } from '../../words/time.ts';
import { words } from '../../words/words.ts';
import { boardKeys } from './board-keys.ts';
import { TaskCard } from './card.tsx';
import { FilterChip } from './filter-chip.tsx';

const MAIN: readonly Column[] = ['held', 'delayed', 'ready', 'leased', 'review', 'done'];
const FOLDED: readonly Column[] = ['dead', 'cancelled'];
const GUESS_PX: Readonly<Record<Column, number>> = {
  held: 110,
  delayed: 125,
  ready: 110,
  leased: 125,
  review: 125,
  done: 100,
  dead: 110,
  cancelled: 90,
};

const filter = computed(() => readFilter(route.value.query));
const columns = computed(() => fileCards(cards.value.values(), filter.value));
/** Known from the queue before every card is here. */
const counts = computed<Partial<Record<Column, number>>>(() =>
  allLoaded.value || isFiltered(filter.value) ? {} : countColumns(queue.value?.counts ?? []),
);
const countOf = (name: Column) => Math.max(counts.value[name] ?? 0, columns.value[name].length);
export const selected = signal<string | null>(null);
const handles = new Map<Column, ListHandle>();

function unfolded(): ReadonlySet<string> {
  return new Set((route.value.query.get('show') ?? '').split(',').filter(Boolean));
}

function fold(name: Column, open: boolean): void {
  const shown = new Set(unfolded());
  if (open) shown.add(name);
  else shown.delete(name);
  setQuery({ show: [...shown].join(',') });
}

function headEnd(name: Column, list: readonly Card[]): string {
  const { board } = words.value;
  const [first] = list;
  if (first === undefined) return '';
  if (name === 'ready') {
    const since = list.reduce(
      (oldest, { since }) => (since < oldest ? since : oldest),
      first.since,
    );
    return board.oldest(duration(now.value - Date.parse(since)));
  }
  if (name === 'leased') return board.agents(new Set(list.map(agentOf)).size);
  if (name === 'done') {
    const midnight = startOfDay().toISOString();
    return board.today(list.filter(({ since }) => since >= midnight).length);
  }
  return '';
}

type Item = { readonly key: string; readonly card: Card };

function BoardColumn({
  name,
  list,
  shown,
}: {
  name: Column;
  list: readonly Card[];
  shown: boolean;
}) {
  const { columns: names, board } = words.value;
  const pointed = useRef(false);
  const order = useRef<readonly string[]>([]);
  const items = useMemo<Item[]>(() => {
    const kept = pointed.current ? keepOrder(list, order.current) : list;
    order.current = kept.map(({ task_id }) => task_id);
    return kept.map((card) => ({ key: card.task_id, card }));
  }, [list]);
  const cursor = selected.value;
  const waits = !allLoaded.value && isFiltered(filter.value);
  return (
    <section
      class={shown ? 'col show' : 'col'}
      aria-label={names[name]}
      onPointerEnter={() => {
        pointed.current = true;
      }}
      onPointerLeave={() => {
        pointed.current = false;
      }}
    >
      <div class="col-head">
        <h2>
          <State column={name} />
        </h2>
        <span class="n">{countOf(name)}</span>
        <span class="end">{headEnd(name, list)}</span>
        {FOLDED.includes(name) ? (
          <button type="button" class="btn quiet" onClick={() => fold(name, false)}>
            {board.fold}
          </button>
        ) : null}
      </div>
      {list.length === 0 ? (
        <p class="none dim">{waits ? words.value.task.loading : board.none}</p>
      ) : (
        <VirtualList
          items={items}
          guess={GUESS_PX[name]}
          label={names[name]}
          handle={(handle) => handles.set(name, handle)}
          render={({ key, card }) => <TaskCard key={key} card={card} selected={key === cursor} />}
        />
      )}
    </section>
  );
}

function Rail({ open }: { open: ReadonlySet<string> }) {
  const { columns: names, board } = words.value;
  const closed = FOLDED.filter((name) => !open.has(name));
  if (closed.length === 0) return null;
  return (
    <div class="rail">
      {closed.map((name) => (
        <button
          key={name}
          type="button"
          class={countOf(name) === 0 ? 'dim' : `st-${name}`}
          title={board.unfold(names[name])}
          onClick={() => fold(name, true)}
        >
          <Glyph name={name} />
          <span>
            {names[name]} {countOf(name)}
          </span>
        </button>
      ))}
    </div>
  );
}

function Filters() {
  const { board, kinds } = words.value;
  const { repository, label, agent, kind, sort } = filter.value;
  const labels = useMemo(() => {
    const counts = new Map<string, number>();
    for (const card of cards.value.values()) {
      for (const name of card.labels) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  }, [cards.value]);
  const agents = useMemo(
    () => [...new Set([...cards.value.values()].flatMap((card) => agentOf(card) ?? []))].sort(),
    [cards.value],
  );
  const same = (names: readonly string[]) => names.map((value) => ({ value, label: value }));
  return (
    <div class="end row">
      <FilterChip
        name="repository"
        label={board.repository}
        value={repository}
        options={same(repositories.value)}
      />
      <FilterChip name="label" label={board.label} value={label} options={same(labels)} />
      <FilterChip name="agent" label={board.agent} value={agent} options={same(agents)} />
      <FilterChip
        name="kind"
        label={board.kind}
        value={kind}
        options={(['implement', 'review', 'fix'] as const).map((value) => ({
          value,
          label: kinds[value],
        }))}
      />
      <FilterChip
        name="sort"
        label={board.sort}
        value={sort}
        clearable={false}
        options={SORTS.map((value) => ({ value, label: board.sorts[value] }))}
      />
    </div>
  );
}

function clearFilters(): void {
  setQuery({ q: null, repository: null, label: null, agent: null, kind: null });
}

const FIRST: readonly Column[] = ['ready', 'leased', 'review', 'held', 'delayed', 'done'];

/** The column that is alone on a phone: the chosen one, or the first with something in it. */
function pickedColumn(all: Columns): Column {
  const chosen = route.value.query.get('column') as Column | null;
  if (chosen !== null && COLUMNS.includes(chosen)) return chosen;
  return FIRST.find((name) => all[name].length > 0) ?? 'ready';
}

function EmptyBoard() {
  const { board } = words.value;
  return (
    <div class="panel empty">
      <svg
        viewBox="0 0 44 44"
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        aria-hidden="true"
      >
        <rect x="8" y="5" width="28" height="34" rx="2" />
        <path d="M15 5v34M20 14h11M20 21h11M20 28h7" />
      </svg>
      <h2>{board.emptyTitle}</h2>
      <p>{board.empty}</p>
      {canAct() && offers('issues') ? (
        <div class="actions">
          <button type="button" class="btn primary" onClick={askIssue}>
            {board.add}
          </button>
        </div>
      ) : null}
    </div>
  );
}

export function Board() {
  const { board, views } = words.value;
  const all = columns.value;
  const open = unfolded();
  const total = cards.value.size;
  const count = COLUMNS.reduce((sum, name) => sum + all[name].length, 0);
  const filtered = isFiltered(filter.value);
  const shown = [...MAIN, ...FOLDED.filter((name) => open.has(name))];
  const picked = pickedColumn(all);

  useEffect(
    () =>
      onKey((key) =>
        boardKeys(key, {
          columns: columns.value,
          shown: [...MAIN, ...FOLDED.filter((name) => unfolded().has(name))],
          selected,
          reveal: (column, id) => handles.get(column)?.scrollTo(id),
        }),
      ),
    [],
  );

  return (
    <div class="view">
      <div class="view-head">
        <h1>{views.board}</h1>
        <span class="dim" role="status">
          {filtered
            ? allLoaded.value
              ? board.some(count, total)
              : words.value.task.loading
            : board.tasks(COLUMNS.reduce((sum, name) => sum + countOf(name), 0))}
        </span>
        {filtered ? (
          <button type="button" class="btn quiet" onClick={clearFilters}>
            {board.clear}
          </button>
        ) : null}
        {canAct() && offers('issues') ? (
          <button type="button" class="btn" onClick={askIssue}>
            {board.add}
          </button>
        ) : null}
        <Filters />
        <Find id="find-here" />
      </div>
      <div class="colpick">
        {COLUMNS.map((name) => (
          <button
            key={name}
            type="button"
            class={name === picked ? 'chip on' : 'chip'}
            aria-pressed={name === picked}
            onClick={() => setQuery({ column: name })}
          >
            <State column={name} /> {countOf(name)}
          </button>
        ))}
      </div>
      {total === 0 && allLoaded.value ? (
        <EmptyBoard />
      ) : count === 0 && allLoaded.value ? (
        <div class="panel empty">
          <p>{board.noMatch}</p>
          <button type="button" class="btn" onClick={clearFilters}>
            {board.clear}
          </button>
        </div>
      ) : (
        <div class="board" data-columns={shown.length}>
          {[...shown, ...(shown.includes(picked) ? [] : [picked])].map((name) => (
            <BoardColumn key={name} name={name} list={all[name]} shown={name === picked} />
          ))}
          <Rail open={open} />
        </div>
      )}
    </div>
  );
}
