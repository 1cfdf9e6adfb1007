// Notices that a folder may have changed: the system's events for speed, a steady look for certainty.

import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { codeOf, orNull } from '../issue-file/replace-file.ts';
import type { LocalLog } from './backlog.ts';

export interface WatchOptions {
  readonly folder: string;
  readonly pollMs: number;
  readonly log: LocalLog;
  /** Looks at the folder; answers in how many milliseconds at most it wants to look again, or null. */
  readonly look: () => Promise<number | null>;
}

const QUIET_MS = 30;
/** A burst (git switching a thousand files) is looked at in steps no longer than this. */
const BURST_MS = 300;

export function watchFolder({ folder, pollMs, log, look }: WatchOptions): () => Promise<void> {
  let watcher: FSWatcher | null = null;
  let watched: bigint | null = null;
  let timer: NodeJS.Timeout | undefined;
  let burstAt: number | null = null;
  let turn: Promise<void> | null = null;
  let again = false;
  let stopped = false;
  let complaint = '';

  function complain(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (message !== complaint) log.warn({ err: error }, 'the backlog folder cannot be watched');
    complaint = message;
  }

  function unwatch(): void {
    watcher?.close();
    watcher = null;
    watched = null;
  }

  /** The folder may have been replaced by another of the same name: then the old watcher hears nothing. */
  async function rewatch(): Promise<void> {
    const inode = (await orNull(stat(folder, { bigint: true })))?.ino ?? null;
    if (stopped || (inode !== null && inode === watched)) return;
    unwatch();
    if (inode === null) return;
    try {
      watcher = watch(folder, { persistent: false }, noticed);
      watcher.on('error', (error) => {
        complain(error);
        unwatch();
      });
      watched = inode;
    } catch (error) {
      // Out of watches, or gone again: the steady look goes on without.
      if (codeOf(error) !== 'ENOENT') complain(error);
    }
  }

  function schedule(inMs: number): void {
    if (stopped) return;
    clearTimeout(timer);
    timer = setTimeout(run, inMs);
    timer.unref();
  }

  function noticed(): void {
    const now = performance.now();
    burstAt ??= now;
    const inMs = Math.max(0, Math.min(QUIET_MS, burstAt + BURST_MS - now));
    if (turn === null) schedule(inMs);
    else again = true;
  }

  function run(): void {
    burstAt = null;
    turn = runOnce().finally(() => {
      turn = null;
    });
  }

  async function runOnce(): Promise<void> {
    let nextMs = pollMs;
    try {
      await rewatch();
      nextMs = Math.min(pollMs, (await look()) ?? pollMs);
      complaint = '';
    } catch (error) {
      complain(error);
    }
    schedule(again ? QUIET_MS : nextMs);
    again = false;
  }

  run();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    unwatch();
    await turn;
    unwatch();
  };
}
