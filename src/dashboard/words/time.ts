// Instants and durations for people, in the reader's zone.

import { computed } from '@preact/signals';
import { language, words } from './words.ts';

const formats = computed(() => {
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language.value, { hourCycle: 'h23', ...options });
  return {
    clock: make({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    minute: make({ hour: '2-digit', minute: '2-digit' }),
    day: make({ month: 'short', day: 'numeric' }),
    weekday: make({ weekday: 'long' }),
    shortDay: make({ weekday: 'short', day: 'numeric' }),
    exact: make({ dateStyle: 'full', timeStyle: 'long' }),
    number: new Intl.NumberFormat(language.value),
    compact: new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }),
    dollars: new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }),
  };
});

type Format = Exclude<keyof typeof formats.value, 'number' | 'compact' | 'dollars'>;

export function at(format: Format, instant: number): string {
  return formats.value[format].format(instant);
}

const onDay = (instant: number) =>
  words.value.time.onDay(at('day', instant), at('minute', instant));

/** Today the time alone; before that the day with it. */
export function clockOrDay(instant: number, now: number): string {
  const sameDay = new Date(instant).toDateString() === new Date(now).toDateString();
  return sameDay ? at('clock', instant) : onDay(instant);
}

/** The same without seconds. */
export function minuteOrDay(instant: number, now: number): string {
  const sameDay = new Date(instant).toDateString() === new Date(now).toDateString();
  return sameDay ? at('minute', instant) : onDay(instant);
}

export const number = (n: number) => formats.value.number.format(n);
export const compact = (n: number) =>
  formats.value.compact
    .format(n)
    .replace('K', ' k')
    .replace(/([MB])$/, ' $1');
export const dollars = (n: number) => formats.value.dollars.format(n);

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** 40 s, 12 min, 2 h, 3 d. */
export function duration(ms: number): string {
  const { time } = words.value;
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < MINUTE) return time.seconds(seconds);
  if (seconds < 100 * MINUTE) return time.minutes(Math.round(seconds / MINUTE));
  if (seconds < 10 * HOUR) return time.hours(Math.round((seconds / HOUR) * 10) / 10);
  if (seconds < 2 * DAY) return time.hours(Math.round(seconds / HOUR));
  return time.days(Math.round(seconds / DAY));
}

/** For percentiles: small times exactly. */
export function shortTime(ms: number): string {
  if (ms < 10_000) return words.value.time.seconds(Math.round(ms / 100) / 10);
  return duration(ms);
}

/** 7:42, or 1:02:03. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const pad = (n: number) => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`;
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${pad(seconds % 60)}`;
}
