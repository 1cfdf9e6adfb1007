// The way from one instance to what it shares with the others: store and forge. It can be cut, it can lose an answer,
// and it ends with the instance: what is under way then is never answered.

import { busy } from '../../../src/core/errors.ts';
import { type Forge, ForgeBusy, ForgeRefused } from '../../../src/core/forge.ts';
import type { Store } from '../../../src/core/store.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { createTroubles, type Troubles, type When } from './trouble.ts';

type Verb = (...args: unknown[]) => Promise<unknown>;
type Verbs = Record<string, Verb>;

export interface Link {
  readonly troubles: Troubles;
  /** Neither calls nor hints get through. */
  cut: boolean;
}

export interface LinkOptions {
  readonly time: VirtualTime;
  readonly isDead: () => boolean;
  readonly die: () => void;
  readonly error: (verb: string) => Error;
}

const never = () => new Promise<never>(() => undefined);

/** One verb with everything that may happen to it. */
function throughLink(name: string, verb: Verb, link: Link, options: LinkOptions): Verb {
  const { time, isDead, die, error } = options;

  function call(args: unknown[]): Promise<unknown> {
    time.begun();
    return verb(...args).then(
      (answer) => {
        time.ended();
        return isDead() ? never() : answer;
      },
      (failure: unknown) => {
        time.ended();
        if (isDead()) return never();
        throw failure;
      },
    );
  }

  async function lost(args: unknown[], when: When): Promise<never> {
    if (when === 'after') await call(args);
    throw error(name);
  }

  function killed(args: unknown[], when: When): Promise<never> {
    if (when === 'after') call(args).catch(() => undefined);
    die();
    return never();
  }

  async function slow(args: unknown[], when: When, ms: number): Promise<unknown> {
    if (when === 'before') await time.sleep(ms);
    if (isDead()) return never();
    if (link.cut) throw error(name);
    const answer = await call(args);
    if (when === 'after') await time.sleep(ms);
    return isDead() ? never() : answer;
  }

  return (...args) => {
    if (isDead()) return never();
    if (link.cut) return Promise.reject(error(name));
    const trouble = link.troubles.meets(name);
    if (trouble === null) return call(args);
    switch (trouble.what) {
      case 'lost':
        return lost(args, trouble.when);
      case 'killed':
        return killed(args, trouble.when);
      case 'slow':
        return slow(args, trouble.when, trouble.ms);
      case 'limited':
        return Promise.reject(new ForgeBusy(trouble.ms, 'The rate limit is used up.'));
      case 'refused':
        return Promise.reject(new ForgeRefused('forbidden', 'Banto may not write here.'));
    }
  };
}

function wrapAll<T extends object>(
  object: T,
  link: Link,
  options: LinkOptions,
  not: readonly string[],
): T {
  const verbs: Verbs = {};
  for (const [name, value] of Object.entries(object)) {
    if (typeof value !== 'function' || not.includes(name)) continue;
    verbs[name] = throughLink(name, value as Verb, link, options);
  }
  return { ...object, ...verbs };
}

export function createLink(): Link {
  return { troubles: createTroubles(), cut: false };
}

export function linkStore(store: Store, link: Link, options: Omit<LinkOptions, 'error'>): Store {
  const ways = { ...options, error: () => busy(new Error('the answer was lost')) };
  return {
    ...wrapAll(store, link, ways, ['generation', 'subscribe', 'close', 'openPace']),
    tickets: wrapAll(store.tickets, link, ways, []),
    subscribe: (listener) =>
      store.subscribe((facts) => {
        if (!options.isDead() && !link.cut) listener(facts);
      }),
  };
}

export function linkForge(forge: Forge, link: Link, options: Omit<LinkOptions, 'error'>): Forge {
  const ways = { ...options, error: () => new Error('The forge hung up.') };
  return {
    ...wrapAll(forge, link, ways, ['list', 'watch', 'close']),
    async *list(repository) {
      if (link.cut || link.troubles.meets('list')?.what === 'lost') throw ways.error();
      for await (const page of forge.list(repository)) {
        if (link.cut) throw ways.error();
        yield page;
      }
    },
    watch: (listener) =>
      forge.watch((change) => {
        if (!options.isDead() && !link.cut) listener(change);
      }),
  };
}
