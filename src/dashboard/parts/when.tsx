// Times that tick: text once a second, exact on hover. Not announced to screen readers.

import { useComputed } from '@preact/signals';
import { now } from '../data/clock.ts';
import { at, clockOrDay, countdown, duration } from '../words/time.ts';
import { words } from '../words/words.ts';

/** How long ago, in words. */
export function Age({ since, ago = false }: { since: string; ago?: boolean }) {
  const start = Date.parse(since);
  const text = useComputed(() => {
    const ms = now.value - start;
    if (ago && ms < 1500) return words.value.time.justNow;
    return ago ? words.value.time.ago(duration(ms)) : duration(ms);
  });
  return (
    <time dateTime={since} title={at('exact', start)}>
      {text}
    </time>
  );
}

/** A countdown to an instant: 7:42. */
export function Left({ until, wrap }: { until: string; wrap?: (text: string) => string }) {
  const end = Date.parse(until);
  const text = useComputed(() => {
    const ms = end - now.value;
    if (ms <= 0) return words.value.time.due;
    return wrap === undefined ? countdown(ms) : wrap(countdown(ms));
  });
  return (
    <time dateTime={until} title={at('exact', end)} role="timer" aria-live="off">
      {text}
    </time>
  );
}

/** The time of day; the day too, if it was not today. */
export function At({ instant, format }: { instant: string; format?: 'minute' }) {
  const ms = Date.parse(instant);
  return (
    <time dateTime={instant} title={at('exact', ms)}>
      {format === 'minute' ? at('minute', ms) : clockOrDay(ms, now.peek())}
    </time>
  );
}
