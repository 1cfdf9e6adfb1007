// Hours in seconds: a clock that jumps from timer to timer, but only when everything real (HTTP, SQLite, the short
// timers inside libraries) has come to rest. So a simulated instant means the same to all parties.

import type { Timers } from '../../src/broker/context.ts';

export interface SimulatedTime {
  now(): number;
  readonly timers: Timers;
  sleep(ms: number): Promise<void>;
  /** Work that takes real, but no simulated time. */
  busy<T>(work: Promise<T>): Promise<T>;
  /** The same for every method of an object that answers with a promise. */
  watched<T extends object>(object: T): T;
  /** `waitFor` is waited for before each step: what is under way without being `busy`. */
  runUntil(isOver: () => boolean, mostMs: number, waitFor?: () => Promise<void>): Promise<void>;
  close(): void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  fn: (() => void) | null;
}

/** Libraries take such breaths between two steps; longer timers are time-outs. */
const SHORT_MS = 10;
const CALM_TURNS = 2;
/** Real time: whatever is under way for so long will never end. */
const STUCK_MS = 120_000;

const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** The short real timers: run in the next turn, and counted until they have run or were cleared, until `restore`. */
function watchShortTimers(change: (by: number) => void): () => void {
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const short = new Map<NodeJS.Timeout, NodeJS.Immediate>();
  const end = (timer: NodeJS.Timeout) => {
    if (short.delete(timer)) change(-1);
  };
  const watching = (fn: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    if (ms > SHORT_MS) return realSet(fn, ms, ...args);
    // Only a handle for whoever clears it: a millisecond of real time is long among so many.
    const timer = realSet(() => undefined, 0);
    realClear(timer);
    change(1);
    short.set(
      timer,
      setImmediate(() => {
        end(timer);
        fn(...args);
      }),
    );
    return timer;
  };
  globalThis.setTimeout = Object.assign(watching, realSet);
  globalThis.clearTimeout = (timer) => {
    const waiting = short.get(timer as NodeJS.Timeout);
    if (waiting === undefined) return realClear(timer);
    clearImmediate(waiting);
    end(timer as NodeJS.Timeout);
  };
  return () => {
    globalThis.setTimeout = realSet;
    globalThis.clearTimeout = realClear;
  };
}

export function createSimulatedTime(startAt = Date.UTC(2026, 10, 16, 8)): SimulatedTime {
  let now = startAt;
  let order = 0;
  let underWay = 0;
  /** Latest first. */
  const waiting: Timer[] = [];
  const restore = watchShortTimers((by) => {
    underWay += by;
  });

  const comesLater = (a: Timer, b: Timer) => a.at > b.at || (a.at === b.at && a.order > b.order);

  function insert(timer: Timer): void {
    let low = 0;
    let high = waiting.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = waiting[middle];
      if (other !== undefined && comesLater(other, timer)) low = middle + 1;
      else high = middle;
    }
    waiting.splice(low, 0, timer);
  }

  const timers: Timers = {
    after(ms, fn) {
      const timer: Timer = { at: now + Math.max(0, ms), order: order++, fn };
      insert(timer);
      return () => {
        timer.fn = null;
      };
    },
  };

  async function rest(waitFor: () => Promise<void>): Promise<void> {
    const stuckAt = performance.now() + STUCK_MS;
    for (let calm = 0; calm < CALM_TURNS; calm = underWay === 0 ? calm + 1 : 0) {
      if (performance.now() > stuckAt) throw new Error(`${underWay} things never came to rest`);
      await waitFor();
      await nextTurn();
    }
  }

  async function busy<T>(work: Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
    }
  }

  return {
    now: () => now,
    timers,
    busy,
    sleep: (ms) => new Promise((resolve) => void timers.after(ms, resolve)),
    watched: <T extends object>(object: T): T =>
      new Proxy(object, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            const answer: unknown = Reflect.apply(value, target, args);
            return answer instanceof Promise ? busy(answer) : answer;
          };
        },
      }),
    async runUntil(isOver, mostMs, waitFor = () => Promise.resolve()) {
      const endAt = now + mostMs;
      for (await rest(waitFor); !isOver(); await rest(waitFor)) {
        const next = waiting.pop();
        if (next === undefined || next.at > endAt) {
          throw new Error(`still not over after ${Math.round(mostMs / 60_000)} simulated minutes`);
        }
        if (next.fn === null) continue;
        now = next.at;
        next.fn();
      }
    },
    close: restore,
  };
}
