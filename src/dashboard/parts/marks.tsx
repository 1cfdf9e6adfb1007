// The small signs: glyphs, states, priorities, meters. Colour never stands alone.

import { type Column, columnOf } from '../data/columns.ts';
import type { Card } from '../data/contract.ts';
import { words } from '../words/words.ts';

export type GlyphName =
  | Column
  | 'ask'
  | 'budget'
  | 'agent'
  | 'pr'
  | 'pen'
  | 'retry'
  | 'ok'
  | 'no'
  | 'info'
  | 'search'
  | 'pause'
  | 'play'
  | 'plug'
  | 'home'
  | 'board'
  | 'time'
  | 'flow'
  | 'more'
  | 'copy';

export function Glyph({ name }: { name: GlyphName }) {
  return (
    <svg class="gl" viewBox="0 0 16 16" aria-hidden="true">
      <use href={`#g-${name}`} />
    </svg>
  );
}

export function Mark({ size = 20 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <rect class="mk-bg" width="20" height="20" rx="4" />
      <g class="mk-l" fill="none" stroke-width="1.3">
        <path d="M3.5 8h13" />
        <path d="M6.5 3.5v13M10 3.5v13M13.5 3.5v13" stroke-opacity=".45" />
      </g>
      <path
        class="mk-f"
        d="M6 4.6h1a1 1 0 0 1 0 2H6a1 1 0 0 1 0-2zM9.500 5.200h1a1 1 0 0 1 0 2h-1a1 1 0 0 1 0-2zM13 4.200h1a1 1 0 0 1 0 2h-1a1 1 0 0 1 0-2zM6 10h1a1 1 0 0 1 0 2H6a1 1 0 0 1 0-2zM6 13.500h1a1 1 0 0 1 0 2H6a1 1 0 0 1 0-2zM9.500 11.500h1a1 1 0 0 1 0 2h-1a1 1 0 0 1 0-2zM9.500 14.200h1a1 1 0 0 1 0 2h-1a1 1 0 0 1 0-2zM13 9.600h1a1 1 0 0 1 0 2h-1a1 1 0 0 1 0-2zM13 12.200h1a1 1 0 0 1 0 2h-1a1 1 0 0 1 0-2z"
      />
    </svg>
  );
}

export function State({ column, pill = false }: { column: Column; pill?: boolean }) {
  return (
    <span class={`${pill ? 'pill' : 'st'} st-${column}`}>
      <Glyph name={column} />
      {words.value.columns[column]}
    </span>
  );
}

export function StateOf({ card }: { card: Pick<Card, 'kind' | 'state'> }) {
  return <State column={columnOf(card)} pill />;
}

export type PriorityWord = 'high' | 'normal' | 'low';

export function priorityWord(priority: number): PriorityWord {
  if (priority >= 100) return 'high';
  return priority >= 50 ? 'normal' : 'low';
}

export function Priority({ priority }: { priority: number }) {
  const word = priorityWord(priority);
  const { priorities, priorityName } = words.value;
  return (
    <svg
      class={`pr ${word}`}
      viewBox="0 0 14 12"
      role="img"
      aria-label={priorityName(priorities[word])}
    >
      <rect class="a" x="0" y="7" width="3.5" height="5" rx="1" />
      <rect class="b" x="5" y="4" width="3.5" height="8" rx="1" />
      <rect class="c" x="10" y="0" width="3.5" height="12" rx="1" />
    </svg>
  );
}

/** `share` of 1; `label` is what a screen reader says. */
export function Meter({
  share,
  tone,
  label,
}: {
  share: number;
  tone: 'le' | 'fg' | 'warn';
  label: string;
}) {
  const width = Math.round(Math.max(0, Math.min(1, share)) * 100);
  return (
    <svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="bg" width="100" height="4" />
      <rect class={tone} width={width} height="4" />
    </svg>
  );
}

export function Label({ name }: { name: string }) {
  return (
    <span class="label" title={name}>
      {name}
    </span>
  );
}
