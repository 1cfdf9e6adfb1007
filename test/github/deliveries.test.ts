// Deliveries come late, twice, in any order or never: what Banto believes in the end is what GitHub shows.

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { forgeOn } from '../support/github/forge.ts';
import {
  type GithubWorld,
  type GithubWorldOptions,
  makeGithubWorld,
  SHOP,
} from '../support/github/world.ts';

let w: GithubWorld;
const open = async (options: GithubWorldOptions = {}) => {
  w = await makeGithubWorld(options);
  w.github.webhooks.hold();
};
afterEach(() => w.close());

const held = () => [...w.github.webhooks.held];
const state = async (id: string) => (await w.states())[id];

describe('a delivery', () => {
  it('brings an issue within its own words, without a read', async () => {
    await open();
    await w.runUntilIdle();
    const number = w.openIssue();
    const before = w.github.requests.length;
    await w.deliver(held());
    expect(await state(`${number}~implement.1`)).toBe('ready');
    expect(w.github.requests.length).toBe(before);
  });

  it('of a review ends the one of the agents', async () => {
    await open();
    const { number } = w.github.as('banto').openPull(SHOP, { title: 'x', head: 'x' });
    await w.runUntilIdle();
    expect(await state(`${number}~review.1`)).toBe('delayed: review_delay');
    w.time.advance(2000);
    w.ann.approve(SHOP, number);
    await w.deliver(held());
    expect(await state(`${number}~review.1`)).toBe('cancelled: approved_on_forge');
  });

  it('of a deletion is believed only when GitHub says so, and then for ever', async () => {
    await open();
    const number = w.openIssue();
    const [opened] = held();
    await w.runUntilIdle();
    const gone = opened?.body.replace('"opened"', '"deleted"') ?? '';
    await w.deliver([{ event: 'issues', body: gone }]);
    expect(await state(`${number}~implement.1`)).toBe('ready');
    w.ann.remove(SHOP, number);
    await w.deliver(held());
    expect(await state(`${number}~implement.1`)).toBe('cancelled: issue_closed');
    await w.deliver(held());
    expect(await state(`${number}~implement.1`)).toBe('cancelled: issue_closed');
  });

  it('of a push to the default branch asks for a review only where that is switched on', async () => {
    await open({ forge: { reviewPushes: true } });
    await w.runUntilIdle();
    w.ann.push(SHOP, 'main');
    w.ann.push(SHOP, 'topic');
    const { number } = w.ann.openPull(SHOP, { title: 'x', head: 'topic' });
    w.time.advance(2000);
    w.ann.merge(SHOP, number);
    await w.deliver(held());
    await w.deliver(held());
    const pushes = Object.entries(await w.states()).filter(([id]) => id.length > 20);
    // The merge was reviewed as a pull request.
    expect(pushes).toEqual([[expect.any(String), 'delayed: review_delay']]);
    w.time.advance(301_000);
    await w.runUntilIdle();
    const given = await w.request('r1', { capabilities: ['review'] });
    expect(given?.task).toMatchObject({ kind: 'review', priority: 50 });
    await w.converge();
  });

  it('of a push is not needed again after a restart: the commit itself is read', async () => {
    await open({ forge: { reviewPushes: true } });
    await w.runUntilIdle();
    w.ann.push(SHOP, 'main');
    const sha = w.github.world.repo(SHOP).refs.get('heads/main') ?? '';
    await w.deliver(held());
    const [id = ''] = Object.keys(await w.states());
    const number = Number(id.split('~')[0]);
    const fresh = forgeOn(w.github, { now: w.time.now, reviewPushes: true });
    const before = await w.forge.read(SHOP, number);
    const after = await fresh.read(SHOP, number);
    const asked = w.github.requests.map(({ operation }) => operation);
    expect(asked).toContain('GET /repos/{owner}/{repo}/commits/{ref}');
    expect(after).toEqual({ ...before, url: expect.stringContaining(sha) as string });
    // As after a restart: what is stored, and in no listing, is asked for by itself.
    expect(await fresh.read(SHOP, number + 1)).toBeNull();
    w.time.advance(8 * 86_400_000);
    expect(await forgeOn(w.github, { now: w.time.now }).read(SHOP, number)).toBeNull();
    await w.runUntilIdle();
    expect(await state(id)).toBe('cancelled: issue_closed');
  });

  it('of a push that is lost is made up for by the head of the branch, once, and not for a merge', async () => {
    await open({ forge: { reviewPushes: true } });
    const poll = async () => {
      w.time.advance(10_000);
      await w.poll();
    };
    await w.runUntilIdle();
    await poll();
    const sha = w.ann.push(SHOP, 'main');
    const pushed = held();
    await poll();
    expect(await w.states()).toEqual({});
    await poll();
    await w.deliver(pushed);
    await poll();
    const [id = '', ...others] = Object.keys(await w.states());
    expect(others).toEqual([]);
    expect(await state(id)).toBe('delayed: review_delay');
    expect(await w.forge.read(SHOP, Number(id.split('~')[0]))).toMatchObject({
      url: expect.stringMatching(new RegExp(`/compare/\\w+\\.\\.\\.${sha}$`)) as string,
    });
    const { number } = w.ann.openPull(SHOP, { title: 'x', head: 'topic' });
    w.time.advance(2000);
    w.ann.merge(SHOP, number);
    for (let time = 0; time < 3; time += 1) await poll();
    const pushes = Object.keys(await w.states()).filter((one) => one.length > 20);
    expect(pushes).toEqual([id]);
  });

  it('with anything in it hurts nobody', async () => {
    await open();
    await w.runUntilIdle();
    for (const payload of ['null', '[]', '"x"', '{"repository":{"full_name":"octo/shop"}}']) {
      const repository = { full_name: SHOP };
      for (const event of [
        'issues',
        'pull_request',
        'push',
        'label',
        'issue_comment',
        'ping',
        'x',
        '__proto__',
      ]) {
        await w.deliver([{ event, body: payload }]);
        await w.deliver([
          {
            event,
            body: JSON.stringify({
              repository,
              issue: { number: -1 },
              pull_request: { number: 'x' },
            }),
          },
        ]);
      }
    }
    expect(await w.states()).toEqual({});
  });
});

