// `npm run mutate [-- path…] [--sample 300] [--seed 7] [--json file] [--tests glob]…`: breaks src/core and src/broker in
// one place at a time and tells which breaks no test notices. Not part of the gate: a sample takes minutes.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { BaseSequencer, createVitest, type TestSpecification } from 'vitest/node';
import { type Mutant, mutate } from './mutate/mutants.ts';
import { readOptions } from './options.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = ['src/core/**/*.ts', 'src/broker/**/*.ts'];
/** Not broken, but counted: a mutant may give it something that it never comes to an end with. */
const COUNTED = ['src/store/memory/*.ts'];
/**
 * Only what needs no process, no Redis and no git. In this order: beside their files; others that use them; the
 * contract and the model of stores.
 */
const TESTS = [
  'src/core/**/*.test.ts',
  'src/broker/**/*.test.ts',
  'src/{config,telemetry}/*.test.ts',
  'src/forge/github/http/process-pace.test.ts',
  'src/doors/http/checks/authenticate.test.ts',
  'src/store/memory/*.test.ts',
  'test/model/store-model.test.ts',
];
// The random runs of the model: the same ones for every mutant, and not as many as in the gate.
process.env['MODEL_SEED'] ??= '7';
process.env['MODEL_RUNS'] ??= '60';

const { values, positionals, whole } = readOptions(
  `npm run mutate -- [options] [path...]

  path          only what begins like this: src/core/decide
  --sample N    so many of core, and so many of broker (all)
  --seed N      which ones (7)
  --json FILE   every mutant, and what killed it
  --tests GLOB  only these tests; may be given more than once`,
  {
    allowPositionals: true,
    options: {
      sample: { type: 'string' },
      seed: { type: 'string', default: '7' },
      json: { type: 'string' },
      tests: { type: 'string', multiple: true, default: TESTS },
    },
  },
);

/** The same numbers for the same seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function sampleOf<T>(all: readonly T[], size: number, random: () => number): T[] {
  const drawn = all.map((one) => ({ one, at: random() })).sort((a, b) => a.at - b.at);
  return drawn.slice(0, size).map(({ one }) => one);
}

const NEVER_ACTIVE = 1e9;
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
const texts = new Map<string, string>();
const mutants: Mutant[] = [];
for (const file of globSync(SOURCES, { cwd: ROOT }).sort()) {
  const isMeant = positionals.length === 0 || positionals.some((path) => file.startsWith(path));
  if (file.endsWith('.test.ts') || !isMeant) continue;
  const found = mutate(file, readFileSync(join(ROOT, file), 'utf8'), mutants.length + 1);
  texts.set(join(ROOT, file), found.text);
  mutants.push(...found.mutants);
}
for (const file of globSync(COUNTED, { cwd: ROOT })) {
  if (file.endsWith('.test.ts')) continue;
  const { text } = mutate(file, readFileSync(join(ROOT, file), 'utf8'), NEVER_ACTIVE);
  texts.set(join(ROOT, file), text);
}
const random = createRandom(whole('seed', 0));
const partOf = ({ file }: Mutant) => file.split('/').slice(0, 2).join('/');
const size = values.sample === undefined ? Number.POSITIVE_INFINITY : whole('sample');
const wanted = [...Map.groupBy(mutants, partOf).values()].flatMap((part) =>
  sampleOf(part, size, random),
);

/** As they are given. */
class InOrder extends BaseSequencer {
  override sort = async (files: TestSpecification[]) => files;
}

const vitest = await createVitest(
  'test',
  {
    root: ROOT,
    config: false,
    watch: true,
    include: values.tests,
    runner: join(ROOT, 'scripts/mutate/runner.ts'),
    sequence: { sequencer: InOrder },
    reporters: [
      {
        onTestModuleEnd(module) {
          if (isFromStart) return;
          const killed = [...module.children.allTests()].flatMap(
            (test) => test.meta().killed ?? [],
          );
          const path = relative(ROOT, module.moduleId);
          if (killed.length > 0) console.log(`${seconds()} s: ${killed.length} killed by ${path}`);
        },
      },
    ],
    disableConsoleIntercept: true,
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    dangerouslyIgnoreUnhandledErrors: true,
    // What was compiled for another choice of mutants must not come back.
    fsModuleCache: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 2000 } },
  },
  {
    plugins: [
      {
        name: 'banto-mutants',
        enforce: 'pre',
        transform(_code, id) {
          const text = texts.get(id);
          return text === undefined ? null : { code: text, map: null };
        },
      },
    ],
  },
);
await vitest.standalone();
const rankOf = (spec: TestSpecification) =>
  TESTS.findIndex((pattern) => matchesGlob(relative(ROOT, spec.moduleId), pattern));
