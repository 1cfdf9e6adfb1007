// What the simulated instances share: one store of some kind, whose data can be lost, and whose facts are read
// without going through any of the instances.

import type { Fact } from '../../../src/core/facts.ts';
import type { Store } from '../../../src/core/store.ts';
import type { ShiftedClock } from '../engine/shifted-clock.ts';

export interface BackingOptions {
  readonly clock: ShiftedClock;
  /** No lease is longer. */
  readonly leaseSeconds: number;
  readonly repository: string;
}

export interface Connection {
  readonly store: Store;
  /** The process that had it was killed. */
  drop(): void;
}

export type Loss = 'failover' | 'backup';
export const STORE_KINDS = ['memory', 'sqlite', 'redis'] as const;
export type StoreKind = (typeof STORE_KINDS)[number];

export interface Backing {
  readonly kind: StoreKind;
  /** False: one process owns the data, so that there is one instance, and its death is the store's. */
  readonly shared: boolean;
  open(): Promise<Connection>;
  /** The store itself, for the checks: never cut off, never slow. Null: its one process is down. */
  raw(): Store | null;
  /** Every fact once and in order, at the latest when `pull` has ended. */
  onFacts(listener: (facts: readonly Fact[]) => void): void;
  pull(): Promise<void>;
  /**
   * Keeps what is there now, as a backup or a replica that falls behind. `noted` is called at the instant up to which
   * every kept fact was told; never, if nothing could be kept.
   */
  keep(noted: () => void): Promise<void>;
  /**
   * What was kept is what there is: a replica that was behind took over, or a person put a backup back while no
   * instance ran. Facts are told again from where `noted` was called then; here it is called before the first of them.
   * False: nothing was kept yet.
   */
  goBack(how: Loss, noted: () => void): Promise<boolean>;
  close(): Promise<void>;
}
