import { expect, test } from 'vitest';
import { agentStatus } from './agent-status.ts';

const NOW = 10_000_000;
const MINUTE = 60_000;
function agent(silentMs: number, holds: readonly string[] = [], lapsed = false) {
  return {
    agentId: 'a1',
    capabilities: [],
    firstSeenAt: 0,
    lastSeenAt: NOW - silentMs,
    holds,
    leaseSeconds: holds.length > 0 ? 600 : null,
    lapsed,
  };
}

test.each([
  ['just asked', agent(1000), false, 'active'],
  ['waits, however long', agent(4 * MINUTE), true, 'active'],
  ['holds nothing and is silent for three minutes', agent(3 * MINUTE), false, 'idle'],
  [
    'holds a lease of ten minutes and was heard of five minutes ago',
    agent(5 * MINUTE, ['x']),
    false,
    'active',
  ],
  [
    'holds a lease of ten minutes and is silent for seven',
    agent(7 * MINUTE, ['x']),
    false,
    'zombie',
  ],
  [
    'waits for the answer to a question, however long',
    { ...agent(60 * MINUTE, ['x']), leaseSeconds: null },
    false,
    'active',
  ],
  ['lost its lease by silence', agent(1000, [], true), false, 'zombie'],
] as const)('an agent that %s', (_, record, waiting, status) => {
  expect(agentStatus(record, NOW, waiting)).toBe(status);
});
