// What goes into one step, without a Redis.

import { expect, it } from 'vitest';
import type { Link } from '../connection/link.ts';
import { createStoreClock } from '../connection/store-clock.ts';
import { createKeys } from '../keys.ts';
import { listsOnly, type RowChange } from './step-arguments.ts';
import { createSteps } from './steps.ts';

/** Answers every change with `ok`, and remembers what each step was told. */
function open() {
  const told: string[] = [];
  const link = {
    async run(_name: string, _args: readonly string[], more: { bytes: Buffer }) {
      const text = String(more.bytes);
      told.push(text);
      const changes = Number(/^\$\d+\r\n(\d+)/.exec(text)?.[1]);
      return ['ok', '1', '0', '0', '0', '1', Array(changes).fill('ok'), [], [], []];
    },
    sawSeq: () => undefined,
  } as unknown as Link;
  const keys = createKeys({ namespace: 'n', hashTag: false, patterns: {} });
  const quiet = { failed: () => undefined, setAside: () => undefined };
  const steps = createSteps(link, keys, createStoreClock({ now: () => 1 }), () => undefined, quiet);
  const change = (...rows: RowChange[]) => steps.change({ ...listsOnly([]), rows });
  return { told, change };
}

it('changes of one turn share a step', async () => {
  const { told, change } = open();
  await Promise.all([change(['a', '1', '2']), change(['b', '1', '2'])]);
  expect(told).toHaveLength(1);
});

it('a row is in a step once: who names it again waits for the next one, and so does who comes after', async () => {
  const { told, change } = open();
  await Promise.all([
    change(['first', '1', '2'], ['shared', '', 'x']),
    change(['second', '1', '2'], ['shared', '', 'y']),
    change(['third', '1', '2']),
  ]);
  expect(told).toHaveLength(2);
  expect(told[0]).toContain('first');
  expect(told[0]).not.toMatch(/second|third/);
  expect(told[1]).toMatch(/second[^]*third/);
});
