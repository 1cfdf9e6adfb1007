// Deliveries come late, twice, in any order or never: what Banto believes in the end is what GitHub shows.

import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
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
    await w.settle();
    const number = w.openIssue();
    const before = w.github.requests.length;
    await w.deliver(held());
    expect(await state(`${number}~implement.1`)).toBe('ready');
    expect(w.github.requests.length).toBe(before);
  });

  it('of a review ends the one of the agents', async () => {
    await open();
    const { number } = w.github.as('banto').openPull(SHOP, { title: 'x', head: 'x' });
    await w.settle();
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
    await w.settle();
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
    await w.settle();
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
    await w.settle();
    const given = await w.request('r1', { capabilities: ['review'] });
    expect(given?.task).toMatchObject({ kind: 'review', priority: 50 });
    await w.converge();
  });

  it('with anything in it hurts nobody', async () => {
    await open();
    await w.settle();
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
  else if (kind === 'edit')
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
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        acts,
        fc.infiniteStream(fc.nat(1000)),
        fc.array(fc.nat(20), { maxLength: 3 }),
        async (happenings, random, stops) => {
          await open();
          await w.settle();
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
          await w.settle();
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

  it('that all arrive, in any order, need no poll', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(acts, fc.infiniteStream(fc.nat(1000)), async (happenings, random) => {
        await open();
        await w.settle();
        for (const one of happenings) act(one);
        w.time.advance(3000);
        const shuffled = held()
          .map((delivery) => [random.next().value, delivery] as const)
          .sort(([a], [b]) => a - b)
          .map(([, delivery]) => delivery);
        await w.deliver(shuffled);
        await w.deliver([]);
        const heard = await believed();
        await w.settle();
        expect(heard).toEqual(await believed());
        await w.close();
      }),
      { numRuns: 40 },
    );
    await open();
  });
});
