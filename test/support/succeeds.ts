// Polling with a deadline until a look succeeds, for what happens in another process on its own time.

import { vi } from 'vitest';

export function succeeds<T>(look: () => Promise<T> | T): Promise<T> {
  return vi.waitFor(look, { timeout: 10_000, interval: 20 });
}
