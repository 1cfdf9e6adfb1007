// The live view: a screen of its own, redrawn when something happened and once a second for the clocks.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../../client/client.ts';
import type { Event } from '../../schema/events.ts';
import { columnsOf, painter, type Shell } from '../shell.ts';
import { takeSnapshot } from './snapshot.ts';
import { draw } from './status-view.ts';

const OPEN_SCREEN = '\u001b[?1049h\u001b[?25l';
const CLOSE_SCREEN = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const CLEAR_LINE_END = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

const TICK_MS = 1000;
/** Read again at least this often, whatever the events say, and at most this often however many there are. */
const REFRESH_MS = 10_000;
const QUICKEST_MS = 250;

/** The last note of every lease that lives; a list of tasks does not carry it. */
function keepNote(notes: Map<string, string>, event: Event): void {
  if (event.task_id === undefined) return;
  const progress = event['progress'];
  if (event.type === 'renewed') {
    if (typeof progress === 'string') notes.set(event.task_id, progress);
  } else if (event.type === 'leased' || event.state !== 'leased') {
    notes.delete(event.task_id);
  }
}

export async function watchLive(shell: Shell, client: Client): Promise<void> {
  // Fails here, before the screen is opened, when nobody is there.
  let snapshot = await takeSnapshot(client);
  const notes = new Map<string, string>();
  let lost: string | null = null;
  let stale = false;
  const leaving = new AbortController();

  function redraw(): void {
    const rows = shell.stdout.rows ?? 24;
    const scene = { snapshot, notes, lost, now: shell.now(), columns: columnsOf(shell), rows };
    const lines = draw({ ...scene, paint: painter(shell) }).slice(0, rows);
    const text = lines.map((line) => line + CLEAR_LINE_END).join('\r\n');
    shell.stdout.write(HOME + text + CLEAR_BELOW);
  }

  async function follow(): Promise<void> {
    const onLost = (error: Error) => {
      lost = `${error.message} Trying again.`;
    };
    const stream = client.events({ signal: leaving.signal, onLost, wasThere: true });
    for await (const item of stream) {
      if (item.kind === 'event') keepNote(notes, item.event);
      stale = true;
    }
  }

  async function refresh(): Promise<void> {
    try {
      snapshot = await takeSnapshot(client);
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
