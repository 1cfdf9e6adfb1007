// A long list of which only what is in view exists. Heights are guessed first and measured when shown.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useReducer, useRef } from 'preact/hooks';

const OVERSCAN_PX = 400;
const GAP_PX = 8;

interface Item {
  readonly key: string;
}

export interface ListHandle {
  scrollTo(key: string): void;
}

function place(items: readonly Item[], heights: ReadonlyMap<string, number>, guess: number) {
  const tops = new Float64Array(items.length + 1);
  for (const [index, { key }] of items.entries()) {
    tops[index + 1] = (tops[index] ?? 0) + (heights.get(key) ?? guess) + GAP_PX;
  }
  return tops;
}

/** The first item whose end is below this line. */
function findFirst(tops: Float64Array, y: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tops[middle + 1] ?? Number.POSITIVE_INFINITY) <= y) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function VirtualList<T extends Item>(props: {
  items: readonly T[];
  guess: number;
  label: string;
  render: (item: T) => ComponentChildren;
  handle?: (handle: ListHandle) => void;
}) {
  const { items, guess } = props;
  const scroller = useRef<HTMLUListElement>(null);
  const heights = useRef(new Map<string, number>());
  const width = useRef(0);
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const [measured, remeasure] = useReducer((n: number) => n + 1, 0);
  const tops = useMemo(() => place(items, heights.current, guess), [items, guess, measured]);

  const scrolledTo = scroller.current?.scrollTop ?? 0;
  const viewHeight = scroller.current?.clientHeight ?? 900;
  const first = findFirst(tops, scrolledTo - OVERSCAN_PX);
  const last = Math.min(items.length, findFirst(tops, scrolledTo + viewHeight + OVERSCAN_PX) + 1);

  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null) return;
    let moved = false;
    for (const element of list.querySelectorAll<HTMLElement>(':scope > li[data-key]')) {
      const key = element.dataset['key'] ?? '';
      const height = element.offsetHeight;
      if (height > 0 && heights.current.get(key) !== height) {
        heights.current.set(key, height);
        moved = true;
      }
    }
    if (moved) remeasure(undefined);
  });

  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null) return;
    const seen = new ResizeObserver(() => {
      // Another width breaks titles elsewhere: every height is open again.
      if (list.clientWidth !== width.current) {
        width.current = list.clientWidth;
        heights.current.clear();
        remeasure(undefined);
      }
      redraw(undefined);
    });
    seen.observe(list);
    return () => seen.disconnect();
  }, []);

  props.handle?.({
    scrollTo(key) {
      const index = items.findIndex((item) => item.key === key);
      const list = scroller.current;
      if (index === -1 || list === null) return;
      const top = tops[index] ?? 0;
      const bottom = tops[index + 1] ?? top;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (bottom > list.scrollTop + list.clientHeight) {
        list.scrollTop = bottom - list.clientHeight;
      }
      redraw(undefined);
    },
  });

  const shown = items.slice(first, last);
  return (
    <ul
      ref={scroller}
      class="cards"
      tabIndex={-1}
      aria-label={props.label}
      onScroll={() => redraw(undefined)}
    >
      <li class="spacer" aria-hidden="true" style={{ height: `${tops[first] ?? 0}px` }} />
      {shown.map((item) => props.render(item))}
      <li
        class="spacer"
        aria-hidden="true"
        style={{ height: `${Math.max(0, (tops[items.length] ?? 0) - (tops[last] ?? 0))}px` }}
      />
    </ul>
  );
}
