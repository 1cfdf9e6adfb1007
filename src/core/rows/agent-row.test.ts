import { expect, test } from 'vitest';
import { lease, leased, NOW, task } from '../../../test/support/decide.ts';
import { agentRecord, foldNote } from './agent-row.ts';

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

test('an agent is shown with its living leases, the first one first, and the shortest of them', () => {
  const held = (number: number, over: Parameters<typeof lease>[0]) =>
    leased({ id: `octo~park~${number}~implement.1`, lease: lease(over) });
  const rows = [
    held(1, { leasedAt: NOW - 5, seconds: 90 }),
    held(2, { leasedAt: NOW - 9, seconds: 60 }),
    held(3, { expiresAt: NOW }),
    task({ id: 'octo~park~4~implement.1' }),
  ];
  expect(agentRecord(KNOWN, rows, NOW)).toEqual({
    ...KNOWN,
    holds: ['octo~park~2~implement.1', 'octo~park~1~implement.1'],
    leaseSeconds: 60,
  });
  expect(agentRecord(KNOWN, [], NOW)).toEqual({ ...KNOWN, holds: [], leaseSeconds: null });
});
