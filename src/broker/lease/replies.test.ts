import { afterEach, describe, expect, it } from 'vitest';
import { makeWholeBroker, type WholeBroker } from '../../../test/support/whole-broker.ts';
import type { Reply } from '../../core/attempt/reply.ts';
import { ForgeBusy } from '../../core/forge.ts';
import { createBroker } from '../create-broker.ts';

const POLL_MS = 5000;
let whole: WholeBroker;
let written: Map<number, Omit<Reply, 'after'>[]>;
let reads: { number: number; keys: readonly string[]; sinceAt: number }[];
let trouble: Error | null;
/** Tasks that the store was asked for: in lists, and one by one. */
let listings: number;
let looks: number;

afterEach(async () => {
  await whole.broker.stop();
  await whole.close();
});

function open(): void {
  written = new Map();
  reads = [];
  trouble = null;
  listings = 0;
  looks = 0;
  whole = makeWholeBroker(
    {
      policy: { askSeconds: 1000, reviewDelaySeconds: 0 },
      wrapStore: (store) => ({
        ...store,
        tasks(filter) {
          listings += 1;
          return store.tasks(filter);
        },
        task(...asked) {
          looks += 1;
          return store.task(...asked);
        },
      }),
      forge: {
        replies: {
          how: 'write below',
          async read(_repository, number, keys, sinceAt) {
            reads.push({ number, keys, sinceAt });
            if (trouble !== null && number === 1) throw trouble;
            return (written.get(number) ?? []).map((reply) => ({ ...reply, after: keys }));
          },
        },
      },
    },
    { pollMs: POLL_MS },
  );
}
async function asks(agentId: string, question = 'Which port?') {
  const given = await whole.request(agentId);
  const { task, lease } = given ?? expect.fail(`${agentId} got nothing`);
  const held = { taskId: task.id, token: lease.token };
  await whole.broker.ask({ ...held, question });
  await whole.broker.catchUp();
  return held;
}
async function start(...numbers: number[]): Promise<void> {
  open();
  for (const number of numbers) whole.put(number);
  await whole.idle();
  await whole.broker.start();
  await whole.pass(1000);
}
/** On the same store and forge. */
const anotherInstance = () =>
  createBroker({
    store: whole.store,
    forge: whole.context.forge,
    policy: whole.context.policy(),
    log: whole.context.log,
    timers: whole.time.timers,
    pollMs: POLL_MS,
  });
const write = (number: number, text: string, author: string | null = 'ben') =>
  written.set(number, [{ author, text, at: whole.time.now() }]);
const answers = async (taskId: string) =>
  (await whole.broker.task(taskId)).task.questions.map(({ answer }) => answer);

