// npm run simulate -- --seed 7 --steps 1000000: a whole Banto in virtual time, under every fault of the table. A run that
// finds something is made shorter and told as a story.

import { parseArgs } from 'node:util';
import { type RunOptions, run } from '../test/simulation/run.ts';
import { STORE_KINDS, type StoreKind } from '../test/simulation/stores/backing.ts';
import { shrink, tellStory } from '../test/simulation/story/shrink.ts';
import { faultTable } from '../test/simulation/story/table.ts';

const { values } = parseArgs({
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
});

function whole(name: 'seed' | 'steps' | 'instances' | 'agents' | 'issues' | 'season'): number {
  const number = Number(values[name]);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a whole number above 0.`);
}

const store = STORE_KINDS.find((kind) => kind === values.store);
if (store === undefined) throw new Error(`--store must be one of ${STORE_KINDS.join(', ')}.`);
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
