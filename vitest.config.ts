import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    reporters: ['default', './test/support/closing-line.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for outside comes late on a busy machine.
    expect: { poll: { timeout: 10_000 } },
    // Two cores: more workers than that only make real processes and real databases wait for each other.
    maxWorkers: 2,
  },
});
