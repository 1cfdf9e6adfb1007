import type { ServerResponse } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import {
  agentAnswer,
  leasedTask,
  queueAnswer,
  READY,
} from '../../../../test/support/api-answers.ts';
import {
  type Script,
  type ScriptedApi,
  SPOKEN_BY_BANTO,
  scriptedApi,
} from '../../../../test/support/scripted-api.ts';
import { createClient } from '../../../client/client.ts';
import type { Shell } from '../shell.ts';
import { clean, width } from '../terminal/text.ts';
import { watchLive } from './live.ts';

let api: ScriptedApi | null = null;
afterEach(async () => {
  await api?.close();
});

const NOW = Date.parse('2026-11-15T20:01:00.000Z');

function screen(columns: number, rows: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const written: string[] = [];
  const shell = {
    stdout: { isTTY: true, columns, rows, write: (text: string) => written.push(text) },
    color: false,
    now: () => NOW,
    untilStopped: () => promise,
  } as unknown as Shell;
  return { shell, written, stop: resolve };
}

function send(raw: ServerResponse, event: object): void {
  const data = { at: '2026-11-15T20:00:30.000Z', task_id: leasedTask().task_id, ...event };
  raw.write(`id: 1\ndata: ${JSON.stringify(data)}\n\n`);
}

function serverWith(onEvents: Script): Script {
  let title = 'First title';
  const answers: Record<string, () => unknown> = {
    '/ready': () => READY,
    '/api/v1/flags': () => ({ maintenance: false, debug: false }),
    '/api/v1/queue': () => queueAnswer(),
    '/api/v1/agents': () => ({
      agents: Array.from({ length: 30 }, (_, index) => agentAnswer({ agent_id: `agent-${index}` })),
    }),
  };
  return (request, raw) => {
    if (request.path === '/api/v1/events') {
      title = 'Second \u001b[5;5Htitle';
      return onEvents(request, raw);
    }
    if (request.path === '/api/v1/tasks') {
      const leased = request.query.get('state') === 'leased' ? [leasedTask({ title })] : [];
      return { json: { tasks: leased, next_cursor: null } };
    }
    return { json: answers[request.path]?.() };
  };
}

test('an event redraws the screen, which is left as it was found', async () => {
  api = await scriptedApi(
    serverWith((_, raw) => {
      raw.writeHead(200, { 'content-type': 'text/event-stream', ...SPOKEN_BY_BANTO });
      send(raw, { seq: 1, type: 'renewed', state: 'leased', progress: 'half \u001b[1mdone' });
      return 'taken';
    }),
  );
  const { shell, written, stop } = screen(60, 20);
  const watching = watchLive(shell, createClient({ url: api.url }));
  await expect
    .poll(() => written.join(''), { timeout: 5000 })
    .toContain('Second title — half done');
  stop();
  await watching;
  expect(written[0]).toBe('\u001b[?1049h\u001b[?25l');
  expect(written.at(-1)).toBe('\u001b[?25h\u001b[?1049l');
  const frames = written.slice(1, -1);
  expect(frames[0]).toContain('First title');
  expect(frames[0]).toContain('9 min left');
  for (const frame of frames) {
    const lines = frame.split('\r\n');
    expect(lines.length).toBeLessThanOrEqual(20);
    expect(Math.max(...lines.map((line) => width(clean(line))))).toBeLessThanOrEqual(60);
    expect(frame).toContain('more');
    // Only the view itself may steer the terminal.
    expect(frame.replaceAll(/\u001b\[[HKJ]|\r\n/g, '')).not.toMatch(/[\p{Cc}]/u);
  }
});

test('the note of a lease is not shown for the next one', async () => {
  api = await scriptedApi(
    serverWith((_, raw) => {
      raw.writeHead(200, { 'content-type': 'text/event-stream', ...SPOKEN_BY_BANTO });
      send(raw, { seq: 1, type: 'renewed', state: 'leased', progress: 'half done' });
      send(raw, { seq: 2, type: 'leased', state: 'leased' });
      return 'taken';
    }),
  );
  const { shell, written, stop } = screen(60, 20);
  const watching = watchLive(shell, createClient({ url: api.url }));
  await expect.poll(() => written.join(''), { timeout: 5000 }).toContain('Second title');
  stop();
  await watching;
  expect(written.join('')).not.toContain('half done');
});

test('a tiny screen is never overrun', async () => {
  api = await scriptedApi(serverWith(() => 'taken'));
  const { shell, written, stop } = screen(20, 3);
  const watching = watchLive(shell, createClient({ url: api.url }));
  await expect.poll(() => written.length, { timeout: 5000 }).toBeGreaterThan(1);
  stop();
  await watching;
  const lines = written[1]?.split('\r\n') ?? [];
  expect(lines).toHaveLength(3);
  expect(Math.max(...lines.map((line) => width(clean(line))))).toBeLessThanOrEqual(20);
});

test('a lost connection is shown over what was last known', async () => {
  api = await scriptedApi(
    serverWith((_, raw) => {
      raw.writeHead(200, { 'content-type': 'text/event-stream', ...SPOKEN_BY_BANTO });
      raw.write(': here\n\n');
      return 'taken';
    }),
  );
  const { shell, written, stop } = screen(80, 24);
  const watching = watchLive(shell, createClient({ url: api.url }));
  await expect.poll(() => written.length, { timeout: 5000 }).toBeGreaterThan(1);
  await api.close();
  await expect
    .poll(() => written.at(-1) ?? '', { timeout: 8000 })
    .toMatch(/Trying again|cannot be reached/);
  expect(written.at(-1)).toContain('title');
  stop();
  await watching;
});

test('a stream that breaks while it is being opened is opened again', async () => {
  let streams = 0;
  api = await scriptedApi(
    serverWith((_, raw) => {
      streams += 1;
      if (streams === 1) raw.destroy();
      else {
        raw.writeHead(200, { 'content-type': 'text/event-stream', ...SPOKEN_BY_BANTO });
        send(raw, { seq: 1, type: 'renewed', state: 'leased', progress: 'half done' });
      }
      return 'taken';
    }),
  );
  const { shell, written, stop } = screen(80, 24);
  const watching = watchLive(shell, createClient({ url: api.url }));
  const ended = vi.fn<(error: unknown) => void>();
  watching.catch(ended);
  await expect.poll(() => written.join(''), { timeout: 5000 }).toContain('half done');
  expect(ended).not.toHaveBeenCalled();
  stop();
  await watching;
});

test('a server that is not there is told before the screen is opened', async () => {
  api = await scriptedApi(() => ({}));
  await api.close();
  const { shell, written } = screen(80, 24);
  await expect(watchLive(shell, createClient({ url: api.url }))).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(written).toEqual([]);
});
