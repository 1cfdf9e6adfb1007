// The embedded store without a file, for simulations and tests.

import type { BaseStore } from '../../../src/core/base-store.ts';
import type { Store } from '../../../src/core/store.ts';
import type { Archive } from '../../../src/store/memory/archive.ts';
import {
  createEmbeddedStore,
  type EmbeddedOptions,
} from '../../../src/store/memory/embedded-store.ts';
import { createMemoryLogs } from './memory-logs.ts';

export const createMemoryStore = (
  archive: Archive,
  options: Pick<EmbeddedOptions, 'clock'>,
): BaseStore & Store =>
  createEmbeddedStore(archive, { kind: 'sqlite', logs: createMemoryLogs(), ...options });
