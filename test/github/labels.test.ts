// Labels that people rename or delete: no issue changes by that, and yet what matches does, and what Banto shows.

import { afterEach, describe, expect, it } from 'vitest';
import { forgeOn } from '../support/github/forge.ts';
import {
  type GithubWorld,
  type GithubWorldOptions,
  makeGithubWorld,
  SHOP,
} from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

const open = async (options: GithubWorldOptions = {}) => {
  w = await makeGithubWorld(options);
  w.github.webhooks.hold();
};
const tell = async () => {
  await w.deliver([...w.github.webhooks.held]);
};

describe('a label that is renamed', () => {
  it('changes at once what suits whom, and the issues are listed once, not read one by one', async () => {
    await open();
    for (let count = 0; count < 30; count += 1) w.openIssue({ labels: ['snake'] });
    await w.runUntilIdle();
    w.time.advance(300_000);
    expect(await w.request('a1', { capabilities: ['python'] })).toBeNull();
    w.ann.renameLabel(SHOP, 'snake', 'python');
    const before = w.github.requests.length;
    await tell();
    expect(w.github.requests.slice(before).map((one) => one.operation)).toEqual([
      'GET /repos/{owner}/{repo}/issues',
    ]);
    expect(await w.request('a1', { capabilities: ['snake'] })).toBeNull();
    expect((await w.request('a1'))?.task.number).toBe(1);
  });

  it('is found by the next full pass where nobody tells, and by a poll where the issue is young', async () => {
    await open();
    const number = w.openIssue({ labels: ['snake'] });
    await w.runUntilIdle();
    w.time.advance(2000);
    w.ann.renameLabel(SHOP, 'snake', 'adder');
    await w.poll();
    const [young] = await w.store.issuesNumbered(SHOP, [number]);
    expect(young?.issue.labels).toEqual(['adder']);
    w.time.advance(3_600_000);
    w.ann.renameLabel(SHOP, 'adder', 'python');
    await w.runUntilIdle();
    expect((await w.request('a1'))?.task.number).toBe(number);
  });

  it('only in its colour costs nothing', async () => {
    await open();
    w.openIssue();
    await w.runUntilIdle();
    const repo = w.github.world.repo(SHOP);
    const label = [...repo.labels.values()].find((one) => one.name === 'python');
    const body = JSON.stringify({
      action: 'edited',
      label,
      changes: { color: { from: 'ededed' } },
      repository: { full_name: SHOP },
    });
    const before = w.github.requests.length;
    await w.deliver([{ event: 'label', body }]);
    expect(w.github.requests).toHaveLength(before);
  });
});

describe("a label of Banto's own", () => {
  it.each([
    ['renamed', () => w.ann.renameLabel(SHOP, 'in-progress', 'wip')],
    ['deleted', () => w.ann.removeLabel(SHOP, 'in-progress')],
    ['deleted for the agent', () => w.ann.removeLabel(SHOP, 'a1')],
  ])('that a person %s is made again and put back, told or not', async (what, act) => {
    for (const told of [true, false]) {
      await open();
      const number = w.openIssue();
      await w.runUntilIdle();
      await w.request('a1');
      await w.runUntilIdle();
      w.time.advance(60_000);
      act();
      if (told) await tell();
      else await w.runUntilIdle();
      await w.converge();
      const { shown } = await w.ledger(number);
      const extra = what === 'renamed' ? ['wip'] : [];
      expect(shown).toEqual(['a1', 'in-progress', 'python', ...extra].toSorted());
      const made = [...w.github.world.repo(SHOP).labels.values()];
      expect(made.find(({ name }) => name === 'in-progress')).toMatchObject({ color: 'fbca04' });
      expect(await w.violations()).toEqual([]);
      if (told) await w.close();
    }
  });

  it('that was deleted while Banto was away is put back by the first listing', async () => {
    await open();
    const number = w.openIssue();
    await w.runUntilIdle();
    await w.request('a1');
    w.time.advance(60_000);
    w.ann.removeLabel(SHOP, 'in-progress');
    // A forge that has seen nothing yet, on the same store.
    const lost: string[] = [];
    const fresh = forgeOn(w.github, { now: w.time.now, after: w.time.timers.after });
    fresh.watch(({ lostLabels = [] }) => void lost.push(...lostLabels));
    for await (const page of fresh.list(SHOP)) expect(page).toHaveLength(1);
    await fresh.close();
    expect(lost).toContain('in-progress');
    expect((await w.ledger(number)).shown).not.toContain('in-progress');
  });
});
