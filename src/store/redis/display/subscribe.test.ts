import { expect, it, vi } from 'vitest';
import type { Fact } from '../../../core/facts.ts';
import { createKeys } from '../keys.ts';
import { createSubscriptions } from './subscribe.ts';

const fact = (seq: number) => ({ seq, at: seq, type: 'setting_changed' }) as Fact;

function world(last: number) {
  const facts = Array.from({ length: last }, (_, n) => fact(n + 1));
  const heard: number[] = [];
  let hint: (facts: readonly Fact[]) => void = () => undefined;
  const subscriptions = createSubscriptions({
    keys: createKeys({ namespace: 'n' }),
    warn: () => undefined,
    link: { sawSeq: () => undefined },
    steps: { onFacts: (listener) => (hint = (some) => listener(some, [])) },
    log: {
      lastSeq: async () => 4,
      after: async (seq, limit) => facts.filter((one) => one.seq > seq).slice(0, limit),
    },
    subscriber: { listen: async () => async () => undefined },
  });
  const end = subscriptions.subscribe((some) => heard.push(...some.map(({ seq }) => seq)));
  return { facts, heard, hint: (...seqs: number[]) => hint(seqs.map(fact)), subscriptions, end };
}

it('what others did between the facts of a message is read, and told in its place', async () => {
  const { facts, heard, hint, subscriptions } = world(4);
  await vi.waitFor(() => {
    hint(5);
    expect(heard).toEqual([5]);
  });
  for (let seq = 5; seq <= 10; seq += 1) facts.push(fact(seq));
  hint(6, 9, 10);
  await vi.waitFor(() => expect(heard).toEqual([5, 6, 7, 8, 9, 10]));
  hint(8, 9, 10, 11);
  expect(heard).toEqual([5, 6, 7, 8, 9, 10, 11]);
  subscriptions.close();
});

it('what happened while it was asked where to begin is told too', async () => {
  const { heard, hint, subscriptions } = world(6);
  hint(5, 6);
  await vi.waitFor(() => expect(heard).toEqual([5, 6]));
  subscriptions.close();
});

it('whoever has ended hears nothing more', async () => {
  const { heard, hint, subscriptions, end } = world(6);
  await vi.waitFor(() => expect(heard).toEqual([5, 6]));
  end();
  hint(7);
  expect(heard).toEqual([5, 6]);
  subscriptions.close();
});
