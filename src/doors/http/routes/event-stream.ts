// One reader of the event stream. `broker.events` is the truth; hints and a timer say when to look.
// A slow reader costs one batch of memory: nothing more is read until it has taken that, and one
// that takes nothing for too long is cut. It resumes with Last-Event-ID.

import type { ServerResponse } from 'node:http';
import type { Broker } from '../../../broker/broker.ts';
import type { Event, Gap } from '../../schema/events.ts';
import { eventView } from '../../views/event.ts';
import type { HttpLimits } from '../settings.ts';

const BATCH = 50;
const RETRY_MS = 2_000;

interface StreamOptions {
  readonly raw: ServerResponse;
  readonly broker: Pick<Broker, 'events' | 'subscribe'>;
  readonly limits: HttpLimits;
  /** The last event the reader has seen, and whether it is coming back after a break. */
  readonly afterSeq: number;
  readonly resumed: boolean;
  readonly lastSeq: number;
  readonly onError: (error: unknown) => void;
}

export interface EventStream {
  end(): void;
}

function frame(id: number, type: string, data: Event | Gap): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Resolves when the reader has taken what was written, or is gone. */
function drained(raw: ServerResponse, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => raw.destroy(), stallMs);
    const done = (): void => {
      clearTimeout(cut);
      raw.off('drain', done).off('close', done);
      resolve();
    };
    raw.on('drain', done).on('close', done);
  });
}

export function openEventStream(options: StreamOptions): EventStream {
  const { raw, broker, limits, lastSeq, onError } = options;
  let cursor = options.afterSeq;
  let checkGap = options.resumed;
  let looking = false;
  let lookAgain = false;
  const over = new AbortController();

  async function write(text: string): Promise<void> {
    if (!over.signal.aborted && !raw.write(text)) await drained(raw, limits.eventStallMs);
  }

  /** What was asked for is no longer kept, or belongs to another store: say so and go on from there. */
  async function tellGap(firstSeq: number | undefined): Promise<void> {
    checkGap = false;
    const next = firstSeq ?? lastSeq + 1;
    if (cursor + 1 === next || (firstSeq === undefined && cursor === lastSeq)) return;
    const gap: Gap = { requested: cursor, continues_after: next - 1 };
    cursor = next - 1;
    await write(frame(cursor, 'gap', gap));
  }

  async function sendNew(): Promise<void> {
    for (let more = true; more && !over.signal.aborted; ) {
      const facts = await broker.events(cursor, BATCH);
      if (checkGap) await tellGap(facts[0]?.seq);
      if (facts.length > 0) {
        const text = facts.map((fact) => frame(fact.seq, fact.type, eventView(fact))).join('');
        cursor = facts.at(-1)?.seq ?? cursor;
        await write(text);
      }
      more = facts.length === BATCH;
    }
  }

  async function look(): Promise<void> {
    lookAgain = true;
    if (looking) return;
    looking = true;
    try {
      while (lookAgain && !over.signal.aborted) {
        lookAgain = false;
        await sendNew();
      }
    } catch (error) {
      // The timer looks again; nothing is skipped, since the cursor has not moved.
      onError(error);
    } finally {
      looking = false;
    }
  }

  const wake = (): void => void look();
  const unsubscribe = broker.subscribe(wake);
  const poll = setInterval(wake, limits.eventPollMs);
  const heartbeat = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(': still here\n\n');
  }, limits.eventHeartbeatMs);

  function stop(): void {
    over.abort();
    unsubscribe();
    clearInterval(poll);
    clearInterval(heartbeat);
  }

  raw.once('close', stop);
  raw.on('error', onError);
  raw.write(`retry: ${RETRY_MS}\n: events\n\n`);
  wake();
  return {
    end() {
      stop();
      raw.end();
    },
  };
}
