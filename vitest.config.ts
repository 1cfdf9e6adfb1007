import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'github-double/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for outside comes late on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    // Two cores, and a third worker while one of them waits for real time (a Redis that comes back, a lease that ends).
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Tests start hundreds of processes, and most of a start is compiling.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'banto-test-compile-cache') },
  },
});
