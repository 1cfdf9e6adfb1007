// The language of the reader: the browser's, or the one chosen here.

import { computed, effect, signal } from '@preact/signals';
import { en, type Words } from './en.ts';
import { ja } from './ja.ts';

const KEY = 'banto-language';
const LANGUAGES: Readonly<Record<string, Words>> = { en, ja };

function preferred(): string {
  const kept = localStorage.getItem(KEY);
  if (kept !== null && kept in LANGUAGES) return kept;
  const wanted = navigator.languages.map((tag) => tag.split('-')[0] ?? '');
  return wanted.find((tag) => tag in LANGUAGES) ?? 'en';
}

export const language = signal(preferred());
export const words = computed<Words>(() => LANGUAGES[language.value] ?? en);

export function chooseLanguage(tag: string): void {
  localStorage.setItem(KEY, tag);
  language.value = tag;
}

export function startLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}

/** A reason that programs give, in place of an agent's own words. */
export function isWord(reason: string | null): boolean {
  return Object.hasOwn(words.value.reasons, reason?.split(':')[0] ?? '');
}

/** The values of a reason that are words for programs themselves. */
const VALUE_WORDS: Readonly<Record<string, (value: string) => string>> = {
  reason: (value) => reasonText(value),
  state: (value) => lookUp(words.value.columns, value),
  name: (value) => lookUp(words.value.priorities, value),
};

function lookUp(table: Readonly<Record<string, string>>, word: string): string {
  return Object.hasOwn(table, word) ? (table[word] ?? word) : word;
}

/** Why a rule says so, in the reader's language; null: only the server's own sentence is known. */
export function becauseText(code: string, values: Readonly<Record<string, string>>): string | null {
  const { becauseOf } = words.value.task;
  if (!Object.hasOwn(becauseOf, code)) return null;
  const read = Object.entries(values).map(([name, value]) => [
    name,
    VALUE_WORDS[name]?.(value) ?? value,
  ]);
  return becauseOf[code]?.(Object.fromEntries(read)) ?? null;
}

/** The sentence for a reason: a word for programs, perhaps with a detail; an agent's last words stand as they are. */
export function reasonText(reason: string | null): string {
  if (reason === null) return '';
  const [word = '', ...rest] = reason.split(':');
  const known = isWord(word) ? words.value.reasons[word] : undefined;
  if (known === undefined) return reason;
  return typeof known === 'string' ? known : known(rest.join(':'));
}