const specs = (await vitest.globTestSpecifications()).sort(
  (a, b) => rankOf(a) - rankOf(b) || (a.moduleId < b.moduleId ? -1 : 1),
);

const killers = new Map<number, string>();
const met = new Set<number>();
const metOutside = new Set<number>();
const untrusted = new Set<string>();
let isFromStart = false;

/** Everything that this file loads, directly or not. */
function importsOf(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(/ from '(\.[^']+\.ts)'/g)) {
    importsOf(join(dirname(path), target), found);
  }
  return found;
}

/** What a mutant meets only while files are loaded cannot be switched on later: these are run from the start. */
async function isKilledFromStart({ id, file }: Mutant): Promise<boolean> {
  vitest.provide('active', id);
  const isBeside = ({ moduleId }: TestSpecification) =>
    basename(moduleId).startsWith(`${basename(file, '.ts')}.`);
  const all = specs.filter(
    ({ moduleId }) =>
      !untrusted.has(relative(ROOT, moduleId)) && importsOf(moduleId).has(join(ROOT, file)),
  );
  for (const some of [all.filter(isBeside), all.filter((spec) => !isBeside(spec))]) {
    if (some.length === 0) continue;
    const { testModules } = await vitest.runTestSpecifications(some, false);
    if (testModules.some((module) => !module.ok())) return true;
  }
  return false;
}

/** Names of tests that have to wait for their turn. */
async function tryAll(
  some: TestSpecification[],
  slow: readonly string[] | null,
): Promise<string[]> {
  const left = wanted.map(({ id }) => id).filter((id) => !killers.has(id));
  vitest.provide('wanted', left);
  vitest.provide('active', 0);
  vitest.provide('slow', slow);
  const { testModules } = await vitest.runTestSpecifications(some, true);
  const waiting: string[] = [];
  for (const module of testModules) {
    const path = relative(ROOT, module.moduleId);
    for (const id of module.meta().met ?? []) metOutside.add(id);
    if (module.errors().length > 0) untrusted.add(path);
    for (const test of module.children.allTests()) {
      const meta = test.meta();
      if (meta.slow === true) waiting.push(test.fullName);
      if (meta.untrusted !== undefined) {
        // On a busy machine one with deadlines may fail by itself.
        console.log(`left out: ${path}, "${test.name}": ${meta.untrusted}`);
        untrusted.add(path);
      }
      for (const id of meta.met ?? []) met.add(id);
      for (const id of meta.killed ?? []) killers.set(id, `${path}: ${test.fullName}`);
    }
  }
  return waiting;
}

console.log(`${wanted.length} of ${mutants.length} mutants, ${specs.length} test files`);
const slow = await tryAll(specs, null);
await tryAll(specs, slow);
isFromStart = true;
for (const mutant of wanted) {
  if (killers.has(mutant.id) || !metOutside.has(mutant.id)) continue;
  met.add(mutant.id);
  if (await isKilledFromStart(mutant)) killers.set(mutant.id, 'from the start');
}

const survivors = wanted
  .filter(({ id }) => !killers.has(id))
  .map((mutant) => ({ ...mutant, met: met.has(mutant.id) }));
const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 70);
for (const { file, line, kind, original, mutated, met: isMet } of survivors) {
  const word = isMet ? 'survived' : 'not met ';
  console.log(`${word} ${file}:${line} ${kind}: ${short(original)} → ${short(mutated)}`);
}
const tally = new Map<string, { killed: number; all: number }>();
for (const mutant of wanted) {
  for (const name of new Set([partOf(mutant), dirname(mutant.file)])) {
    const { killed, all } = tally.get(name) ?? { killed: 0, all: 0 };
    tally.set(name, { killed: killed + (killers.has(mutant.id) ? 1 : 0), all: all + 1 });
  }
}
for (const [name, { killed, all }] of [...tally].sort()) {
  const percent = ((100 * killed) / all).toFixed(1);
  console.log(`${name.padEnd(24)} ${killed} of ${all} killed, ${percent} %`);
}
console.log(`${seconds()} s`);
if (values.json !== undefined) {
  const result = {
    tally: Object.fromEntries(tally),
    survivors,
    killers: Object.fromEntries(killers),
  };
  writeFileSync(values.json, JSON.stringify(result, null, 2));
}
await vitest.close();
