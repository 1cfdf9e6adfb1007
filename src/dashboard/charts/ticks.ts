// Where the marks of a time axis stand: at round times of the reader's day.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
];

export function timeStep(spanMs: number, most: number): number {
  return STEPS.find((step) => spanMs / step <= most) ?? DAY;
}

export function timeTicks(from: number, to: number, most: number): number[] {
  const step = timeStep(to - from, most);
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  const ticks: number[] = [];
  for (let at = midnight.getTime(); at <= to; at += step) if (at >= from) ticks.push(at);
  return ticks;
}

/** 1, 2 or 5 times a power of ten. */
export function niceStep(most: number, lines: number): number {
  const rough = Math.max(1, most / lines);
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough) ?? rough;
}
