// Lets so many through at once, in order of arrival; who stands too long is sent away instead of piling up.

import { ForgeBusy } from '../../core/forge.ts';

export interface Turnstile {
  /** Answers with the function that makes room again. */
  enter(mostWaitMs: number): Promise<() => void>;
}

export function createTurnstile(
  places: number,
  after: (ms: number, fn: () => void) => () => void,
): Turnstile {
  let free = places;
  const line: (() => void)[] = [];

  function leaveOnce(): () => void {
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = line.shift();
      if (next === undefined) free += 1;
      else next();
    };
  }

  return {
    enter(mostWaitMs) {
      if (free > 0) {
        free -= 1;
        return Promise.resolve(leaveOnce());
      }
      return new Promise((resolve, reject) => {
        const giveUp = after(mostWaitMs, () => {
          line.splice(line.indexOf(go), 1);
          reject(new ForgeBusy(1000, 'Too many requests to GitHub are under way.'));
        });
        function go(): void {
          giveUp();
          resolve(leaveOnce());
        }
        line.push(go);
      });
    },
  };
}
