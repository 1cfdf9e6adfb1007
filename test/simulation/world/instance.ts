// One Banto process of the simulation: the real broker with its loops, on links that can fail, until it is killed.

import { createBroker, type RunningBroker } from '../../../src/broker/create-broker.ts';
import type { Forge } from '../../../src/core/forge.ts';
import type { Policy } from '../../../src/core/settings.ts';
import type { Store } from '../../../src/core/store.ts';
import { createDice, mix } from '../engine/dice.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import type { Backing, Connection } from '../stores/backing.ts';
import { createLink, type Link, linkForge, linkStore } from './link.ts';
import type { Remote } from './remote.ts';

export interface Wraps {
  readonly store?: (store: Store) => Store;
  readonly forge?: (forge: Forge) => Forge;
}

export interface InstanceOptions {
  readonly name: number;
  readonly time: VirtualTime;
  readonly backing: Backing;
  readonly remote: Remote;
  readonly policy: Policy;
  /** A fault that was put in on purpose, to see it found. */
  readonly plant?: Wraps | undefined;
  /** Told of what the broker complained about. */
  readonly complained: (about: unknown, message: string) => void;
  readonly died: (name: number) => void;
}

export interface Instance {
  readonly name: number;
  readonly storeLink: Link;
  readonly forgeLink: Link;
  /** Null: it is dead, or has not come up yet. */
  broker(): RunningBroker | null;
  /** Nothing of it is left: its memory is gone, what it called is never answered. */
  kill(): void;
  /** A deploy: it ends its waiting requests and stops. */
  stop(): Promise<void>;
  start(): void;
}

interface Life {
  dead: boolean;
  broker: RunningBroker | null;
  connection: Connection | null;
  readonly ends: (() => void)[];
}

export function createInstance(options: InstanceOptions): Instance {
  const { name, time, backing, remote, policy, plant, complained, died } = options;
  const storeLink = createLink();
  const forgeLink = createLink();
  let life: Life | null = null;
  let lives = 0;

  function kill(): void {
    if (life === null || life.dead) return;
    const ended = life;
    life = null;
    ended.dead = true;
    ended.broker = null;
    for (const end of ended.ends) end();
    ended.connection?.drop();
    died(name);
  }

  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: complained, error: complained };

  async function come(mine: Life): Promise<void> {
    lives += 1;
    const ofThis = lives;
    const dice = createDice(mix(name + 1, ofThis));
    let secrets = 0;
    mine.connection = await backing.open();
    if (mine.dead) {
      mine.connection.drop();
      return;
    }
    const isDead = () => mine.dead;
    const ways = { time, isDead, die: kill };
    const opened = mine.connection.store;
    const store = linkStore(plant?.store?.(opened) ?? opened, storeLink, ways);
    const seen = remote.connect();
    const forge = linkForge(plant?.forge?.(seen) ?? seen, forgeLink, ways);
    // Whoever listens to a dead process hears nothing more, and is not kept in memory by it.
    const subscribe: Store['subscribe'] = (listener) => {
      const end = store.subscribe(listener);
      mine.ends.push(end);
      return end;
    };
    const watch: Forge['watch'] = (listener) => {
      const end = forge.watch(listener);
      mine.ends.push(() => void end());
      return end;
    };
    const broker = createBroker({
      store: { ...store, subscribe },
      forge: { ...forge, watch },
      policy,
      log,
      timers: {
        after: (ms, fn) =>
          time.after(ms, () => {
            if (!mine.dead) fn();
          }),
      },
      random: () => dice.next(),
      newSecret() {
        secrets += 1;
        return `i${name}.${ofThis}.${secrets}`;
      },
    });
    await broker.start();
    if (!mine.dead) mine.broker = broker;
  }

  function start(): void {
    if (life !== null) return;
    const mine: Life = { dead: false, broker: null, connection: null, ends: [] };
    life = mine;
    come(mine).catch((error: unknown) => {
      complained({ err: error }, 'an instance could not start');
      // Whoever is dead is started again, once: a second try beside it would make two more when it fails.
      if (!mine.dead) kill();
    });
  }

  return {
    name,
    storeLink,
    forgeLink,
    broker: () => life?.broker ?? null,
    kill,
    start,
    async stop() {
      const mine = life;
      const broker = mine?.broker ?? null;
      if (mine === null || broker === null) return;
      mine.broker = null;
      await broker.stop();
      if (life === mine) kill();
    },
  };
}
