// npm run simulate -- --seed 7 --steps 1000000: a whole Banto in virtual time, under every fault of the table. A run that
// finds something is made shorter and told as a story.

import { type RunOptions, run } from '../test/simulation/run.ts';
import { STORE_KINDS, type StoreKind } from '../test/simulation/stores/backing.ts';
import { shrink, tellStory } from '../test/simulation/story/shrink.ts';
import { faultTable } from '../test/simulation/story/table.ts';
import { readOptions } from './options.ts';

const { values, whole, refuse } = readOptions(
  `npm run simulate -- [options]

  --seed N        the same run for the same number (a new one each time)
  --steps N       how long (100000)
  --store KIND    ${STORE_KINDS.join(', ')} (memory)
  --instances N   Bantos beside each other (3)
  --agents N      (200)
  --issues N      (400)
  --season N      steps between two times of peace, when liveness is checked (10000)
  --no-shrink     a run that finds something is not made shorter
  --tell          say what happens while it happens`,
  {
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      steps: { type: 'string', default: '100000' },
      store: { type: 'string', default: 'memory' },
      instances: { type: 'string', default: '3' },
      agents: { type: 'string', default: '200' },
      issues: { type: 'string', default: '400' },
      season: { type: 'string', default: '10000' },
      'no-shrink': { type: 'boolean', default: false },
      tell: { type: 'boolean', default: false },
    },
  },
);
const store =
  STORE_KINDS.find((kind) => kind === values.store) ??
  refuse(`--store must be one of ${STORE_KINDS.join(', ')}.`);
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
/** Ctrl-C: what was seen until then is reported, after one more peace. A second one ends it at once. */
const enough = new AbortController();
process.once('SIGINT', () => enough.abort());
const options: RunOptions = {
  seed: whole('seed'),
  steps: whole('steps'),
  store: store satisfies StoreKind,
  instances: whole('instances'),
  agents: whole('agents'),
  issues: whole('issues'),
  season: whole('season'),
  tell: values.tell ? console.log : undefined,
  enough: enough.signal,
  progress(done) {
    if (done % 100_000 === 0) process.stderr.write(`${done} steps after ${seconds()} s\n`);
  },
};
const result = await run(options);
const hours = (result.virtualMs / 3_600_000).toFixed(1);
console.log(faultTable(result));
console.log(
  `\n${result.steps} steps, seed ${options.seed}, ${store}: ${hours} h of virtual time and ${result.facts} facts in ${seconds()} s (fingerprint ${result.fingerprint}).`,
);
if (result.findings.length === 0) console.log('Every promise was kept.');
else {
  for (const { rule, message } of result.findings) console.log(`${rule}: ${message}`);
  process.exitCode = 1;
  if (!values['no-shrink']) {
    const shorter = await shrink(options, result, (said) => process.stderr.write(`${said}\n`));
    console.log(await tellStory(shorter));
  }
}
