// The server's time, once a second: leases run out by its clock, not by the reader's.

import { signal } from '@preact/signals';

let aheadMs = 0;

export const now = signal(Date.now());

export function serverNow(): number {
  return Date.now() + aheadMs;
}

export function setServerTime(instant: string): void {
  aheadMs = Date.parse(instant) - Date.now();
  now.value = serverNow();
}

export function startClock(): void {
  setInterval(() => {
    if (!document.hidden) now.value = serverNow();
  }, 1000);
  document.addEventListener('visibilitychange', () => {
    now.value = serverNow();
  });
}
