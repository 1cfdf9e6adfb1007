// So many at once, in order of arrival; who waits too long is refused instead of piling up.

import { ForgeBusy } from '../../../core/forge.ts';

export interface Semaphore {
  /** Answers with the function that releases it. */
  acquire(mostWaitMs: number): Promise<() => void>;
}

export function createSemaphore(
  permits: number,
  after: (ms: number, fn: () => void) => () => void,
): Semaphore {
  let free = permits;
  const queue: (() => void)[] = [];

  function releaseOnce(): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    };
  }

  return {
    acquire(mostWaitMs) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(releaseOnce());
      }
      return new Promise((resolve, reject) => {
        const giveUp = after(mostWaitMs, () => {
          queue.splice(queue.indexOf(go), 1);
          reject(new ForgeBusy(1000, 'Too many requests to GitHub are under way.'));
        });
        function go(): void {
          giveUp();
          resolve(releaseOnce());
        }
        queue.push(go);
      });
    },
  };
}
