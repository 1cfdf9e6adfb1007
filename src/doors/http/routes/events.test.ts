import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, type OpenDoor, openDoor } from '../../../../test/support/http-door.ts';
import { leasedFact, TASK_ID } from '../../../../test/support/scripted-broker.ts';
import type { Fact } from '../../../core/facts.ts';

let open: OpenDoor;
const readers: AbortController[] = [];
beforeEach(async () => {
  open = await openDoor({
    limits: {
      eventPollMs: 20,
      eventHeartbeatMs: 20,
      eventStallMs: 200,
      eventStreams: 3,
      closeMs: 500,
    },
  });
});
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.abort();
  await open.door.close();
});

interface Reader {
  text: string;
  ended: boolean;
  readonly status: number;
  readonly headers: Headers;
  abort(): void;
}

async function read(path = '', headers: Record<string, string> = {}): Promise<Reader> {
  const abort = new AbortController();
  readers.push(abort);
  const url = `${open.url}/api/v1/events${path}`;
  const answer = await fetch(url, { headers, signal: abort.signal });
  const reader: Reader = {
    text: '',
    ended: false,
    status: answer.status,
    headers: answer.headers,
    abort: () => abort.abort(),
  };
  void (async () => {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? [])
        reader.text += decoder.decode(chunk, { stream: true });
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    } finally {
      reader.ended = true;
    }
  })();
  return reader;
}

function ids(reader: Reader): number[] {
  return [...reader.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

function facts(from: number, to: number): Fact[] {
  return Array.from({ length: to - from + 1 }, (_, index) => leasedFact(from + index));
}

test('a stream starts at now and shows each fact as an event without the request id', async () => {
  open.broker.happen(facts(1, 3));
  const reader = await read();
  expect(reader.headers.get('content-type')).toContain('text/event-stream');
  expect(reader.headers.get('content-security-policy')).toContain("default-src 'none'");
  await eventually(() => expect(reader.text).toContain('retry:'));
  open.broker.happen([leasedFact(4)]);
  await eventually(() => expect(ids(reader)).toEqual([4]));
  const frame = reader.text.slice(reader.text.indexOf('id: 4'));
  expect(frame).toMatch(/^id: 4\nevent: leased\ndata: \{.*\}\n\n/);
  expect(JSON.parse(/data: (.*)/.exec(frame)?.[1] ?? '')).toMatchObject({
    seq: 4,
    task_id: TASK_ID,
    agent_id: 'agent-1',
    expires_at: '2026-11-15T20:27:00.000Z',
    waited_ms: 5,
  });
  expect(reader.text).not.toContain('secret-');
});

test.each(['header', 'query'])(
  'a stream resumes after the last event id in the %s',
  async (where) => {
    open.broker.happen(facts(1, 120));
    const reader =
      where === 'header'
        ? await read('', { 'last-event-id': '17' })
        : await read('?last_event_id=17');
    await eventually(() => expect(ids(reader)).toHaveLength(103));
    open.broker.happen([leasedFact(121)]);
    await eventually(() => expect(ids(reader)).toEqual(facts(18, 121).map(({ seq }) => seq)));
    expect(reader.text).not.toContain('event: gap');
  },
);

test('a stream that resumes before what is kept is told of the gap and goes on', async () => {
  open.broker.happen(facts(50, 52));
  const reader = await read('?last_event_id=9');
  await eventually(() => expect(ids(reader)).toEqual([49, 50, 51, 52]));
  expect(reader.text).toContain('event: gap\ndata: {"requested":9,"continues_after":49}');
});

test('a stream that resumes after what ever was goes on from now', async () => {
  open.broker.happen(facts(1, 3));
  const reader = await read('?last_event_id=900');
  await eventually(() => expect(reader.text).toContain('{"requested":900,"continues_after":3}'));
  open.broker.happen([leasedFact(4)]);
  await eventually(() => expect(ids(reader)).toEqual([3, 4]));
});

test('a hint that never came and a read that failed are healed by the timer', async () => {
  const reader = await read('?last_event_id=0');
  let failures = 2;
  const kept = facts(1, 2);
  open.broker.script('events', async (after) => {
    if (failures-- > 0) throw new Error('the store is away');
    return kept.filter(({ seq }) => seq > after);
  });
  await eventually(() => expect(ids(reader)).toEqual([1, 2]));
  expect(failures).toBeLessThan(0);
});

test('silence is filled with comments', async () => {
  const reader = await read();
  await eventually(() => expect(reader.text.match(/^: still here$/gm)?.length).toBeGreaterThan(1));
});

test('a setting that holds a token shows no value', async () => {
  const reader = await read();
  await eventually(() => expect(reader.text).toContain('retry:'));
  open.broker.happen([
    { seq: 1, at: 1, type: 'setting_changed', name: 'tokens:abc', value: 'hashed' },
  ]);
  await eventually(() => expect(reader.text).toContain('tokens:abc'));
  expect(reader.text).not.toContain('hashed');
});

test('too many streams are told to come back, and a place freed is a place to have', async () => {
  const three = [await read(), await read(), await read()];
  expect((await read()).status).toBe(503);
  three[0]?.abort();
  await eventually(async () => expect((await read()).status).toBe(200));
});

function lazySocket(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(open.port, '127.0.0.1', () => {
      socket.write('GET /api/v1/events?last_event_id=0 HTTP/1.1\r\nhost: localhost\r\n\r\n');
      socket.pause();
      resolve(socket);
    });
    socket.on('error', reject);
  });
}

test('a reader that takes nothing is cut, was not read ahead for, and holds up nobody', async () => {
  // Endless facts of 20 kB: whoever reads them is never done.
  let readByLazy = 0;
  const long = 'x'.repeat(20_000);
  open.broker.script('events', async (after, limit) => {
    readByLazy += 1;
    return Array.from({ length: limit }, (_, index) => ({
      seq: after + index + 1,
      at: 1,
      type: 'released' as const,
      taskId: TASK_ID,
      state: 'ready' as const,
      agentId: 'a',
      fence: 1,
      reason: long,
    }));
  });
  const lazy = await lazySocket();
  await eventually(() => expect(open.broker.subscribers()).toBe(1));
  expect((await fetch(`${open.url}/health`)).status).toBe(200);
  await eventually(() => expect(open.broker.subscribers()).toBe(0));
  // 1 MB a batch: the buffers of two sockets take a few of them, and then nothing more is read.
  expect(readByLazy).toBeGreaterThan(0);
  expect(readByLazy).toBeLessThan(30);
  lazy.destroy();
});

test('streams end when the door closes', async () => {
  const reader = await read();
  await eventually(() => expect(reader.text).toContain('retry:'));
  await open.door.close();
  await eventually(() => expect(reader.ended).toBe(true));
});
