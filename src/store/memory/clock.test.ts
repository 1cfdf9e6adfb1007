import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { scratchDir } from '../../../test/support/scratch.ts';
import { openSqliteStore } from '../sqlite/sqlite-store.ts';
import { createForwardClock, createSystemClock } from './clock.ts';

describe('the store clock', () => {
  it('begins at the later of the clock and what was written, and then goes as fast as the clock', () => {
    let source = 1_000;
    const clock = createForwardClock({ now: () => source }, 5_000);
    expect(clock.now()).toBe(5_000);
    source += 250;
    expect(clock.now()).toBe(5_250);
  });

  it('never goes back, and goes on from where the clock was set to', () => {
    let source = 10_000;
    const clock = createForwardClock({ now: () => source }, 0);
    source = 2_000;
    expect(clock.now()).toBe(10_000);
    source = 2_100;
    expect(clock.now()).toBe(10_100);
  });

  it('does not follow the wall clock after the start', () => {
    const clock = createSystemClock();
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  });

  it('does not fall behind what an earlier process wrote', async () => {
    const dataDir = scratchDir();
    const first = await openSqliteStore({ dataDir, clock: { now: () => 9_000_000 } });
    await first.putSetting('config:x', 1);
    await first.close();
    let now = 4_000;
    const second = await openSqliteStore({ dataDir, clock: { now: () => now } });
    expect(await second.now()).toBe(9_000_000);
    now += 5;
    await second.putSetting('config:x', 2);
    expect((await second.facts(0, 10)).map(({ at }) => at)).toEqual([9_000_000, 9_000_005]);
    await second.close();
    rmSync(dataDir, { recursive: true });
  });
});