type Act = readonly [string, number, number];

/** What people do, all kinds of it, on three issues and one pull request; often within one second. */
function act([kind, which, pauseMs]: Act): void {
  const person = w.github.as('ann');
  const numbers = [...w.github.world.repo(SHOP).items.keys()];
  const number = numbers[which % Math.max(1, numbers.length)];
  if (kind === 'open' || number === undefined) {
    if (numbers.length < 5) w.openIssue();
  } else if (kind === 'pull') {
    const body = which % 2 === 0 ? `Closes #${number}` : 'alone';
    if (numbers.length < 7) person.openPull(SHOP, { title: 'p', head: `b${which}`, body });
  } else if (kind === 'label') person.label(SHOP, number, `l${which % 3}`);
  else if (kind === 'unlabel') person.unlabel(SHOP, number, `l${which % 3}`);
  else if (kind === 'renameLabel' || kind === 'removeLabel') {
    const label = `l${which % 3}`;
    const names = [...w.github.world.repo(SHOP).labels.values()].map(({ name }) => name);
    if (!names.includes(label)) return;
    if (kind === 'removeLabel') person.removeLabel(SHOP, label);
    else if (!names.includes(`m${which}`)) person.renameLabel(SHOP, label, `m${which}`);
  } else if (kind === 'edit')
    person.edit(SHOP, number, { title: `t${which}`, body: `## Deliverables\n- ${which}` });
  else if (kind === 'comment') person.comment(SHOP, number, 'hm');
  else if (kind === 'close') person.close(SHOP, number);
  else if (
    kind === 'reopen' &&
    (w.github.world.repo(SHOP).items.get(number)?.pull?.mergedAt ?? null) === null
  ) {
    person.reopen(SHOP, number);
  } else if (kind === 'remove' && w.github.world.repo(SHOP).items.get(number)?.pull === null) {
    person.remove(SHOP, number);
  }
  w.time.advance(pauseMs);
}

