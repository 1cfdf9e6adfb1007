// Light or dark: the system's wish, unless the reader chose.

import { signal } from '@preact/signals';

const KEY = 'banto-theme';
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

function kept(): Theme {
  const value = localStorage.getItem(KEY) as Theme | null;
  return value !== null && THEMES.includes(value) ? value : 'system';
}

export const theme = signal<Theme>(kept());
/** Rises whenever colours may have changed: what is drawn on a canvas is drawn again. */
export const colours = signal(0);

export function chooseTheme(wanted: Theme): void {
  theme.value = wanted;
  localStorage.setItem(KEY, wanted);
  apply();
}

function isDark(): boolean {
  return theme.value === 'system'
    ? window.matchMedia('(prefers-color-scheme: dark)').matches
    : theme.value === 'dark';
}

export function flipTheme(): void {
  chooseTheme(isDark() ? 'light' : 'dark');
}

function apply(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
  colours.value += 1;
}

export function startTheme(): void {
  apply();
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply);
}
