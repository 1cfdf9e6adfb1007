// Time that passes only when everything under way has come to rest. A timer costs a place in a heap and nothing else.

export interface VirtualTime {
  now(): number;
  /** Runs `fn` so much later; the returned function takes that back. */
  after(ms: number, fn: () => void): () => void;
  sleep(ms: number): Promise<void>;
  /** Fires everything that falls due until then, each after the one before has come to rest. */
  advance(ms: number): Promise<void>;
  /** Until nothing is under way that needs no time. */
  rest(): Promise<void>;
  /** Something outside was called, and has not answered. */
  begun(): void;
  ended(): void;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  fn: (() => void) | null;
}

/** Loops that only look take a turn of the event loop between two looks. */
const CALM_TURNS = 2;
/** Real time: what is under way for so long will never end. */
const STUCK_MS = 60_000;

const isBefore = (a: Timer, b: Timer) => a.at < b.at || (a.at === b.at && a.order < b.order);

function createHeap() {
  const heap: Timer[] = [];
  return {
    first: (): Timer | undefined => heap[0],
    push(timer: Timer): void {
      let at = heap.push(timer) - 1;
      while (at > 0) {
        const up = (at - 1) >> 1;
        const parent = heap[up];
        if (parent === undefined || !isBefore(timer, parent)) break;
        heap[at] = parent;
        at = up;
      }
      heap[at] = timer;
    },
    shift(): void {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return;
      let at = 0;
      for (;;) {
        let down = 2 * at + 1;
        const left = heap[down];
        if (left === undefined) break;
        const right = heap[down + 1];
        if (right !== undefined && isBefore(right, left)) down += 1;
        const child = heap[down];
        if (child === undefined || !isBefore(child, last)) break;
        heap[at] = child;
        at = down;
      }
      heap[at] = last;
    },
  };
}

export function createVirtualTime(startAt: number): VirtualTime {
  const heap = createHeap();
  let now = startAt;
  let order = 0;
  let underWay = 0;
  let calls = 0;
  let answered: PromiseWithResolvers<void> | null = null;

  const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

  /** Until the last call that is under way has ended. The thread sleeps meanwhile: whoever answers needs the processor. */
  async function untilAnswered(): Promise<void> {
    answered ??= Promise.withResolvers<void>();
    const { promise, reject } = answered;
    const stuck = () => reject(new Error(`${underWay} calls never came to rest`));
    // Seconds that this process has seen: one that was stopped for a while (a laptop that slept) is not stuck.
    let left = STUCK_MS / 1000;
    const timer = setInterval(() => {
      left -= 1;
      if (left <= 0) stuck();
    }, 1000);
    await promise.finally(() => clearInterval(timer));
  }

  async function rest(): Promise<void> {
    for (let calm = 0; calm < CALM_TURNS; ) {
      if (underWay > 0) await untilAnswered();
      const before = calls;
      await nextTurn();
      calm = underWay === 0 && calls === before ? calm + 1 : 0;
    }
  }

  function after(ms: number, fn: () => void): () => void {
    order += 1;
    const timer: Timer = { at: now + Math.max(0, ms), order, fn };
    heap.push(timer);
    return () => {
      timer.fn = null;
    };
  }

  return {
    now: () => now,
    after,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    rest,
    begun() {
      underWay += 1;
      calls += 1;
    },
    ended() {
      underWay -= 1;
      if (underWay > 0) return;
      answered?.resolve();
      answered = null;
    },
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        const next = heap.first();
        if (next === undefined || next.at > until) break;
        heap.shift();
        const { fn } = next;
        if (fn === null) continue;
        now = next.at;
        fn();
        await rest();
      }
      now = until;
    },
  };
}
