// Deliveries to one address. GitHub promises little: they may be late, doubled, out of order or lost, and they
// are not sent again by themselves. Every one of these can be brought about here.

import { createHmac, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Payload } from '../shapes/payloads.ts';

interface Delivery {
  /** `X-GitHub-Delivery`: the same when it is sent again by hand. */
  readonly id: string;
  readonly event: string;
  readonly action: string | null;
  readonly body: string;
  readonly at: number;
  /** The answers so far; a number, or the word for what went wrong. */
  readonly answers: (number | string)[];
}

export interface WebhookTarget {
  readonly url: string;
  readonly secret?: string;
}

export interface Webhooks {
  /** What happened while there was a target or deliveries were held, oldest first; the last 2,000. */
  readonly all: readonly Delivery[];
  readonly held: readonly Delivery[];
  readonly pointTo: (target: WebhookTarget | null) => void;
  readonly target: () => WebhookTarget | null;
  readonly emit: (event: string, payload: () => Payload) => void;
  /** From now on deliveries are kept back. */
  readonly hold: () => void;
  /** Sends what was kept back, one after the other in the order given, and stops holding. */
  readonly release: (order?: (held: readonly Delivery[]) => readonly Delivery[]) => Promise<void>;
  /** Matching deliveries never arrive; the returned function ends that. */
  readonly drop: (which: (delivery: Delivery) => boolean) => () => void;
  /** Matching deliveries arrive twice. */
  readonly double: (which: (delivery: Delivery) => boolean) => () => void;
  /** Deliveries leave so late. */
  readonly delay: (ms: number) => void;
  readonly send: (delivery: Delivery) => Promise<number | string>;
  /** Sends so many, drawn from all that ever happened with new ids, at most `concurrent` at a time. */
  readonly storm: (count: number, concurrent?: number) => Promise<Map<number | string, number>>;
  /** When everything that was to be sent has been answered. */
  readonly delivered: () => Promise<void>;
  readonly close: () => void;
}

const KEPT = 2000;

export function sign(secret: string, body: string | Buffer): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export function createWebhooks(now: () => number, first: WebhookTarget | null): Webhooks {
  const all: Delivery[] = [];
  const held: Delivery[] = [];
  const dropped = new Set<(delivery: Delivery) => boolean>();
  const doubled = new Set<(delivery: Delivery) => boolean>();
  const closing = new AbortController();
  let target = first;
  let holding = false;
  let delayMs = 0;
  let tail: Promise<unknown> = Promise.resolve();

  // Plain node:http with kept connections: a storm through `fetch` takes four times as long.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 100 });
  const sendOff = (url: string, headers: Record<string, string>, body: string) =>
    new Promise<number | string>((resolve) => {
      const length = `${Buffer.byteLength(body)}`;
      const asked = request(
        url,
        { method: 'POST', agent, headers: { ...headers, 'content-length': length } },
        (response) => {
          response.on('error', (error) => resolve(error.name));
          response.on('end', () => resolve(response.statusCode ?? 0)).resume();
        },
      );
      asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name));
      // GitHub gives a receiver ten seconds.
      asked.setTimeout(10_000, () => void asked.destroy(new Error('timed out')));
      asked.end(body);
    });

  const post = async (delivery: Delivery, id: string): Promise<number | string> => {
    if (target === null) return 'no target';
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/0000001',
      'x-github-delivery': id,
      'x-github-event': delivery.event,
      'x-github-hook-id': '1',
      'x-github-hook-installation-target-type': 'repository',
    };
    if (target.secret !== undefined) {
      headers['x-hub-signature-256'] = sign(target.secret, delivery.body);
    }
    const answer = await sendOff(target.url, headers, delivery.body);
    delivery.answers.push(answer);
    return answer;
  };
  const send: Webhooks['send'] = (delivery) => post(delivery, delivery.id);

  const waited = () =>
    new Promise<void>((resolve) => {
      if (delayMs === 0 || closing.signal.aborted) return resolve();
      const timer = setTimeout(done, delayMs);
      function done() {
        clearTimeout(timer);
        closing.signal.removeEventListener('abort', done);
        resolve();
      }
      closing.signal.addEventListener('abort', done);
    });

  return {
    all,
    held,
    send,
    pointTo(to) {
      target = to;
    },
    target: () => target,
    emit(event, say) {
      // Payloads are large: nobody listens, nothing is worded.
      if (target === null && !holding) return;
      const payload = say();
      const action = typeof payload['action'] === 'string' ? payload['action'] : null;
      const body = JSON.stringify(payload);
      const delivery: Delivery = { id: randomUUID(), event, action, body, at: now(), answers: [] };
      all.push(delivery);
      if (all.length > KEPT) all.shift();
      if ([...dropped].some((which) => which(delivery))) return;
      const times = [...doubled].some((which) => which(delivery)) ? 2 : 1;
      if (holding) {
        for (let time = 0; time < times; time += 1) held.push(delivery);
        return;
      }
      const before = tail;
      tail = (async () => {
        await before;
        await waited();
        for (let time = 0; time < times; time += 1) await send(delivery);
      })();
    },
    hold() {
      holding = true;
    },
    async release(order = (list) => list) {
      holding = false;
      const list = order(held.splice(0));
      for (const delivery of list) await send(delivery);
    },
    drop(which) {
      dropped.add(which);
      return () => void dropped.delete(which);
    },
    double(which) {
      doubled.add(which);
      return () => void doubled.delete(which);
    },
    delay(ms) {
      delayMs = ms;
    },
    async storm(count, concurrent = 50) {
      if (all.length === 0) throw new Error('a storm needs something that happened before');
      const answers = new Map<number | string, number>();
      let next = 0;
      const worker = async () => {
        for (let at = next++; at < count; at = next++) {
          // A stride prime to most lengths mixes old and new states.
          const delivery = all[(at * 7919) % all.length] as Delivery;
          const answer = await post({ ...delivery, answers: [] }, randomUUID());
          answers.set(answer, (answers.get(answer) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: concurrent }, worker));
      return answers;
    },
    async delivered() {
      let seen: Promise<unknown> | null = null;
      while (seen !== tail) {
        seen = tail;
        await tail;
      }
    },
    close() {
      closing.abort();
      agent.destroy();
    },
  };
}
