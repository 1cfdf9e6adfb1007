// What the parts of the store are built from: made once for each store, taken apart by whoever needs some of it.

import type { Link } from './connection/link.ts';
import type { Silent } from './connection/silent.ts';
import type { StoreClock } from './connection/store-clock.ts';
import type { Identifiers, Keys } from './keys.ts';
import type { Buckets } from './rows/buckets.ts';
import type { Indexes } from './rows/indexes.ts';
import type { IssueSnapshots } from './rows/issue-snapshots.ts';
import type { ListChange } from './rows/step-arguments.ts';
import type { Steps } from './rows/steps.ts';
import type { Works } from './rows/works.ts';
import type { Ttls } from './ttl.ts';

export interface Parts {
  readonly link: Link;
  /** For what is only shown or said. */
  readonly silent: Silent;
  readonly keys: Keys;
  readonly ttls: Ttls;
  readonly identifiers: Identifiers;
  readonly clock: StoreClock;
  readonly steps: Steps;
  readonly works: Works;
  readonly buckets: Buckets;
  readonly indexes: Indexes;
  readonly snapshots: IssueSnapshots;
  /** What Redis' clock says; asked where it was not heard of lately. */
  readonly now: () => Promise<number>;
  /** Changes lists that no row is compared for. */
  readonly write: (lists: readonly ListChange[]) => Promise<void>;
  /** Entries of lists that belong to no task were put aside. */
  readonly setAside: (ids: readonly string[]) => void;
  readonly warn: (message: string, error?: unknown) => void;
}
