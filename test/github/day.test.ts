// An hour of a large fleet within GitHub's published limits. `npm run bench -- github-day` lives a whole day.

import { afterEach, expect, it } from 'vitest';
import { type Day, liveDay } from '../support/github/day.ts';
import { checkInvariants } from '../support/invariants.ts';

let day: Day | null = null;
afterEach(() => day?.close());

it.each([
  ['polls', false],
  ['is told by webhooks', true],
])(
  'a fleet of a hundred whose Banto %s lives through an hour without being told to wait',
  { timeout: 400_000 },
  async (_, webhooks) => {
    const lived = await liveDay({
      hours: 0.2,
      agents: 100,
      waiting: 60,
      issuesPerHour: 500,
      changesShare: 0.1,
      webhooks,
    });
    day = lived;
    const { github, issues, facts, handOuts } = lived;
    expect(github.limits.violations).toEqual([]);
    const refused = github.requests.filter((one) => one.status === 403 || one.status === 429);
    expect(refused).toEqual([]);
    expect(issues).toHaveLength(160);

    // Every issue was worked on, approved and merged, and shows that; labels of people are where they were.
    for (const number of issues) {
      const { labels, state } = {
        labels: github.labels('octo/shop', number),
        state: stateOf(lived, number),
      };
      expect(state).toBe('closed');
      expect(labels).toContain('approved');
      expect(labels.filter((label) => /^(python|docs|web|P0|nice)$/.test(label))).toHaveLength(2);
      expect(labels).toHaveLength(3);
      expect(lived.wanted.get(number)).toEqual(['approved']);
    }
    expect(checkInvariants(facts)).toEqual([]);
    expect(facts.filter((fact) => fact.type === 'leased')).toHaveLength(handOuts.length);
    // A hand-out waits for its branch and labels, but never longer than it may.
    expect(Math.max(...handOuts.map((one) => one.answeredMs))).toBeLessThanOrEqual(5500);
    const writes = github.requests.filter((one) => one.method !== 'GET').length;
    expect(writes / issues.length).toBeLessThan(7);
  },
);

function stateOf({ github }: Day, number: number): string | undefined {
  return github.world.repo('octo/shop').items.get(number)?.state;
}
