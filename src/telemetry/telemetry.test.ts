import { describe, expect, test } from 'vitest';
import { BantoError, busy } from '../core/errors.ts';
import { createTelemetry, redact } from './telemetry.ts';

function telemetryWithLines() {
  const lines: string[] = [];
  return {
    lines,
    telemetry: createTelemetry({ level: 'info', write: (line) => lines.push(line) }),
  };
}

test.each([
  ['a GitHub token in a sentence', 'git said ghs_16C7e42F292c6912E7710c838347Ae178B4a', 'ghs_16C7'],
  ['a fine-grained token', 'github_pat_11AAAAAAA0abcdefghijk_lmnop', '11AAAAAAA0'],
  ['a token of Banto', 'used banto_Zm9vYmFyYmF6', 'Zm9vYmFyYmF6'],
  ['a bearer value', 'header was Bearer abc.def-ghi', 'abc.def'],
  ['a password in an address', 'redis://user:hunter2@localhost:6379', 'hunter2'],
])('%s never reaches the log, nor does it inside an error', (_what, text, secret) => {
  const { lines, telemetry } = telemetryWithLines();
  telemetry.log.info(text);
  telemetry.log.error({ err: new Error(text), deep: [{ text }] }, 'failed');
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toContain(secret);
  expect(lines.join('')).toContain('[redacted]');
});

test.each(['lease_token', 'leaseToken', 'token', 'authorization', 'secret'])(
  'a value under the key %s is hidden at any depth, quotes and all',
  (key) => {
    const { lines, telemetry } = telemetryWithLines();
    telemetry.log.info({ one: { two: [{ [key]: 'plain "quoted" words' }] } }, 'kept');
    expect(lines[0]).not.toContain('quoted');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      one: { two: [{ [key]: '[redacted]' }] },
      msg: 'kept',
    });
  },
);

test('ordinary words stay as they are', () => {
  const line = '{"msg":"task octo~shop~7~implement.1 leased","url":"http://127.0.0.1:8080/x"}';
  expect(redact(line)).toBe(line);
});

test('a line of a megabyte is scrubbed in well under a second', () => {
  const startedAt = performance.now();
  redact(`{"msg":"${'a'.repeat(500_000)}${'\\"token'.repeat(50_000)}"}`);
  expect(performance.now() - startedAt).toBeLessThan(1000);
});

test('the debug flag raises the level and sets it back', () => {
  const { lines, telemetry } = telemetryWithLines();
  telemetry.log.debug('one');
  telemetry.setDebug(true);
  telemetry.log.debug('two');
  telemetry.setDebug(false);
  telemetry.log.debug('three');
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['two']);
});

test('a verb is counted and timed, and its failures are counted by code', async () => {
  const { telemetry } = telemetryWithLines();
  await expect(telemetry.observe('complete', async () => 7)).resolves.toBe(7);
  await expect(
    telemetry.observe('complete', async () => {
      throw busy();
    }),
  ).rejects.toThrow('busy');
  const text = await telemetry.metrics();
  expect(text).toContain('banto_verb_total{verb="complete"} 2');
  expect(text).toContain('banto_verb_errors_total{verb="complete",code="busy"} 1');
  expect(text).toContain('banto_verb_duration_seconds_count{verb="complete"} 2');
});

test('the queue is shown as gauges, and a store that is gone leaves no stale ones', async () => {
  const { telemetry } = telemetryWithLines();
  telemetry.showQueue({
    counts: [{ state: 'ready', kind: 'review', priority: 100, count: 3 }],
    oldestReadyAt: 5000,
    delayed: [],
    outbox: { pending: 2, failing: 1 },
    waiting: 4,
  });
  const text = await telemetry.metrics();
  expect(text).toContain('banto_tasks{state="ready",kind="review",priority="100"} 3');
  expect(text).toContain('banto_waiting_agents 4');
  expect(text).toContain('banto_outbox_writes{status="failing"} 1');
  expect(text).toContain('banto_store_up 1');
  telemetry.showUsage({ handed_out: 3, turns: 2, 'agent:a1:cost_micro_usd': 1_500_000 });
  const used = await telemetry.metrics();
  expect(used).toContain('banto_usage_today{what="cost_usd",by="agent",name="a1"} 1.5');
  expect(used).toContain('banto_usage_today{what="turns",by="all",name=""} 2');
  telemetry.showQueue(null);
  const later = await telemetry.metrics();
  expect(later).not.toContain('banto_tasks{');
  expect(later).toContain('banto_store_up 0');
});

describe('an error in the log', () => {
  function logged(format: 'json' | 'pretty', level: 'info' | 'debug', error: Error): string {
    let written = '';
    const write = (line: string) => (written += line);
    createTelemetry({ level, format, write }).log.warn({ err: error }, 'it failed');
    return written;
  }
  const ordinary = new BantoError('unreachable', 'Redis cannot be reached.');
  const system = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });
  const fault = new TypeError('x is not a function');

  test.each([ordinary, system])('is one sentence where it is an ordinary one (%s)', (error) => {
    for (const format of ['json', 'pretty'] as const) {
      const line = logged(format, 'info', error);
      expect(line).toContain(error.message);
      expect(line).not.toContain('telemetry.test.ts');
      expect(line.trim().split('\n')).toHaveLength(1);
    }
  });

  test('of a fault keeps its trace in JSON, and on a terminal at debug level', () => {
    expect(logged('json', 'info', fault)).toContain('telemetry.test.ts');
    expect(logged('pretty', 'info', fault)).not.toContain('telemetry.test.ts');
    expect(logged('pretty', 'debug', fault)).toContain('telemetry.test.ts');
    expect(logged('pretty', 'debug', ordinary)).toContain('telemetry.test.ts');
  });

  test('shows no secret in a pretty line either', () => {
    const error = new Error('sent Bearer abc.def-ghi to redis://user:hunter2@localhost');
    expect(logged('pretty', 'debug', error)).not.toMatch(/abc\.def|hunter2/);
  });
});
