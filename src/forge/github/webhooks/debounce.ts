// Reads what deliveries hint at: soon after the first, then no more often than every few seconds, so that a
// storm of deliveries costs a handful of requests.

import { ForgeBusy, type ForgeChange } from '../../../core/forge.ts';
import type { RepositoryMirror } from '../issues/repository-mirror.ts';

const SOON_MS = 150;
const AGAIN_MS = 2000;
const RETRY_MS = 10_000;

export interface Debouncer {
  soon(): void;
  /** Now, instead of soon. */
  runOnce(): Promise<void>;
  stop(): Promise<void>;
}

export function createDebouncer(parts: {
  readonly mirror: Pick<RepositoryMirror, 'readDirty' | 'isDirty'>;
  readonly tell: (change: ForgeChange) => void;
  readonly after: (ms: number, fn: () => void) => () => void;
  readonly now: () => number;
  readonly log: { warn(data: object, message: string): void };
}): Debouncer {
  const { mirror, tell, after, now, log } = parts;
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  let lastAt = Number.NEGATIVE_INFINITY;
  let stopped = false;

  function schedule(ms: number): void {
    if (stopped || cancel !== null || running !== null) return;
    cancel = after(ms, () => {
      cancel = null;
      running = run().finally(() => {
        running = null;
        if (mirror.isDirty()) schedule(waitMs);
      });
    });
  }

  let waitMs = AGAIN_MS;
  async function run(): Promise<void> {
    lastAt = now();
    waitMs = AGAIN_MS;
    try {
      tell(await mirror.readDirty());
    } catch (error) {
      waitMs = error instanceof ForgeBusy ? Math.max(AGAIN_MS, error.retryAfterMs) : RETRY_MS;
      log.warn({ err: error }, 'could not look at what was delivered yet; the next poll finds it');
    }
  }

  return {
    async runOnce() {
      cancel?.();
      cancel = null;
      await running;
      await run();
    },
    soon: () => schedule(Math.max(SOON_MS, lastAt + AGAIN_MS - now())),
    async stop() {
      stopped = true;
      cancel?.();
      cancel = null;
      await running;
    },
  };
}
