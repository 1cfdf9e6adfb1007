import type { ServerResponse } from 'node:http';
import { array, assert, integer, property } from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import {
  refusal,
  type Script,
  type ScriptedApi,
  SPOKEN_BY_BANTO,
  scriptedApi,
} from '../../test/support/scripted-api.ts';
import { createClient } from './client.ts';
import type { EventsOptions, StreamItem } from './events.ts';
import { createSseParser } from './sse.ts';

const open: ScriptedApi[] = [];
afterEach(async () => {
  for (const api of open.splice(0)) await api.close();
});

function frame(seq: number, type = 'ready'): string {
  return `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, at: 'x', type })}\n\n`;
}

function stream(raw: ServerResponse, text: string): 'taken' {
  raw.writeHead(200, { 'content-type': 'text/event-stream', ...SPOKEN_BY_BANTO });
  raw.write(text);
  return 'taken';
}

async function read(script: Script, wanted: number, options: EventsOptions = {}) {
  const api = await scriptedApi(script);
  open.push(api);
  const items: StreamItem[] = [];
  for await (const item of createClient({ url: api.url }).events(options)) {
    items.push(item);
    if (items.length === wanted) break;
  }
  return { api, items };
}

describe('the event stream', () => {
  test('goes on after a loss where it was', async () => {
    let opened = 0;
    const script: Script = (_, raw) => {
      opened += 1;
      stream(raw, opened === 1 ? frame(5) + frame(6) : frame(7));
      if (opened === 1) raw.end();
      return 'taken';
    };
    const lost: string[] = [];
    const { api, items } = await read(script, 3, { onLost: (error) => lost.push(error.code) });
    expect(items.map((item) => item.kind === 'event' && item.event.seq)).toEqual([5, 6, 7]);
    expect(api.received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '6']);
    expect(lost).toEqual(['unreachable']);
  });

  test('begins where it is told and passes on what is no longer kept', async () => {
    const gap = { requested: 3, continues_after: 8 };
    const script: Script = (_, raw) =>
      stream(raw, `retry: 2000\n: hello\n\nid: 8\nevent: gap\ndata: ${JSON.stringify(gap)}\n\n`);
    const { api, items } = await read(script, 1, { lastEventId: 3 });
    expect(items).toEqual([{ kind: 'gap', gap }]);
    expect(api.received[0]?.headers['last-event-id']).toBe('3');
  });

  test('a server that will not have us ends it, at the first try or a later one', async () => {
    const forbidden = refusal(403, 'forbidden', 'No.');
    await expect(read(() => forbidden, 1)).rejects.toMatchObject({ code: 'forbidden' });
    let opened = 0;
    const script: Script = (_, raw) => {
      opened += 1;
      if (opened > 1) return forbidden;
      stream(raw, frame(1));
      raw.end();
      return 'taken';
    };
    await expect(read(script, 2)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('an abort ends it quietly', async () => {
    const leaving = new AbortController();
    const script: Script = (_, raw) => {
      stream(raw, ': nothing yet\n\n');
      setImmediate(() => leaving.abort());
      return 'taken';
    };
    const { items } = await read(script, 1, { signal: leaving.signal });
    expect(items).toEqual([]);
  });
});

describe('parsing', () => {
  test('frames are the same however the text is cut', () => {
    const text = `: c\r\nid: 1\r\nevent: a\r\ndata: x\r\ndata: y\r\n\r\ndata:z\n\nid\ndata\n\nevent: lost\n\n`;
    const expected = [
      { id: '1', event: 'a', data: 'x\ny' },
      { id: '1', event: 'message', data: 'z' },
      { id: '', event: 'message', data: '' },
    ];
    assert(
      property(array(integer({ min: 0, max: text.length })), (cuts) => {
        const points = [0, ...cuts.toSorted((a, b) => a - b), text.length];
        const parse = createSseParser();
        const frames = points.flatMap((point, index) =>
          parse(text.slice(point, points[index + 1])),
        );
        expect(frames).toEqual(expected);
      }),
    );
  });
});