describe('what people write on the issue', () => {
  it('is looked for from time to time as long as a question waits, and answers it', async () => {
    await start(1, 2);
    await whole.pass(POLL_MS);
    expect(reads).toEqual([]);
    const held = await asks('hana');
    const askedAt = whole.time.now();
    await whole.pass(POLL_MS);
    expect(reads).toEqual([{ number: 1, keys: [`asked-q1:${held.taskId}`], sinceAt: askedAt }]);
    expect(await answers(held.taskId)).toEqual([null]);
    write(1, '8080');
    await whole.pass(POLL_MS);
    expect(await answers(held.taskId)).toEqual(['8080']);
    const { history } = await whole.broker.task(held.taskId);
    expect(history.find(({ type }) => type === 'answered')).toMatchObject({ by: 'ben' });
    reads = [];
    await whole.pass(3 * POLL_MS);
    expect(reads).toEqual([]);
  });

  it('by nobody whom the forge names answers, too', async () => {
    await start(1);
    const held = await asks('hana');
    write(1, '8080', null);
    await whole.pass(POLL_MS);
    expect(await answers(held.taskId)).toEqual(['8080']);
    const { history } = await whole.broker.task(held.taskId);
    expect(history.find(({ type }) => type === 'answered')).not.toHaveProperty('by');
  });

  it('is read at once where the forge tells of it, and only there', async () => {
    await start(1, 2);
    const one = await asks('hana');
    const two = await asks('kenji');
    await whole.pass(POLL_MS);
    reads = [];
    write(1, '8080');
    whole.tell({ commented: [1] });
    await whole.rest();
    expect(reads.map(({ number }) => number)).toEqual([1]);
    expect(await answers(one.taskId)).toEqual(['8080']);
    expect(await answers(two.taskId)).toEqual([null]);
    reads = [];
    whole.tell({ commented: [] });
    await whole.rest();
    whole.tell({ commented: [7] });
    await whole.rest();
    expect(reads).toEqual([]);
  });

  it('is looked for at its time, though a comment came between', async () => {
    await start(1, 2);
    await asks('hana');
    await asks('kenji');
    while (reads.length === 0) await whole.pass(100);
    const numbers = () => reads.splice(0).map(({ number }) => number);
    expect(numbers()).toEqual([1, 2]);
    await whole.pass(2000);
    whole.tell({ commented: [1] });
    await whole.rest();
    expect(numbers()).toEqual([1]);
    await whole.pass(POLL_MS - 2200);
    expect(numbers()).toEqual([]);
    await whole.pass(200);
    expect(numbers()).toEqual([1, 2]);
    expect(listings).toBe(1);
  });

  it('costs nothing where no question waits any more', async () => {
    await start(1);
    const held = await asks('hana');
    await whole.broker.answer({ taskId: held.taskId, questionId: 'q1', answer: 'yes' });
    await whole.pass(POLL_MS);
    looks = 0;
    await whole.pass(2 * POLL_MS);
    whole.tell({ commented: [1] });
    await whole.rest();
    expect([looks, listings]).toEqual([0, 1]);
  });

  it('is not looked for where the question is too old, or its task has ended', async () => {
    await start(1, 2);
    const held = await asks('hana');
    await asks('kenji');
    await whole.broker.cancel({ taskId: held.taskId, reason: null });
    await whole.pass(POLL_MS);
    expect(reads.map(({ number }) => number)).toEqual([2]);
    await whole.pass(1_000_000);
    reads = [];
    await whole.pass(3 * POLL_MS);
    expect(reads).toEqual([]);
  });

  it('is looked for on the other issues, though one cannot be read', async () => {
    await start(1, 2);
    const held = await asks('hana');
    const other = await asks('kenji');
    trouble = new Error('away');
    write(2, 'yes');
    await whole.pass(POLL_MS);
    expect(whole.warnings).toHaveLength(1);
    expect(await answers(other.taskId)).toEqual(['yes']);
    trouble = null;
    write(1, '8080');
    await whole.pass(POLL_MS);
    expect(await answers(held.taskId)).toEqual(['8080']);
  });

  it('is not looked for further where the forge asks for patience', async () => {
    await start(1, 2);
    await asks('hana');
    await asks('kenji');
    trouble = new ForgeBusy(60_000, 'rate limit');
    await whole.pass(POLL_MS);
    expect(reads).toHaveLength(1);
  });

  it('is found by an instance that began after the question was asked', async () => {
    await start(1);
    const held = await asks('hana');
    await whole.broker.stop();
    write(1, '8080');
    const later = anotherInstance();
    await later.loops.replies.runOnce();
    expect(await answers(held.taskId)).toEqual(['8080']);
    await later.stop();
  });

  it('is found by the one that leads then though the lease of the question has ended', async () => {
    await start(1);
    const held = await asks('hana');
    await whole.broker.release({ ...held, reason: 'somebody else may', agentId: 'hana' });
    await whole.broker.stop();
    write(1, '8080');
    const later = anotherInstance();
    await later.start();
    await whole.pass(2 * POLL_MS);
    expect(await answers(held.taskId)).toEqual(['8080']);
    await later.stop();
  });

  it('is read by the one instance that leads', async () => {
    await start(1);
    await asks('hana');
    await whole.broker.stop();
    await whole.store.lead('leader', 'another', 60_000);
    const follower = anotherInstance();
    await follower.start();
    reads = [];
    await whole.pass(3 * POLL_MS);
    expect(reads).toEqual([]);
    follower.loops.replies.hint({ repository: 'octo/park', commented: [1] });
    await whole.rest();
    expect(reads).toHaveLength(1);
    await follower.stop();
  });
});

describe('several questions of one task', () => {
  it('are looked for from the oldest on that waits', async () => {
    await start(1);
    const held = await asks('hana');
    const askedAt = whole.time.now();
    await whole.pass(2000);
    await whole.broker.ask({ ...held, question: 'Which host?' });
    await whole.broker.catchUp();
    await whole.pass(POLL_MS);
    expect(reads.at(-1)).toMatchObject({
      keys: [`asked-q1:${held.taskId}`, `asked-q2:${held.taskId}`],
      sinceAt: askedAt,
    });
    await whole.broker.answer({ taskId: held.taskId, questionId: 'q1', answer: '80' });
    await whole.pass(POLL_MS);
    expect(reads.at(-1)?.sinceAt).toBeGreaterThan(askedAt);
  });

  it('are found on any page of the tasks that are worked on', async () => {
    open();
    for (let number = 1; number <= 210; number += 1) whole.put(number);
    await whole.idle();
    for (let number = 1; number <= 210; number += 1) await whole.take(`a${number}`);
    const tasks = await whole.broker.tasks({ state: 'leased', limit: 500 });
    const listed = tasks.tasks.map(({ task }) => task);
    for (const task of [listed[0], listed.at(-1)]) {
      const { id = '', lease = null } = task ?? {};
      const about = { taskId: id, token: lease?.token ?? '', agentId: lease?.agentId ?? '' };
      await whole.store.ask({ ...about, question: 'Which port?', askMs: 600_000 });
    }
    await whole.broker.loops.replies.runOnce();
    expect(reads.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      [listed[0]?.number ?? 0, listed.at(-1)?.number ?? 0].sort((a, b) => a - b),
    );
  });
});

it('how often is looked follows the forge, where nothing else is said', async () => {
  const looks: number[] = [];
  whole = makeWholeBroker({
    forge: {
      rhythm: { pollMs: 7000, fullPassMs: 600_000 },
      replies: {
        how: 'write below',
        async read() {
          looks.push(whole.time.now());
          return [];
        },
      },
    },
  });
  whole.put(1);
  await whole.idle();
  await whole.broker.start();
  await asks('hana');
  await whole.pass(22_000);
  expect((looks[2] ?? 0) - (looks[1] ?? 0)).toBe(7000);
});
