// The keyboard on the board: a cursor, and what can be done with the task under it.

import type { Signal } from '@preact/signals';
import { askCancel, askPriority, askRelease, askRequeue } from '../../data/actions.tsx';
import type { Column, Columns } from '../../data/columns.ts';
import type { Card } from '../../data/contract.ts';
import { go, taskPath } from '../../data/route.ts';

interface BoardCursor {
  readonly columns: Columns;
  readonly shown: readonly Column[];
  readonly selected: Signal<string | null>;
  readonly reveal: (column: Column, id: string) => void;
}

function find(board: BoardCursor): { column: Column; index: number; card: Card } | null {
  for (const column of board.shown) {
    const index = board.columns[column].findIndex((card) => card.task_id === board.selected.value);
    const card = board.columns[column][index];
    if (card !== undefined) return { column, index, card };
  }
  return null;
}

function select(board: BoardCursor, column: Column, index: number): boolean {
  const list = board.columns[column];
  const card = list[Math.max(0, Math.min(index, list.length - 1))];
  if (card === undefined) return false;
  board.selected.value = card.task_id;
  board.reveal(column, card.task_id);
  // Focus follows the cursor, so that Enter and Tab go on from here.
  requestAnimationFrame(() => {
    const selector = `li[data-key="${CSS.escape(card.task_id)}"] a.title`;
    document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
  });
  return true;
}

function moveColumn(board: BoardCursor, by: 1 | -1): boolean {
  const at = find(board);
  const filled = board.shown.filter((column) => board.columns[column].length > 0);
  const [first] = filled;
  if (first === undefined) return false;
  if (at === null) return select(board, first, 0);
  const next = filled[filled.indexOf(at.column) + by];
  return next !== undefined && select(board, next, at.index);
}

function moveRow(board: BoardCursor, by: 1 | -1): boolean {
  const at = find(board);
  if (at === null) return moveColumn(board, 1);
  return select(board, at.column, at.index + by);
}

const ACTS: Readonly<Record<string, (card: Card) => void>> = {
  r: askRequeue,
  u: askRelease,
  p: askPriority,
  x: askCancel,
  w: (card) => go(`${taskPath(card.task_id)}#why`),
  Enter: (card) => go(taskPath(card.task_id)),
};

export function boardKeys(key: string, board: BoardCursor): boolean {
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return moveRow(board, 1);
    case 'k':
    case 'ArrowUp':
      return moveRow(board, -1);
    case 'h':
    case 'ArrowLeft':
      return moveColumn(board, -1);
    case 'l':
    case 'ArrowRight':
      return moveColumn(board, 1);
    case 'Escape':
      board.selected.value = null;
      return true;
    default: {
      const act = ACTS[key];
      const at = find(board);
      if (act === undefined || at === null) return false;
      // Enter on another button or link is theirs.
      const focused = document.activeElement?.closest('li[data-key], a, button');
      if (key === 'Enter' && focused && !focused.closest('li[data-key]')) return false;
      act(at.card);
      return true;
    }
  }
}
