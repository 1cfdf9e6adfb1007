import { expect, test } from 'vitest';
import { type Held, judge } from './roaming-agent.ts';

const held = (over: Partial<Held>): Held => ({
  agent: 'a1',
  taskId: 't',
  fence: 1,
  token: 'token',
  heardAt: 1000,
  expiresAt: 11_000,
  endSentAt: null,
  end: null,
  ...over,
});

test('one holder after the other is fine: expired, finished, lost, or told twice', () => {
  const next = held({ agent: 'a2', fence: 2, heardAt: 11_000 });
  expect(judge([held({}), next])).toEqual([]);
  expect(judge([held({ end: 'lost', endSentAt: 2000 }), { ...next, heardAt: 2500 }])).toEqual([]);
  expect(judge([held({}), held({ heardAt: 1200 })])).toEqual([]);
  expect(judge([held({}), { ...next, taskId: 'other', heardAt: 1200 }])).toEqual([]);
});

test('two holders at once are found', () => {
  const next = held({ agent: 'a2', fence: 2, heardAt: 10_999 });
  expect(judge([held({}), next])).toEqual(['t: I1: held by two at once (a1 1, a2 2)']);
});

test('a fence that falls is found', () => {
  const next = held({ agent: 'a2', fence: 1, heardAt: 20_000 });
  expect(judge([held({}), next])).toEqual(['t: I2: the fence did not rise (a1 1, a2 1)']);
});

test('a stale holder that was believed is found', () => {
  const stale = held({ end: 'completed', endSentAt: 30_000 });
  const next = held({ agent: 'a2', fence: 2, heardAt: 20_000 });
  expect(judge([stale, next])).toEqual(['t: I3: a stale holder completed it (a1 1, a2 2)']);
});
