// Does the time that something takes grow with its input, or with the square of it? CPU time, because the machine
// is shared, and only where so much of it was used that a ratio means something.

/** Below this much CPU time nothing is judged. */
const FLOOR_MS = 60;
/** Twice the input may take twice the time; the square takes four times. */
const MOST_RATIO = 3;
const TRIES = 4;

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1000;
}

/** CPU time of the quickest of a few runs. */
export function leastMs(work: () => void): number {
  return Math.min(...Array.from({ length: TRIES }, () => cpuMs(work)));
}

/**
 * Doubles the input from `from` to `to` characters and stops at the first step that took more than its share.
 * Null: linear. Otherwise the sentence for the test's failure.
 */
export function superlinear(
  run: (text: string) => void,
  worst: (length: number) => string,
  { from = 16_384, to = 1_048_576 } = {},
): string | null {
  let beforeMs = Number.POSITIVE_INFINITY;
  for (let length = from; length <= to; length *= 2) {
    const text = worst(length);
    const ms = cpuMs(() => run(text));
    if (ms > FLOOR_MS && ms > beforeMs * MOST_RATIO) {
      const half = worst(length / 2);
      // Once more, with the best of several, so that a collection of garbage in between is no failure.
      const [small, large] = [leastMs(() => run(half)), leastMs(() => run(text))];
      if (large > FLOOR_MS && large > small * MOST_RATIO) {
        return `${length} characters took ${large.toFixed(0)} ms, half of them ${small.toFixed(0)} ms`;
      }
    }
    beforeMs = Math.max(ms, 1);
  }
  return null;
}
