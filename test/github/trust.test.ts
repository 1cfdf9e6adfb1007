// Only issues that somebody with write access wrote or labelled are handed out, where that is asked for.

import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GithubWorld, makeGithubWorld, SHOP } from '../support/github/world.ts';

let w: GithubWorld;
beforeEach(async () => {
  w = await makeGithubWorld({ forge: { trustedOnly: true } });
});
afterEach(() => w.close());

const state = async (number: number) => (await w.states())[`${number}~implement.1`];
const later = async () => {
  w.time.advance(2000);
  await w.poll();
};

it('an issue of somebody who may write is offered, without asking twice who that is', async () => {
  const numbers = [w.openIssue(), w.openIssue(), w.openIssue()];
  await w.settle();
  for (const number of numbers) expect(await state(number)).toBe('ready');
  const asked = w.github.requests.filter((one) => one.path.endsWith('/permission'));
  expect(asked).toHaveLength(1);
});

it('an issue of a stranger is held, and why says so', async () => {
  const number = w.openIssue({ by: 'stranger' });
  await w.settle();
  expect(await state(number)).toBe('held: untrusted_author');
  const why = await w.broker.why(`octo~shop~${number}~implement.1`, null);
  expect(why.summary).toContain('write access');
});

it('a label by somebody who may write vouches for it, until the text is changed', async () => {
  const number = w.openIssue({ by: 'stranger' });
  await w.settle();
  w.time.advance(2000);
  w.ann.label(SHOP, number, 'bug');
  await later();
  expect(await state(number)).toBe('ready');
  w.github.as('stranger').edit(SHOP, number, { body: '## Deliverables\n- something else' });
  await later();
  expect(await state(number)).toBe('held: untrusted_author');
  w.github.as('stranger').label(SHOP, number, 'please');
  await later();
  expect(await state(number)).toBe('held: untrusted_author');
  w.ann.label(SHOP, number, 'P1');
  await later();
  expect(await state(number)).toBe('ready');
});

it("Banto's own labels vouch for nothing", async () => {
  const number = w.openIssue({ by: 'stranger' });
  await w.settle();
  w.time.advance(2000);
  await w.forge.setLabels(SHOP, number, { add: ['needs-review'], remove: [] });
  await later();
  expect(await state(number)).toBe('held: untrusted_author');
});

it('a pull request of a stranger is not reviewed by agents', async () => {
  const { number } = w.github.as('stranger').openPull(SHOP, { title: 'x', head: 'evil' });
  await w.settle();
  expect((await w.states())[`${number}~review.1`]).toBe('held: untrusted_author');
});
