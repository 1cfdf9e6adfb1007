// Does the time that something takes grow with its input, or with the square of it? CPU time, because the machine
// is shared, and only where so much of it was used that a ratio means something.

/** Below this much CPU time nothing is judged. */
const FLOOR_MS = 60;
/** Four times the input may take four times the time; the square takes sixteen times. Noise is far from either. */
const MOST_RATIO = 8;
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
 * Doubles the input from `from` to `to` characters and stops at the first length that took more than its share of what
 * a quarter of it took.
 * Null: linear. Otherwise the sentence for the test's failure.
 */
export function superlinear(
  run: (text: string) => void,
  worst: (length: number) => string,
  { from = 16_384, to = 1_048_576 } = {},
): string | null {
  const tookMs: number[] = [];
  for (let length = from; length <= to; length *= 2) {
    const text = worst(length);
    const ms = cpuMs(() => run(text));
    const quarterMs = Math.max(1, tookMs.at(-2) ?? Number.POSITIVE_INFINITY);
    if (ms > FLOOR_MS && ms > quarterMs * MOST_RATIO) {
      const quarter = worst(length / 4);
      // Once more, with the best of several, so that a collection of garbage in between is no failure.
      const [small, large] = [leastMs(() => run(quarter)), leastMs(() => run(text))];
      if (large > FLOOR_MS && large > small * MOST_RATIO) {
        return `${length} characters took ${large.toFixed(0)} ms, a quarter of them ${small.toFixed(0)} ms`;
      }
    }
    tookMs.push(ms);
  }
  return null;
}
