import { expect, test } from 'vitest';
import { createLabelsAtOnce } from './labels-at-once.ts';
import type { Place } from './place.ts';

const NOW = Date.UTC(2026, 10, 15);
const HOUR_MS = 3_600_000;

/** GitHub's budget for GraphQL: so many an hour, told in whole seconds. */
function makeGithub(limit: number) {
  let at = NOW;
  let used = 0;
  let resetAt = NOW + HOUR_MS;
  let sent = 0;
  const graphql = async () => {
    if (at >= resetAt) {
      used = 0;
      resetAt = at + HOUR_MS;
    }
    used += 1;
    sent += 1;
    if (used > limit) throw new Error('GraphQL Rate Limit Exceeded');
    const headers = {
      date: new Date(at).toUTCString(),
      'x-ratelimit-resource': 'graphql',
      'x-ratelimit-limit': `${limit}`,
      'x-ratelimit-remaining': `${limit - used}`,
      // GitHub's second may end after its hour has begun anew.
      'x-ratelimit-reset': `${Math.ceil(resetAt / 1000) + 1}`,
    };
    return { status: 200, data: {}, headers };
  };
  const labels = createLabelsAtOnce(
    { graphql } as unknown as Place,
    () => 'I_1',
    () => at,
  );
  labels.learn([{ name: 'x', node_id: 'LA_1' }]);
  return {
    sent: () => sent,
    wait: (ms: number) => {
      at += ms;
    },
    write: () => labels.set(1, { add: ['x'], remove: [] }),
  };
}

test('a steady stream below the limit never goes another way, hour after hour', async () => {
  const github = makeGithub(100);
  for (let write = 0; write < 500; write += 1) {
    expect(await github.write(), `write ${write}`).toBe(true);
    // 80 an hour, one of them right after each hour began.
    github.wait(HOUR_MS / 80);
  }
});

test('what is used up is not asked for again in the same hour', async () => {
  const github = makeGithub(3);
  const ways: boolean[] = [];
  for (let write = 0; write < 6; write += 1) ways.push(await github.write());
  expect(ways).toEqual([true, true, true, false, false, false]);
  expect(github.sent()).toBe(3);
  github.wait(HOUR_MS + 2000);
  expect(await github.write()).toBe(true);
});
