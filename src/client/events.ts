// The event stream as an async generator. After a loss it goes on where it was, by Last-Event-ID.

import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BantoError, isRefusedForNow } from '../core/errors.ts';
import type { Event, Gap } from '../doors/schema/events.ts';
import { answerError, checkStream } from './answer.ts';
import { createSseParser, type Frame } from './sse.ts';
import type { Transport } from './transport.ts';

export type StreamItem =
  | { readonly kind: 'event'; readonly event: Event }
  /** Some events are no longer kept: what was built from them must be read again. */
  | { readonly kind: 'gap'; readonly gap: Gap };

export interface EventsOptions {
  /** Begin after this event; without it: with what happens from now on. */
  readonly lastEventId?: number | string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told of every loss; the stream is opened again by itself. */
  readonly onLost?: ((error: BantoError) => void) | undefined;
  /** The server was there a moment ago: a stream that cannot be opened at first is a loss as any other. */
  readonly wasThere?: boolean;
}

/** The server sends a comment every few seconds; this much silence means that nobody is there. */
const SILENCE_MS = 90_000;
const LONGEST_PAUSE_MS = 5000;

function readFrame(frame: Frame): StreamItem {
  const data: unknown = JSON.parse(frame.data);
  if (frame.event === 'gap') return { kind: 'gap', gap: data as Gap };
  return { kind: 'event', event: data as Event };
}

export async function* readEvents(
  transport: Transport,
  options: EventsOptions,
): AsyncGenerator<StreamItem, void, undefined> {
  const { signal } = options;
  const ended = () => signal?.aborted === true;
  let lastId = options.lastEventId === undefined ? null : String(options.lastEventId);
  let opened = options.wasThere ?? false;
  let losses = 0;
  while (!ended()) {
    try {
      const response = await connect(transport, lastId, signal);
      opened = true;
      const parse = createSseParser();
      for await (const chunk of response.setEncoding('utf8')) {
        losses = 0;
        for (const frame of parse(chunk as string)) {
          lastId = frame.id ?? lastId;
          yield readFrame(frame);
        }
      }
      options.onLost?.(new BantoError('unreachable', `${transport.address} closed the stream.`));
    } catch (error) {
      if (ended()) return;
      const lost = asLoss(error, transport);
      // Nothing was ever there, or it will not have us: the caller decides.
      if (!opened || !isRefusedForNow(lost.code)) throw lost;
      options.onLost?.(lost);
    }
    losses += 1;
    await pause(Math.min(100 * 2 ** losses, LONGEST_PAUSE_MS), signal);
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  // An abort ends the pause and then, by its condition, the loop.
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

async function connect(
  transport: Transport,
  lastId: string | null,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const response = await transport.open({
    method: 'GET',
    path: '/api/v1/events',
    headers: {
      accept: 'text/event-stream',
      ...(lastId === null ? {} : { 'last-event-id': lastId }),
    },
    silenceMs: SILENCE_MS,
    signal,
  });
  const { statusCode: status = 0, headers } = response;
  try {
    checkStream({ status, headers }, transport.address);
  } catch (error) {
    response.destroy();
    throw error;
  }
  if (status === 200) return response;
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  throw answerError({ status, headers, text }, transport.address);
}

function asLoss(error: unknown, transport: Transport): BantoError {
  if (error instanceof BantoError) return error;
  return new BantoError('unreachable', `The connection to ${transport.address} was lost.`, {
    cause: error,
  });
}
