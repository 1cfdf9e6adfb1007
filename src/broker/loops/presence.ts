// One instance among others: says that it is alive, leads or follows, and hears within a second of what
// changed without a word: settings set by hand, a store that lost data. Leading saves work, it guards
// nothing: every step is atomic in the store, so that two leaders for a moment do no harm.

import type { Context } from '../context.ts';
import { createLoop } from '../loop.ts';

const BEAT_MS = 1000;
/** A dead leader is followed, and a dead instance's tickets are passed over, after this time. */
const ALIVE_MS = 5000;
const METRICS_EVERY_BEATS = 10;
const LEADER = 'leader';

export const roleOf = (instanceId: string): string => `instance:${instanceId}`;

export interface Usage {
  /** Share of one core since the last call. */
  readonly cpu: number;
  readonly memoryBytes: number;
}

export interface Presence {
  /** True also before the start: whoever runs a turn by hand is alone. */
  leads(): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  readonly led: () => void;
  readonly lost: () => void;
  readonly refresh: () => Promise<void>;
  readonly usage: (() => Usage) | null;
}

export function createPresence(context: Context, options: Options): Presence {
  const { store, timers, log, instanceId } = context;
  let leading = true;
  let cancelLapse: () => void = () => undefined;
  let generation = store.generation();
  let beats = 0;

  function follow(): void {
    leading = false;
  }

  /** The role is held from before the question was sent, never longer than the store holds it. */
  async function lead(): Promise<void> {
    const cancel = timers.after(ALIVE_MS, follow);
    const led = await store.lead(LEADER, instanceId, ALIVE_MS).catch((error: unknown) => {
      cancel();
      throw error;
    });
    cancelLapse();
    cancelLapse = cancel;
    const before = leading;
    leading = led;
    if (!led) cancel();
    if (led && !before) {
      log.info({}, 'this instance leads now');
      options.led();
    }
  }

  function notice(): void {
    const now = store.generation();
    if (now === generation) return;
    generation = now;
    log.warn({}, 'the store lost data; everything is read from the forge again');
    options.lost();
  }

  async function turn(): Promise<number> {
    notice();
    await store.lead(roleOf(instanceId), instanceId, ALIVE_MS);
    await lead();
    await options.refresh();
    notice();
    if (options.usage !== null && beats % METRICS_EVERY_BEATS === 0) {
      const { cpu, memoryBytes } = options.usage();
      await store.recordMetrics(instanceId, cpu, memoryBytes);
    }
    beats += 1;
    return BEAT_MS;
  }

  const loop = createLoop({ name: 'presence', timers, log, turn, retryMs: BEAT_MS });
  return {
    leads: () => leading,
    async start() {
      await loop.runOnce();
      loop.start();
    },
    async stop() {
      await loop.stop();
      cancelLapse();
      // Others need not wait for the roles to lapse. A store that is away lapses them by itself.
      await Promise.all([
        store.resign(roleOf(instanceId), instanceId),
        store.resign(LEADER, instanceId),
      ]).catch((error: unknown) => log.debug({ err: error }, 'could not give up the roles'));
    },
  };
}
