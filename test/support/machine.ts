// What the machine must have for tests that run real servers. A fresh one gets what is missing through apt.

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';

const POLICY = '/usr/sbin/policy-rc.d';

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Debian starts what it installs; the tests start their own and want no other beside them. */
function withoutServices(install: () => void): void {
  const own = !existsSync(POLICY);
  if (own) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    install();
  } finally {
    if (own) rmSync(POLICY);
  }
}

export function needRedis(): void {
  if (has('redis-server')) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    withoutServices(() => {
      execFileSync('apt-get', ['update'], { stdio: 'pipe', env });
      const packages = ['-y', '--no-install-recommends', 'redis-server'];
      execFileSync('apt-get', ['install', ...packages], { stdio: 'pipe', env });
    });
  } catch (error) {
    throw new Error(
      'The tests of the Redis store need redis-server 7 or newer, and it could not be installed with apt-get. Install it by hand and run the tests again.',
      { cause: error },
    );
  }
}

/** vitest's global setup. */
export default function setup(): void {
  needRedis();
}
