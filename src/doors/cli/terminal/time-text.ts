// Instants and durations as people read them.

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 2 * MINUTE) return `${whole} s`;
  if (whole < 2 * HOUR) return `${Math.round(whole / MINUTE)} min`;
  return whole < 2 * DAY ? `${Math.round(whole / HOUR)} h` : `${Math.round(whole / DAY)} d`;
}

/** "in 4 min", "12 s ago". */
export function relative(instant: string, now: number): string {
  const seconds = (Date.parse(instant) - now) / 1000;
  return seconds >= 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`;
}

const two = (value: number) => String(value).padStart(2, '0');

/** The local time of day, with the date where it is not today. */
export function clockTime(instant: string, now: number): string {
  const at = new Date(instant);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === new Date(now).toDateString()) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}
