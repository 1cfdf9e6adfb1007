import { expect, test } from 'vitest';
import { foldNote } from './agent-row.ts';

const KNOWN = { agentId: 'a1', capabilities: ['c'], firstSeenAt: 1, lastSeenAt: 2, lapsed: true };

test.each([
  [
    'asking makes an agent known',
    undefined,
    'asked',
    { firstSeenAt: 9, lastSeenAt: 9, lapsed: false },
  ],
  [
    'asking again keeps when it came',
    KNOWN,
    'asked',
    { firstSeenAt: 1, lastSeenAt: 9, lapsed: false },
  ],
  ['a sign of life ends its lapse', KNOWN, 'seen', { lastSeenAt: 9, lapsed: false }],
  [
    'a lapse is no sign of life',
    { ...KNOWN, lapsed: false },
    'lapsed',
    { lastSeenAt: 2, lapsed: true },
  ],
] as const)('%s', (_name, before, note, after) => {
  const said =
    note === 'asked' ? { note, agentId: 'a1', capabilities: ['d'] } : { note, agentId: 'a1' };
  expect(foldNote(before, said as never, 9)).toMatchObject(after);
});

test('nothing is noted of an agent that never asked', () => {
  expect(foldNote(undefined, { note: 'seen', agentId: 'a1' }, 9)).toBeUndefined();
});
