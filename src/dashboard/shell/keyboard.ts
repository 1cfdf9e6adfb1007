// Keys that work everywhere. Views add their own while they are shown.

import { togglePause } from '../data/actions.tsx';
import { needs } from '../data/derived.ts';
import { boardAddress, go, PATHS, route } from '../data/route.ts';
import { isAsking } from '../parts/dialog.tsx';
import { openKeys } from './menu.tsx';
import { flipTheme } from './theme.ts';

type Handler = (key: string) => boolean;

const handlers = new Set<Handler>();
const CHORD_MS = 1200;
let chordUntil = 0;

/** A view's own keys: true means that the key was taken. Returns the function that ends it. */
export function onKey(handler: Handler): () => void {
  handlers.add(handler);
  return () => handlers.delete(handler);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const PLACES: Readonly<Record<string, () => string>> = {
  o: () => PATHS.overview,
  b: () => boardAddress.value,
  t: () => PATHS.timeline,
  a: () => PATHS.agents,
  f: () => PATHS.flow,
};

function answer(): boolean {
  if (!needs.value.some(({ kind }) => kind === 'question')) return false;
  if (route.value.view !== 'overview') go('/');
  // Behind the drawing, which is a microtask too, and before the next key: a fast typist loses nothing.
  queueMicrotask(() => document.querySelector<HTMLElement>('.need.q .field')?.focus());
  return true;
}

function everywhere(key: string): boolean {
  if (Date.now() < chordUntil) {
    chordUntil = 0;
    const place = PLACES[key];
    if (place !== undefined) {
      go(place());
      return true;
    }
  }
  switch (key) {
    case 'g':
      chordUntil = Date.now() + CHORD_MS;
      return true;
    case '/':
      document.querySelector<HTMLElement>('#find')?.focus();
      return true;
    case '?':
      openKeys();
      return true;
    case 'P':
      togglePause();
      return true;
    case 'T':
      flipTheme();
      return true;
    case 'a':
      return answer();
    default:
      return false;
  }
}

export function startKeyboard(): void {
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || isTyping(event.target) || isAsking()) return;
    // A second key of a chord goes before a view's own.
    const chord = Date.now() < chordUntil;
    const taken =
      (chord && everywhere(key)) ||
      [...handlers].some((handler) => handler(key)) ||
      everywhere(key);
    if (taken) event.preventDefault();
  });
}
