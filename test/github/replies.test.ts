// People answer the questions of agents by a comment on the issue: those who may, and nobody else.

import { afterEach, describe, expect, it } from 'vitest';
import {
  type GithubWorld,
  type GithubWorldOptions,
  makeGithubWorld,
  SHOP,
} from '../support/github/world.ts';

let w: GithubWorld;
afterEach(() => w.close());

const POLL_MS = 60_000;

async function asking(
  { by = 'ann', ...options }: GithubWorldOptions & { by?: string } = {},
  ...questions: string[]
) {
  w = await makeGithubWorld(options);
  w.github.webhooks.hold();
  await w.broker.catchUp();
  const number = w.openIssue({ by });
  await w.runUntilIdle();
  const given = await w.request('a1');
  if (given === null) throw new Error('nothing was handed out');
  const held = { taskId: given.task.id, token: given.lease.token };
  const ask = async (question: string) => {
    await w.broker.ask({ ...held, question });
    await w.broker.catchUp();
    await w.converge();
  };
  for (const question of questions.length === 0 ? ['Which port?'] : questions) await ask(question);
  return { number, held, ask };
}

const look = async () => {
  w.time.advance(POLL_MS);
  await w.broker.loops.replies.runOnce();
};
const answers = async (taskId: string) =>
  (await w.broker.task(taskId)).task.questions.map(({ answer }) => answer);
const listings = () =>
  w.github.requests.filter(({ operation }) => operation.endsWith('{issue_number}/comments'));

describe('a comment by somebody who may write', () => {
  it('answers, is found by looking, and the agent hears it', async () => {
    const { number, held } = await asking();
    const [asked] = [...w.github.world.repo(SHOP).comments.values()];
    expect(asked?.body).toMatch(/asks:[^]*Which port\?[^]*To answer, write a comment here/);
    w.ann.comment(SHOP, number, 'Use 8080.');
    await look();
    expect(await answers(held.taskId)).toEqual(['Use 8080.']);
    const beat = await w.broker.heartbeat({ ...held, progress: null });
    expect(beat.answers).toMatchObject([{ id: 'q1', answer: 'Use 8080.' }]);
    const { history } = await w.broker.task(held.taskId);
    expect(history.find(({ type }) => type === 'answered')).toMatchObject({ by: 'ann' });
    await w.converge();
    const shown = w.github.world.repo(SHOP).comments.get(asked?.id ?? 0);
    expect(shown?.body).toMatch(/The answer:[^]*Use 8080\./);
    expect(await w.violations()).toEqual([]);
  });

  it('is brought by its delivery, late, twice, or not at all', async () => {
    const { number, held } = await asking();
    await look();
    w.ann.comment(SHOP, number, 'Use 8080.');
    await w.broker.loops.replies.runOnce();
    expect(await answers(held.taskId)).toEqual([null]);
    const deliveries = [...w.github.webhooks.held];
    expect(deliveries.at(-1)?.event).toBe('issue_comment');
    await w.deliver([...deliveries, ...deliveries]);
    await w.broker.loops.replies.runOnce();
    expect(await answers(held.taskId)).toEqual(['Use 8080.']);
    await w.deliver(deliveries);
    await look();
    expect(await answers(held.taskId)).toEqual(['Use 8080.']);
  });

  it('counts as it reads when it is seen, and stands when it is changed or deleted later', async () => {
    const { number, held } = await asking();
    const acts = w.github.as('ann');
    const { id } = acts.comment(SHOP, number, 'Use 80.');
    acts.editComment(SHOP, id, 'Use 8080.');
    await look();
    acts.editComment(SHOP, id, 'Use 9090.');
    await look();
    acts.removeComment(SHOP, id);
    await look();
    expect(await answers(held.taskId)).toEqual(['Use 8080.']);
  });

  it('that is gone before anybody looked is no answer', async () => {
    const { number, held } = await asking();
    const { id } = w.ann.comment(SHOP, number, 'Use 80.');
    w.ann.removeComment(SHOP, id);
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
  });

  it('counts only below the question: a deleted question is answered elsewhere', async () => {
    const { number, held } = await asking();
    const [asked] = [...w.github.world.repo(SHOP).comments.values()];
    w.github.as('banto').removeComment(SHOP, asked?.id ?? 0);
    w.ann.comment(SHOP, number, 'Use 8080.');
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
  });

  it('answers by the account whose token Banto has, too: its own comments are marked', async () => {
    const { number, held } = await asking();
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
    w.github.as('banto').comment(SHOP, number, 'Use 8080.');
    await look();
    expect(await answers(held.taskId)).toEqual(['Use 8080.']);
  });
});

describe('nobody else answers', () => {
  it.each([
    ['a stranger', 'ann'],
    ['the author of the issue, who may not write', 'eve'],
  ])('%s', async (_, by) => {
    const { number, held } = await asking({ by });
    w.github.as('eve').comment(SHOP, number, 'Use 1.');
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
  });

  it('a member without write access', async () => {
    const { number, held } = await asking();
    w.github.setRole(SHOP, 'tom', 'triage');
    w.github.as('tom').comment(SHOP, number, 'Use 1.');
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
  });

  it('a bot, though it may write', async () => {
    const { number, held } = await asking();
    w.github.setRole(SHOP, 'helper[bot]', 'write');
    w.github.as('helper[bot]').comment(SHOP, number, 'Use 1.');
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
  });

  it('Banto itself, as an App', async () => {
    const { number, held } = await asking({ asApp: true });
    w.github.as(`${w.github.app.slug}[bot]`).comment(SHOP, number, 'Use 1.');
    await look();
    expect(await answers(held.taskId)).toEqual([null]);
    w.ann.comment(SHOP, number, 'Use 8080.');
    await look();
    expect(await answers(held.taskId)).toEqual(['Use 8080.']);
  });
});

it('with two open questions only a comment that names one counts, and both say how', async () => {
  const { number, held } = await asking({}, 'Which port?', 'Which host?');
  const bodies = [...w.github.world.repo(SHOP).comments.values()].map(({ body }) => body);
  expect(bodies[0]).toContain('begin the answer with `q1:`');
  expect(bodies[1]).toContain('begin the answer with `q2:`');
  w.ann.comment(SHOP, number, '8080');
  await look();
  expect(await answers(held.taskId)).toEqual([null, null]);
  await w.broker.answer({ taskId: held.taskId, questionId: 'q1', answer: '80' });
  await look();
  expect(await answers(held.taskId)).toEqual(['80', null]);
  w.ann.comment(SHOP, number, 'q2: localhost');
  await look();
  expect(await answers(held.taskId)).toEqual(['80', 'localhost']);
});

it('looks only while a question waits, and a look that finds nothing new costs nothing', async () => {
  const { number, held } = await asking();
  await look();
  const before = listings().length;
  await look();
  await look();
  expect(
    listings()
      .slice(before)
      .map(({ status }) => status),
  ).toEqual([304, 304]);
  w.ann.comment(SHOP, number, '8080');
  await look();
  expect(await answers(held.taskId)).toEqual(['8080']);
  const after = listings().length;
  await look();
  await w.converge();
  expect(
    listings()
      .slice(after)
      .filter(({ operation }) => operation.startsWith('GET')),
  ).toEqual([]);
});

it('an answer after the lease ended stands in the next prompt', async () => {
  const { number, held } = await asking();
  await w.broker.release({ ...held, reason: 'gone home' });
  w.ann.comment(SHOP, number, 'Use 8080.');
  await look();
  const next = await w.request('a2');
  expect(next?.prompt).toContain('The answer: Use 8080.');
});
