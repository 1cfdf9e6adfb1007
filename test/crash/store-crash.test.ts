// kill -9 at random moments: every step that was acknowledged is there afterwards, and the invariants hold.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Store } from '../../src/core/store.ts';
import type { TaskState } from '../../src/core/task.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { expectFactsHold } from '../support/invariants.ts';

const LIVES = 12;
const LOOP = fileURLToPath(import.meta.resolve('../support/store-loop.ts'));

interface Said {
  step: string;
  id: string;
  fence: number;
}

/** Runs the loop until it has said something, and then a random moment longer. */
async function liveAndDie(dataDir: string, life: number): Promise<Said[]> {
  const child = spawn(process.execPath, [LOOP, dataDir, String(life)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const said: Said[] = [];
  const ended = once(lines, 'close');
  lines.on('line', (line) => said.push(JSON.parse(line) as Said));
  await Promise.race([once(lines, 'line'), ended]);
  await pause(Math.random() * 120);
  child.kill('SIGKILL');
  await ended;
  return said;
}

async function states(store: Store): Promise<Map<string, TaskState>> {
  const { tasks } = await store.tasks({ limit: 1_000_000 });
  return new Map(tasks.map(({ id, state }) => [id, state]));
}

it('loses no acknowledged step to kill -9', { timeout: 120_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'banto-crash-'));
  const said: Said[] = [];
  for (let life = 1; life <= LIVES; life += 1) {
    const fresh = await liveAndDie(dataDir, life);
    expect(fresh.length, `life ${life} did something`).toBeGreaterThan(0);
    said.push(...fresh);
    const store = await openSqliteStore({ dataDir });
    const facts = await store.facts(0, 1_000_000);
    const recorded = new Set(
      facts.map((fact) =>
        'taskId' in fact
          ? JSON.stringify([fact.type, fact.taskId, 'fence' in fact ? fact.fence : 0])
          : '',
      ),
    );
    const lost = said.filter(
      ({ step, id, fence }) => !recorded.has(JSON.stringify([step, id, fence])),
    );
    expect(lost, `after life ${life}`).toEqual([]);
    expectFactsHold(facts, await states(store));
    await store.close();
  }
  expect(said.some(({ step }) => step === 'completed')).toBe(true);
  rmSync(dataDir, { recursive: true });
});
