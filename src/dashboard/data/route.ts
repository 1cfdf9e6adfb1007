// The address bar is the state of the view: what is shown can be linked to.

import { signal } from '@preact/signals';

export type View = 'overview' | 'board' | 'timeline' | 'agents' | 'flow' | 'task';

export interface Route {
  readonly view: View;
  readonly taskId: string | null;
  readonly query: URLSearchParams;
}

const VIEWS: Readonly<Record<string, View>> = {
  '/': 'overview',
  '/board': 'board',
  '/timeline': 'timeline',
  '/agents': 'agents',
  '/flow': 'flow',
};

export const PATHS: Readonly<Record<Exclude<View, 'task'>, string>> = {
  overview: '/',
  board: '/board',
  timeline: '/timeline',
  agents: '/agents',
  flow: '/flow',
};

function read(): Route {
  const { pathname, search } = window.location;
  const query = new URLSearchParams(search);
  const task = /^\/tasks\/([^/]+)$/.exec(pathname)?.[1];
  if (task !== undefined) return { view: 'task', taskId: decodeURIComponent(task), query };
  return { view: VIEWS[pathname] ?? 'overview', taskId: null, query };
}

export const route = signal<Route>(read());

/** Where the board was left, filters and all: the way back from a task. */
export const boardAddress = signal('/board');

export function taskPath(taskId: string): string {
  return `/tasks/${encodeURIComponent(taskId)}`;
}

export function go(path: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') window.history.pushState(null, '', path);
  else window.history.replaceState(null, '', path);
  update();
  if (how === 'push') window.scrollTo(0, 0);
}

function update(): void {
  route.value = read();
  if (route.value.view === 'board') {
    boardAddress.value = `${window.location.pathname}${window.location.search}`;
  }
}

/** Changes one part of the address; empty removes it. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(route.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  go(`${window.location.pathname}${text === '' ? '' : `?${text}`}`, 'replace');
}

function isPlainClick(event: MouseEvent): boolean {
  const { button, metaKey, ctrlKey, shiftKey, altKey, defaultPrevented } = event;
  return button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey && !defaultPrevented;
}

export function startRouter(): void {
  update();
  window.addEventListener('popstate', update);
  document.addEventListener('click', (event) => {
    if (!isPlainClick(event)) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const href = link?.getAttribute('href') ?? '';
    const known = href.startsWith('/tasks/') || (href.split('?')[0] as string) in VIEWS;
    if (!known || link?.getAttribute('target')) return;
    event.preventDefault();
    go(href);
  });
}
