import { afterEach, expect, test } from 'vitest';
import type { StatsAnswer } from '../../schema/queue.ts';
import { statsChart, stepsOf } from './stats-chart.ts';

const ZONE = process.env['TZ'];
afterEach(() => {
  if (ZONE === undefined) delete process.env['TZ'];
  else process.env['TZ'] = ZONE;
});

const plain = (_: string, text: string) => text;
const NOW = Date.parse('2026-11-15T00:20:00Z');

function stats(period: StatsAnswer['period'], rows: StatsAnswer['rows']): StatsAnswer {
  return { period, rows, forge_budget: null };
}

const daily = stats('daily', [
  {
    start: '2026-11-15',
    counters: { handed_out: 1, waited_ms: 3000 },
  },
  {
    start: '2026-11-14',
    counters: { handed_out: 9, completed: 8, failed: 2, expired: 1, dead: 1, worked_ms: 600_000 },
  },
  { start: '2026-11-01', counters: { completed: 99 } },
]);

function draw(answer: StatsAnswer, zone: string, columns = 100): string[] {
  process.env['TZ'] = zone;
  return statsChart(answer, { now: NOW, columns, paint: plain }) ?? [];
}

test('a bar shows what became of the tasks of a day; days without any are there too', () => {
  const lines = draw(daily, 'UTC');
  expect(lines.slice(1, 8).map((line) => line.slice(0, 9))).toEqual([
    'Mon 11-09',
    'Tue 11-10',
    'Wed 11-11',
    'Thu 11-12',
    'Fri 11-13',
    'Sat 11-14',
    'Sun 11-15',
  ]);
  expect(lines[6]).toMatch(/^Sat 11-14 {2}█+▓+░+ +9 +8 +2 +1 +1 +0 s +60 s$/);
  expect(lines[7]).toMatch(/^Sun 11-15 {2} +1 +0 +0 +0 +0 +3 s +–$/);
  expect(lines[8]).toMatch(/^total +10 +8 +2 +1 +1 /);
  expect(lines.join('\n')).not.toContain('99');
});

test('no line is wider than the terminal; where it is narrow, the numbers stay', () => {
  for (const columns of [200, 100, 80]) {
    for (const line of draw(daily, 'Asia/Tokyo', columns)) {
      expect(line.length).toBeLessThanOrEqual(columns);
    }
  }
  expect(draw(daily, 'UTC', 60)[6]).toMatch(/^Sat 11-14 +9 +8 +2/);
});

const used = stats('daily', [
  {
    start: '2026-11-15',
    counters: {
      handed_out: 2,
      cost_micro_usd: 1_250_000,
      input_tokens: 70_000,
      output_tokens: 900,
      'model:org/large:2:cost_micro_usd': 1_250_000,
      'model:org/large:2:input_tokens': 50_000,
      'model:org/large:2:output_tokens': 700,
      'agent:a1:cost_micro_usd': 1_250_000,
      'agent:a1:input_tokens': 50_000,
      'agent:a1:output_tokens': 700,
      'agent:b1:input_tokens': 20_000,
      'agent:b1:output_tokens': 200,
    },
  },
]);

test('what it cost stands beside each day, and then by model and by agent', () => {
  const lines = draw(used, 'UTC');
  expect(lines[0]).toMatch(/ WORKED {3}COST$/);
  expect(lines[6]).toMatch(/ –$/);
  expect(lines[7]).toMatch(/ \$1\.25$/);
  const at = (head: string) => lines.slice(lines.findIndex((line) => line.startsWith(head)));
  expect(at('By model')[1]).toMatch(/^org\/large:2 {2}█+ +\$1\.25 +50,000 +700$/);
  expect(at('By model')[2]).toMatch(/^not said {5} +– +20,000 +200$/);
  expect(at('By agent')[1]).toMatch(/^a1 +█+ +\$1\.25 /);
  expect(at('By agent')[2]).toMatch(/^b1 +– +20,000 +200$/);
  for (const line of draw(used, 'UTC', 60)) expect(line.length).toBeLessThanOrEqual(80);
});

test('without costs and tokens there is no word of them', () => {
  expect(draw(daily, 'UTC').join('\n')).not.toMatch(/COST|By model|By agent/);
});

test('days are UTC wherever the reader is, and the reader is told when they begin', () => {
  for (const zone of ['Asia/Tokyo', 'America/Los_Angeles']) {
    expect(draw(daily, zone)[6]).toMatch(/^Sat 11-14 /);
  }
  expect(draw(daily, 'Asia/Tokyo').at(-1)).toContain('they begin at 09:00 in Asia/Tokyo');
});

test('hours are shown in the zone of the reader, with the date where it changes', () => {
  const hourly = stats('hourly', [
    { start: '2026-11-15T00', counters: { completed: 1 } },
    { start: '2026-11-14T14', counters: { completed: 2 } },
  ]);
  const tokyo = draw(hourly, 'Asia/Tokyo');
  expect(tokyo).toHaveLength(24 + 6);
  expect(tokyo[1]).toMatch(/^11-14 10:00 /);
  expect(tokyo.find((line) => line.includes('23:00'))).toMatch(/█/);
  expect(tokyo.find((line) => line.includes('00:00'))).toMatch(/^11-15 00:00/);
  expect(draw(hourly, 'Asia/Kolkata')[24]).toMatch(/^ {6}05:30 {2}█/);
});

test('the hour that is repeated when summer time ends is two rows', () => {
  process.env['TZ'] = 'Europe/Berlin';
  const now = Date.parse('2026-10-25T03:00:00Z');
  const hourly = stats('hourly', [
    { start: '2026-10-25T00', counters: { completed: 1 } },
    { start: '2026-10-25T01', counters: { completed: 2 } },
  ]);
  const lines = statsChart(hourly, { now, columns: 100, paint: plain }) ?? [];
  expect(lines.filter((line) => line.includes('02:00 ')).length).toBe(2);
});

test('a server whose clock is ahead loses nothing', () => {
  const ahead = stats('hourly', [{ start: '2026-11-15T01', counters: { completed: 1 } }]);
  expect(stepsOf(ahead, NOW).at(-1)).toEqual({
    at: Date.parse('2026-11-15T01:00:00Z'),
    counters: { completed: 1 },
  });
});

test('nothing in the time that is shown draws nothing', () => {
  const old = stats('daily', [{ start: '2026-10-01', counters: { completed: 3 } }]);
  expect(statsChart(old, { now: NOW, columns: 100, paint: plain })).toBeNull();
});
