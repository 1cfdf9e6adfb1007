// Runs before the tests: they use the real git, a real browser, a real Redis and real shells. Installs with apt-get what is
// missing, or says what to install. Silent when all is there.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Debian's package of the same name brings the program. */
const PROGRAMS = ['git', 'chromium', 'redis-server', 'python3', 'curl', 'zsh', 'fish'];
/** Asked by Debian's packages before they start a service; 101 means no. */
const POLICY = '/usr/sbin/policy-rc.d';
const PLACES = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/sbin'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isThere = (program: string) => PLACES.some((place) => isExecutable(join(place, program)));

/** Another apt-get may be at work: it is waited for. */
const PATIENCE = ['-o', 'DPkg::Lock::Timeout=300', '-o', 'Acquire::Retries=3'];

function aptGet(...args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const done = spawnSync('apt-get', ['-qq', ...PATIENCE, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return done.status === 0;
}

/** Installs without starting the services that come with the packages. */
function install(packages: readonly string[]): boolean {
  const ours = !existsSync(POLICY);
  if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return aptGet('install', '--yes', '--no-install-recommends', ...packages);
  } finally {
    if (ours) rmSync(POLICY, { force: true });
  }
}

function setUp(): number {
  const missing = PROGRAMS.filter((program) => !isThere(program));
  if (missing.length === 0) return 0;
  const names = missing.join(', ');
  const mayInstall = process.getuid?.() === 0 && isThere('apt-get');
  if (mayInstall) {
    process.stdout.write(`The tests need ${names}: installing with apt-get, once.\n`);
    if (aptGet('update') && install(missing) && missing.every(isThere)) return 0;
  }
  process.stderr.write(
    `The tests need ${names}. Install ${missing.length === 1 ? 'it' : 'them'}, on Debian and Ubuntu with:\n  sudo apt-get update && sudo apt-get install ${missing.join(' ')}\n`,
  );
  return 1;
}

process.exitCode = setUp();
