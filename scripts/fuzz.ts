// npm run fuzz -- --inputs 1000000 --seed 7: strangers' input over every route, webhook and backlog file.

import { fuzz, repeatLine } from '../test/fuzz/run.ts';
import { readOptions } from './options.ts';

const { values, whole } = readOptions(
  `npm run fuzz -- [options]

  --inputs N   how many (100000)
  --seed N     the same inputs for the same number (new ones each time)
  --size N     the longest text, in characters (100000)
  --from N     begin at this input (0)
  --only WHAT  one kind of input: as it is named in a finding`,
  {
    options: {
      inputs: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      size: { type: 'string', default: '100000' },
      from: { type: 'string', default: '0' },
      only: { type: 'string' },
    },
  },
);
const options = {
  inputs: whole('inputs'),
  seed: whole('seed', 0),
  size: whole('size'),
  from: whole('from', 0),
  only: values.only,
};
const startedAt = performance.now();
const report = await fuzz({
  ...options,
  found(finding) {
    console.log(`\n${finding.kind} ${finding.input}: ${finding.what}`);
    console.log(JSON.stringify(finding.shown));
    console.log(repeatLine(options, finding));
  },
  progress(done) {
    if (done % 10_000 !== 0) return;
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    process.stderr.write(`${done} inputs after ${seconds} s\n`);
  },
});
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(`${options.inputs - options.from} inputs, seed ${options.seed}, ${seconds} s`);
console.log(`Answers by status: ${JSON.stringify(report.statuses)}`);
console.log(`The slowest took ${Math.round(report.slowestMs)} ms of event loop.`);
process.exitCode = report.findings.length === 0 ? 0 : 1;
