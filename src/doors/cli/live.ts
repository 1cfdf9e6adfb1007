// The live view: a screen of its own, redrawn when something happened and once a second for the clocks.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { columnsOf, painter, type Shell } from './shell.ts';
import { lookClosely, takeSnapshot } from './snapshot.ts';
import { type Aside, draw, type Snapshot } from './status-view.ts';

const OPEN_SCREEN = '\u001b[?1049h\u001b[?25l';
const CLOSE_SCREEN = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

const TICK_MS = 1000;
/** Read anew at least this often, whatever the events say, and at most this often however many there are. */
const REFRESH_MS = 10_000;
const QUICKEST_MS = 250;

interface Seen {
  snapshot: Snapshot;
  asides: ReadonlyMap<string, Aside>;
}

async function look(client: Client): Promise<Seen> {
  const snapshot = await takeSnapshot(client);
  return { snapshot, asides: await lookClosely(client, snapshot) };
}

export async function watchLive(shell: Shell, client: Client): Promise<void> {
  // Fails here, before the screen is opened, when nobody is there.
  let seen = await look(client);
  let lost: string | null = null;
  let stale = false;
  const leaving = new AbortController();

  function redraw(): void {
    const rows = shell.stdout.rows ?? 24;
    const scene = { ...seen, lost, now: shell.now(), columns: columnsOf(shell), rows };
    const lines = draw({ ...scene, paint: painter(shell) }).slice(0, rows);
    const text = lines.map((line) => line + CLEAR_LINE_END).join('\r\n');
    shell.stdout.write(HOME + text + CLEAR_BELOW);
  }

  async function follow(): Promise<void> {
    const onLost = (error: Error) => {
      lost = `${error.message} Trying again.`;
    };
    for await (const _ of client.events({ signal: leaving.signal, onLost })) stale = true;
  }

  async function refresh(): Promise<void> {
    try {
      seen = await look(client);
      lost = null;
    } catch (error) {
      lost = `${error instanceof Error ? error.message : String(error)} Trying again.`;
    }
  }

  async function tick(): Promise<void> {
    let readAt = performance.now();
    let drawnAt = Number.NEGATIVE_INFINITY;
    while (!leaving.signal.aborted) {
      const since = performance.now() - readAt;
      if (
        (stale && since >= QUICKEST_MS) ||
        since >= REFRESH_MS ||
        (lost !== null && since >= TICK_MS)
      ) {
        stale = false;
        await refresh();
        readAt = performance.now();
        drawnAt = Number.NEGATIVE_INFINITY;
      }
      if (performance.now() - drawnAt >= TICK_MS) {
        redraw();
        drawnAt = performance.now();
      }
      await sleep(QUICKEST_MS / 2);
    }
  }

  shell.stdout.write(OPEN_SCREEN);
  try {
    await Promise.race([shell.untilStopped(), follow(), tick()]);
  } finally {
    leaving.abort();
    shell.stdout.write(CLOSE_SCREEN);
  }
}
