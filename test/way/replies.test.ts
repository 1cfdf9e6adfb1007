// On the local forge people answer the questions of agents below them, in the file of comments.

import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { makeWorld, type World } from '../support/world.ts';

let w: World;
afterEach(() => w.close());

const POLL_MS = 5000;

async function asking(...questions: string[]) {
  w = await makeWorld();
  await w.broker.catchUp();
  await w.repository.write(1, { labels: ['python'] });
  await w.runUntilIdle();
  const given = await w.request('a1');
  if (given === null) throw new Error('nothing was handed out');
  const held = { taskId: given.task.id, token: given.lease.token };
  const ask = async (question: string) => {
    await w.broker.ask({ ...held, question });
    await w.broker.catchUp();
    await w.broker.loops.outbox.runOnce();
  };
  for (const question of questions) await ask(question);
  return { held, ask };
}

const file = () => join(w.repository.repoDir, 'backlog', 'comments', '0001.md');
const saved = (agoMs: number) => {
  const at = (w.time.now() - agoMs) / 1000;
  utimesSync(file(), at, at);
};
const look = async () => {
  w.time.advance(POLL_MS);
  await w.broker.loops.replies.runOnce();
};
const answers = async (taskId: string) =>
  (await w.broker.task(taskId)).task.questions.map(({ answer }) => answer);

it('what a person writes below the question answers it, and the file says so', async () => {
  const { held } = await asking('Which port?');
  expect(readFileSync(file(), 'utf8')).toMatch(/Which port\?[^]*To answer, write below this text/);
  await look();
  expect(await answers(held.taskId)).toEqual([null]);
  appendFileSync(file(), '\nUse 8080.\nIt is free.\n');
  saved(0);
  await look();
  expect(await answers(held.taskId)).toEqual(['Use 8080.\nIt is free.']);
  const beat = await w.broker.heartbeat({ ...held, progress: null });
  expect(beat.answers).toMatchObject([{ id: 'q1' }]);
  await w.broker.loops.outbox.runOnce();
  const text = readFileSync(file(), 'utf8');
  expect(text).toMatch(/The answer:[^]*Use 8080\.[^]*\/banto -->\n\nUse 8080\./);
  writeFileSync(file(), text.replaceAll('8080', '9090'));
  saved(0);
  await look();
  expect(await answers(held.taskId)).toEqual(['Use 8080.\nIt is free.']);
});

it('a file that was saved this moment may not be finished', async () => {
  const { held } = await asking('Which port?');
  appendFileSync(file(), '\nUse\n');
  saved(1000 - POLL_MS);
  await look();
  expect(await answers(held.taskId)).toEqual([null]);
  await look();
  expect(await answers(held.taskId)).toEqual(['Use']);
});

it('of two questions the one above the words is answered, or the one they name', async () => {
  const { held } = await asking('Which port?', 'Which host?');
  const text = readFileSync(file(), 'utf8');
  // Below the first of the two.
  writeFileSync(file(), text.replace('<!-- /banto -->', '<!-- /banto -->\n\n8080\n'));
  saved(0);
  await look();
  expect(await answers(held.taskId)).toEqual(['8080', null]);
  appendFileSync(file(), '\nq2: localhost\n');
  saved(0);
  await look();
  expect(await answers(held.taskId)).toEqual(['8080', 'localhost']);
});

it('a file that was deleted answers nothing and is written again', async () => {
  const { held, ask } = await asking('Which port?');
  rmSync(file());
  await look();
  expect(await answers(held.taskId)).toEqual([null]);
  await ask('Which host?');
  expect(readFileSync(file(), 'utf8')).toMatch(/Which port\?[^]*Which host\?/);
});
