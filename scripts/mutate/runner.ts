// Runs in the tests' worker. Each test is run once to see which mutants it meets, and then again for each of these
// that no test has killed yet: nothing is loaded twice, so that a mutant costs what the test costs.

import * as fc from 'fast-check';
import {
  inject,
  type RunnerTestCase,
  type RunnerTestSuite,
  type SerializedConfig,
  TestRunner,
} from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Those to be tried. */
    readonly wanted: readonly number[];
    /** Switched on from the start, before anything is loaded; 0: none. */
    readonly active: number;
    /** The slow tests, when it is their turn; null: the turn of the others. */
    readonly slow: readonly string[] | null;
  }
  interface TaskMeta {
    /** Met by this test, or, on a file, outside of its tests: while it was loaded, or in a hook around all of them. */
    met?: number[];
    killed?: number[];
    /** It takes long, and so waits until the quick ones have killed what they can. */
    slow?: boolean;
    /** Why nothing that this test says of a mutant can be trusted. */
    untrusted?: string;
  }
}

/** A mutant may go on for ever: a loop is stopped from within, a test that waits from outside. */
const MOST_MS = 60_000;
const MOST_CALLS = 200_000_000;
const LEAST_MS = 2000;
const LEAST_CALLS = 20_000;
const TIMES_AS_LONG = 10;
const SLOW_MS = 60;

interface Shared {
  active: number;
  /** What is met goes here. */
  met: Set<number>;
  isRecording: boolean;
  readonly killed: Set<number>;
  calls: number;
  mostCalls: number;
}

/** One for all test files: they share a worker and its modules. */
function share(): Shared {
  const known = (globalThis as { $mutation?: Shared }).$mutation;
  if (known !== undefined) return known;
  const wanted = new Set(inject('wanted'));
  const shared: Shared = {
    active: inject('active'),
    met: new Set(),
    isRecording: inject('active') === 0,
    killed: new Set(),
    calls: 0,
    mostCalls: MOST_CALLS,
  };
  function isActive(id: number): boolean {
    if (shared.isRecording && wanted.has(id)) shared.met.add(id);
    shared.calls += 1;
    if (shared.calls > shared.mostCalls) {
      throw new Error('This mutant does not come to an end.');
    }
    return id === shared.active;
  }
  Object.assign(globalThis, { $mutation: shared, $mutant: isActive });
  return shared;
}

const shared = share();
const isOneMutant = inject('active') !== 0;
const slow = inject('slow');
// The same random cases for every mutant; and the first red is enough, the smallest is not looked for.
fc.configureGlobal({ seed: 7, endOnFailure: true });

export default class MutationRunner extends TestRunner {
  /** Left to try with the present test; null: the last run, without any. */
  #left: (number | null)[] = [];
  #ms = 0;
  #mostMs = 0;
  #calls = 0;

  constructor(config: SerializedConfig) {
    super(config);
    // The first red is enough; a test that is only tried again is not red.
    config.bail = isOneMutant ? 1 : 0;
  }

  override onCollectStart(file: RunnerTestSuite['file']): void {
    super.onCollectStart(file);
    if (!isOneMutant) shared.met = new Set();
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (suite.file === suite) suite.meta.met = [...(suite.meta.met ?? []), ...shared.met];
    await super.onAfterRunSuite(suite);
  }

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    await super.onBeforeRunTask(test);
    if (isOneMutant) return;
    if (slow?.includes(test.fullTestName) === false) test.mode = 'skip';
    // What was met since the last test belongs to no test.
    test.file.meta.met = [...(test.file.meta.met ?? []), ...shared.met];
    test.retry = Number.MAX_SAFE_INTEGER;
  }

  override onBeforeTryTask(
    test: RunnerTestCase,
    options: { retry: number; repeats: number },
  ): void {
    super.onBeforeTryTask(test, options);
    const isFirst = options.retry === 0;
    if (!isOneMutant) {
      shared.isRecording = isFirst;
      shared.active = isFirst ? 0 : (this.#left[0] ?? 0);
      if (isFirst) shared.met = new Set();
    }
    shared.calls = 0;
    shared.mostCalls = isFirst ? MOST_CALLS : LEAST_CALLS + TIMES_AS_LONG * this.#calls;
    this.#mostMs = isFirst ? MOST_MS : LEAST_MS + TIMES_AS_LONG * this.#ms;
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error('The test takes far longer with this mutant.')),
        this.#mostMs,
      );
    });
    try {
      await Promise.race([TestRunner.getTestFn(test)(), limit]);
    } finally {
      clearTimeout(timer);
      if (shared.isRecording) {
        this.#ms = performance.now() - startedAt;
        this.#calls = shared.calls;
      }
    }
  }

  /** The runner tries again what failed: so a test that is not through with its mutants is said to have failed. */
  onAfterRetryTask(test: RunnerTestCase, { retry }: { retry: number }): void {
    const { result } = test;
    if (isOneMutant || result === undefined) return;
    const isRed = result.state === 'fail';
    const { active } = shared;
    shared.active = 0;
    shared.mostCalls = MOST_CALLS;
    if (retry === 0) {
      const met = [...shared.met].filter((id) => !shared.killed.has(id));
      test.meta.met = [...shared.met];
      test.meta.killed = [];
      // Before the first and after the last it must pass without any.
      test.meta.slow = this.#ms > SLOW_MS && slow === null;
      this.#left = met.length === 0 || isRed || test.meta.slow ? [] : [null, ...met, null];
      if (isRed) test.meta.untrusted = 'it fails without any mutant';
    } else {
      this.#left.shift();
      if (active === 0 && isRed) {
        test.meta.untrusted = 'it cannot be run again and again';
        this.#left = [];
      } else if (isRed) test.meta.killed?.push(active);
    }
    const isThrough = this.#left.length === 0;
    if (isThrough) {
      if (test.meta.untrusted === undefined) {
        for (const id of test.meta.killed ?? []) shared.killed.add(id);
      } else test.meta.killed = [];
      shared.met = new Set();
      shared.isRecording = true;
    }
    result.state = isThrough ? 'pass' : 'fail';
    if (isThrough) delete result.errors;
    else result.errors = [{ message: 'once more, with the next mutant' }];
  }
}
