// Polling with a deadline, for what happens in another process or on its own time.

import { setTimeout as pause } from 'node:timers/promises';

export async function eventually<T>(
  look: () => Promise<T>,
  isRight: (value: T) => boolean,
  deadlineMs = 20_000,
): Promise<T> {
  const until = Date.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (isRight(value)) return value;
    if (Date.now() > until) {
      throw new Error(`still not right after ${deadlineMs} ms: ${JSON.stringify(value)}`);
    }
    await pause(20);
  }
}