const KINDS = [
  'open',
  'open',
  'pull',
  'label',
  'unlabel',
  'renameLabel',
  'removeLabel',
  'edit',
  'comment',
  'close',
  'reopen',
  'remove',
];
const acts = fc.array(
  fc.tuple(fc.constantFrom(...KINDS), fc.nat(20), fc.constantFrom(0, 0, 0, 400, 1000, 3000)),
  { minLength: 3, maxLength: 20 },
);

/** What is open, and how it looks; how it came to be closed depends on what was seen on the way. */
async function believed(): Promise<unknown> {
  const open: unknown[] = [];
  for (const { issue, tasks } of await w.store.openIssues(SHOP, 0, 100)) {
    const { number, title, body, state, labels, pull } = issue;
    if (state === 'closed') continue;
    open.push({
      number,
      title,
      body,
      labels: labels.toSorted(),
      pull: pull?.number ?? null,
      tasks: tasks.filter((t) => t.state !== 'cancelled').map((t) => [t.id, t.state, t.reason]),
    });
  }
  return open;
}

describe('deliveries', () => {
  it('in any order, doubled and lost, end in the state that GitHub shows', {
    timeout: 300_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.infiniteStream(fc.nat(1000)),
        fc.array(fc.nat(20), { maxLength: 3 }),
        async (happenings, random, stops) => {
          await open();
          await w.runUntilIdle();
          for (const one of happenings) act(one);
          const chosen = held()
            .flatMap((delivery) => {
              const luck = random.next().value % 10;
              return luck < 2 ? [] : luck < 4 ? [delivery, delivery] : [delivery];
            })
            .map((delivery) => [random.next().value, delivery] as const)
            .sort(([a], [b]) => a - b)
            .map(([, delivery]) => delivery);
          let from = 0;
          for (const stop of stops.toSorted((a, b) => a - b)) {
            await w.deliver(chosen.slice(from, stop));
            from = Math.max(from, stop);
            w.time.advance(500);
          }
          await w.deliver(chosen.slice(from));
          w.time.advance(3000);
          await w.poll();
          const afterPoll = await believed();
          await w.runUntilIdle();
          expect(afterPoll).toEqual(await believed());

          // Whoever looks for the first time sees the same.
          const items = [...w.github.world.repo(SHOP).items.values()];
          const shown = (afterPoll as { number: number }[]).map(({ number }) => number);
          const openIssues = items.filter((item) => item.state === 'open' && item.pull === null);
          expect(shown).toEqual(expect.arrayContaining(openIssues.map((item) => item.number)));
          for (const { number, labels, title } of afterPoll as {
            number: number;
            labels: string[];
            title: string;
          }[]) {
            expect(labels).toEqual(w.github.labels(SHOP, number).toSorted());
            expect(title).toBe(w.github.world.repo(SHOP).items.get(number)?.title);
          }
          expect(await w.violations()).toEqual([]);
          await w.close();
        },
      ),
      { numRuns: 60 },
    );
    await open();
  });

  it('that all arrive, in any order, need no poll', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.infiniteStream(fc.nat(1000)), async (happenings, random) => {
        await open();
        await w.runUntilIdle();
        for (const one of happenings) act(one);
        w.time.advance(3000);
        const shuffled = held()
          .map((delivery) => [random.next().value, delivery] as const)
          .sort(([a], [b]) => a - b)
          .map(([, delivery]) => delivery);
        await w.deliver(shuffled);
        await w.deliver([]);
        const heard = await believed();
        await w.runUntilIdle();
        expect(heard).toEqual(await believed());
        await w.close();
      }),
      { numRuns: 40 },
    );
    await open();
  });
});
