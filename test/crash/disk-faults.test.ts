// A disk that really fails: no room, no durability, no writing. Every caller is told `busy`, nothing that was refused
// shows, and all is well when the disk works again.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Seen } from '../support/faulty-disk.ts';
import { scratchDir } from '../support/scratch.ts';

const source = fileURLToPath(import.meta.resolve('../support/faulty-disk.c'));
const script = fileURLToPath(import.meta.resolve('../support/faulty-disk.ts'));
const dir = scratchDir();
const library = join(dir, 'faulty-disk.so');
let hasCompiler = false;

beforeAll(() => {
  if (process.platform !== 'linux') return;
  const made = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  hasCompiler = made.error === undefined;
  if (hasCompiler) expect(made.stderr.toString()).toBe('');
});
afterAll(() => rmSync(dir, { recursive: true }));

it.for([
  ['cannot be made durable', 's'],
  ['is full', 'f'],
  ['cannot be written', 'w'],
] as const)(
  'a disk that %s fails closed and loses nothing',
  { timeout: 60_000 },
  ([, how], { skip }) => {
    if (!hasCompiler) skip('no C compiler for the library that makes the disk fail');
    const dataDir = join(dir, how);
    mkdirSync(dataDir);
    const env = { ...process.env, LD_PRELOAD: library, FAULT_FLAG: join(dir, `flag-${how}`) };
    const out = execFileSync(process.execPath, [script, dataDir, how], { env, encoding: 'utf8' });
    const seen = JSON.parse(out) as Seen;
    expect(seen.meanwhile).toEqual(Array.from({ length: 8 }, () => 'busy'));
    expect(seen.sameMeanwhile).toBe(true);
    expect(seen.after).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(seen.sameAfterReopening).toBe(true);
    expect(seen.states).toMatchObject({
      'octo~park~1~implement.1': 'leased',
      'octo~park~2~implement.1': 'leased',
      'octo~park~59~implement.1': 'ready',
    });
  },
);
