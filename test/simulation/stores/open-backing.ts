// Which store a run is made against.

import type { VirtualTime } from '../engine/virtual-time.ts';
import type { Backing, BackingOptions, StoreKind } from './backing.ts';
import { createMemoryBacking } from './memory-backing.ts';
import { openRedisBacking } from './redis-backing.ts';
import { createSqliteBacking } from './sqlite-backing.ts';

export async function openBacking(
  kind: StoreKind,
  options: BackingOptions & { readonly time: VirtualTime },
): Promise<Backing> {
  switch (kind) {
    case 'memory':
      return createMemoryBacking(options);
    case 'sqlite':
      return createSqliteBacking(options);
    case 'redis':
      return openRedisBacking(options);
  }
}
