import { expect, test } from 'vitest';
import { unfoldRedisSection } from './redis-section.ts';

test('a block with a namespace, patterns, channels and times to live is read as the settings it means', () => {
  const block = {
    namespace: 'poppo',
    keyPatterns: { issue: 'poppo:issue:{type}:{number}', queue: 'poppo:queue:{priority}' },
    channels: {
      mirinRequests: 'poppo:channel:mirin:requests',
      mirinResponses: 'poppo:channel:mirin:responses',
      events: 'poppo:channel:events:{type}',
    },
    ttl: { heartbeat: 1800, tempData: 3600, stats: 604_800 },
  };
  expect(unfoldRedisSection(block)).toEqual({
    problem: null,
    values: {
      redis_namespace: 'poppo',
      redis_key_issue: 'poppo:issue:{type}:{number}',
      redis_key_queue: 'poppo:queue:{priority}',
      redis_channel_events: 'poppo:channel:events:{type}',
      redis_ttl_heartbeat: 1800,
      redis_ttl_temp_data: 3600,
      redis_ttl_stats: 604_800,
    },
  });
});

test.each<[unknown, RegExp]>([
  ['redis://h', /redis must be an object/],
  [
    { keyPatterns: { tasks: 'x' } },
    /redis\.keyPatterns\.tasks is not a setting; there are namespace/,
  ],
  [{ ttl: 5 }, /redis\.ttl is not a setting/],
  [
    { namespace: 'n', channels: { aRequests: 'somewhere' } },
    /redis\.channels\.aRequests cannot be changed: .* n:channel:\{agent\}:requests/,
  ],
])('%j is refused with what to do', (block, problem) => {
  expect(unfoldRedisSection(block).problem).toMatch(problem);
});
