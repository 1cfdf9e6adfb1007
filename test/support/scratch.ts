// Directories for tests that are about behaviour, not about disks: in memory where the machine can.

import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY_DISK = '/dev/shm';

export function scratchDir(): string {
  return mkdtempSync(join(existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir(), 'banto-test-'));
}
