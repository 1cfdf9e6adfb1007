// `npm run bench [-- name…] [--json]`: takes the figures of docs/performance.md.

import { cpus } from 'node:os';
import { readOptions } from '../scripts/options.ts';
import { makeObjectsYoung } from '../src/machine/young-objects.ts';
import { githubDayBench } from './github-day.ts';
import { githubLargeBench } from './github-large.ts';
import { httpBench } from './http.ts';
import { type Bench, type Figure, takeFigures } from './measure.ts';
import { pageBench } from './page.ts';
import { pairBench } from './pair.ts';
import { redisBench } from './redis.ts';
import { storeBench } from './store.ts';

// As a server does.
makeObjectsYoung();

const BENCHES: readonly Bench[] = [
  pairBench,
  storeBench,
  redisBench,
  httpBench,
  pageBench,
  githubDayBench,
  githubLargeBench,
];

const names = BENCHES.map((bench) => bench.name);
const { values, positionals, refuse } = readOptions(
  `npm run bench -- [options] [name...]

  name    ${names.join(', ')} (all)
  --json  every figure with its id`,
  { allowPositionals: true, options: { json: { type: 'boolean', default: false } } },
);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0) refuse(`There is no benchmark called ${unknown.join(', ')}.`);

const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`;
const all: Figure[] = [];
if (!values.json) console.log(machine);
for (const bench of BENCHES) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
  if (!values.json) console.log(`\n${bench.name}: ${bench.about}`);
  const figures = await takeFigures(bench);
  if (!values.json) console.log(table(figures));
  all.push(...figures);
}
if (values.json) console.log(JSON.stringify({ machine, figures: all }, null, 2));

function table(figures: readonly Figure[]): string {
  const number = (value: number): string => value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0);
  const head = ['case', 'median', 'least', 'most', 'unit', 'runs', 'dropped', 'goal', ''];
  const rows = figures.map((figure) => [
    figure.name,
    number(figure.median),
    number(figure.least),
    number(figure.most),
    figure.unit,
    `${figure.runs}`,
    `${figure.dropped}`,
    figure.goal ?? '',
    [figure.met === null ? '' : figure.met ? 'met' : 'MISSED', figure.noisy > 0 ? 'noisy' : '']
      .filter((word) => word !== '')
      .join(', '),
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)),
  );
  return [head, ...rows]
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
