// The live connection: one snapshot, then what changes. After a loss it goes on where it was.

import { signal } from '@preact/signals';
import { createSseParser } from '../../client/sse.ts';
import { api, CallError, keepToken } from './api.ts';
import { setServerTime } from './clock.ts';
import type { Event } from './contract.ts';
import { loadSnapshot, takeEvent } from './follow.ts';
import { session } from './state.ts';

export type Connection =
  | { readonly state: 'starting' }
  | { readonly state: 'live' }
  /** `off`: nothing has answered for a while; what is shown is old. */
  | { readonly state: 'lost' | 'off'; readonly sinceAt: number; readonly retryAt: number }
  | { readonly state: 'token'; readonly wrong: boolean };

export const connection = signal<Connection>({ state: 'starting' });
export const lastChangeAt = signal<number | null>(null);

/** The server sends a comment every 15 s; this much silence means that the connection is dead. */
const SILENCE_MS = 35_000;
const OFF_AFTER_MS = 20_000;
const SLEEP_AFTER_MS = 60_000;
const PAUSES_MS = [300, 1000, 2000, 4000, 5000];

let cursor: number | null = null;
let retryNow: (() => void) | null = null;
let losses = 0;
let lostAt = 0;

export function tryNow(): void {
  retryNow?.();
}

export async function useToken(secret: string): Promise<void> {
  keepToken(secret);
  connection.value = { state: 'starting' };
  tryNow();
}

async function read(
  stream: ReadableStream<BufferSource>,
  abort: AbortController,
): Promise<'gap' | 'ended'> {
  const parse = createSseParser();
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let watchdog = setTimeout(() => abort.abort(), SILENCE_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      clearTimeout(watchdog);
      watchdog = setTimeout(() => abort.abort(), SILENCE_MS);
      losses = 0;
      if (connection.value.state !== 'live') connection.value = { state: 'live' };
      for (const frame of parse(value)) {
        const data: unknown = JSON.parse(frame.data);
        if (frame.event === 'gap') {
          return 'gap';
        }
        const event = data as Event;
        if (event.seq <= (cursor ?? 0)) continue;
        takeEvent(event);
        lastChangeAt.value = Date.parse(event.at);
        cursor = Math.max(cursor ?? 0, event.seq);
      }
    }
  } finally {
    clearTimeout(watchdog);
    abort.abort();
  }
}

let current: AbortController | null = null;

async function connectOnce(): Promise<void> {
  if (cursor === null || session.value === null) {
    const [current, seq] = await Promise.all([api.session(), loadSnapshot()]);
    setServerTime(current.now);
    session.value = current;
    cursor = seq;
  }
  const abort = new AbortController();
  current = abort;
  const stream = await api.events(cursor, abort.signal);
  if ((await read(stream, abort)) === 'gap') cursor = null;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    retryNow = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

function waitForToken(): Promise<void> {
  return new Promise((resolve) => {
    retryNow = resolve;
  });
}

/**
 * A browser has six connections to a server for all its tabs: a tab that nobody looks at gives its own back, and
 * goes on from where it was when somebody looks again.
 */
let isAsleep = false;
let wake: (() => void) | null = null;

function sleepWhenHidden(): void {
  let timer: ReturnType<typeof setTimeout> | null = null;
  document.addEventListener('visibilitychange', () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!document.hidden) {
      isAsleep = false;
      wake?.();
      return;
    }
    timer = setTimeout(() => {
      isAsleep = true;
      current?.abort();
    }, SLEEP_AFTER_MS);
  });
}

export async function followForEver(): Promise<never> {
  sleepWhenHidden();
  for (;;) {
    if (isAsleep) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    try {
      await connectOnce();
    } catch (error) {
      if (error instanceof CallError && error.status === 401) {
        const wrong = sessionStorage.getItem('banto-token') !== null;
        keepToken(null);
        session.value = null;
        cursor = null;
        connection.value = { state: 'token', wrong };
        await waitForToken();
        continue;
      }
    }
    if (isAsleep) continue;
    if (losses === 0) lostAt = Date.now();
    const ms = PAUSES_MS[Math.min(losses, PAUSES_MS.length - 1)] ?? 5000;
    losses += 1;
    // A short break, a server that starts again, is not worth a banner.
    if (losses > 1) {
      const off = Date.now() - lostAt > OFF_AFTER_MS;
      connection.value = {
        state: off ? 'off' : 'lost',
        sinceAt: lostAt,
        retryAt: Date.now() + ms,
      };
    }
    await pause(ms);
  }
}
