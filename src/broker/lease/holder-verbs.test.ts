// What the holder of a lease says while it works: heartbeats, questions, logs. And who else may not.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entry, idOf } from '../../../test/contract/store/world.ts';
import { type Desk, makeDesk } from '../../../test/support/desk.ts';
import type { HandOut } from '../../core/store.ts';
import type { Broker } from '../broker.ts';
import { createHeartbeat } from '../heartbeat.ts';
import { createLogs } from './logs.ts';
import { createQuestions } from './questions.ts';

let desk: Desk;
let broker: Pick<Broker, 'heartbeat' | 'ask' | 'answer' | 'appendLog' | 'log'>;
let listed: boolean;
let handOut: HandOut;

beforeEach(async () => {
  desk = makeDesk({ policy: { askSeconds: 100 } });
  listed = true;
  const listing = { isListed: async () => listed };
  broker = {
    heartbeat: createHeartbeat(desk.context, listing),
    ...createQuestions(desk.context, listing),
    ...createLogs(desk.context, listing),
  };
  await desk.mirror(entry(1));
  handOut = await desk.take('hana', { leaseSeconds: 10 });
});
afterEach(() => desk.close());

const taskId = idOf(1);
const held = (over: object = {}) => ({ taskId, token: handOut.lease.token, ...over });

describe('each of them', () => {
  const all = (over: object) => [
    () => broker.heartbeat({ ...held(over), progress: null }),
    () => broker.ask({ ...held(over), question: 'Which?' }),
    () => broker.appendLog({ ...held(over), offset: 0, text: 'x' }),
  ];

  it.each([
    [{ token: 'banto_other' }, 'lease_lost'],
    [{ agentId: 'kenji' }, 'forbidden'],
    [{ taskId: idOf(9) }, 'not_found'],
    [{ taskId: 'nonsense' }, 'not_found'],
  ])('with %o is refused as %s', async (over, code) => {
    for (const call of all(over)) await expect(call()).rejects.toMatchObject({ code });
  });

  it('on an unknown task is busy while the backlog is being listed', async () => {
    listed = false;
    for (const call of all({ taskId: idOf(9) })) {
      await expect(call()).rejects.toMatchObject({ code: 'busy' });
    }
  });
});

describe('a heartbeat', () => {
  it('renews the lease for its whole time', async () => {
    desk.time.advance(5000);
    const { expiresAt, stop } = await broker.heartbeat({ ...held(), progress: 'half-way' });
    expect([expiresAt, stop]).toEqual([desk.time.now() + 10_000, null]);
  });
});

describe('a question', () => {
  it('pauses the lease for as long as the policy says, and is answered once', async () => {
    const { questionId } = await broker.ask({ ...held(), question: 'Which?' });
    expect((await desk.task(taskId)).lease?.expiresAt).toBe(desk.time.now() + 100_000);
    const answer = { taskId, questionId, answer: 'The left one.' };
    expect((await broker.answer(answer)).state).toBe('leased');
    expect((await broker.answer(answer)).state).toBe('leased');
    await expect(broker.answer({ ...answer, answer: 'No.' })).rejects.toMatchObject({
      code: 'conflict',
    });
    const { answers } = await broker.heartbeat({ ...held(), progress: null });
    expect(answers).toMatchObject([{ id: questionId, answer: 'The left one.' }]);
  });

  it('has to wait where five are open already', async () => {
    for (const question of ['A?', 'B?', 'C?', 'D?', 'E?'])
      await broker.ask({ ...held(), question });
    await expect(broker.ask({ ...held(), question: 'F?' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('Wait for an answer'),
    });
    await broker.answer({ taskId, questionId: 'q1', answer: 'Yes.' });
    expect(await broker.ask({ ...held(), question: 'F?' })).toEqual({ questionId: 'q6' });
  });

  it('that was never asked cannot be answered', async () => {
    const answer = { questionId: 'q9', answer: 'Yes.' };
    await expect(broker.answer({ taskId, ...answer })).rejects.toThrow('has no question q9');
    await expect(broker.answer({ taskId: idOf(9), ...answer })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a log', () => {
  const read = (over: object = {}, signal?: AbortSignal) =>
    broker.log({ taskId, fence: null, offset: 0, limit: 1000, followSeconds: 0, ...over }, signal);

  it('is read while it is written, from any place on', async () => {
    expect(await broker.appendLog({ ...held(), offset: 0, text: 'one\ntwo\n' })).toBe(8);
    const fence = handOut.lease.fence;
    expect(await read()).toEqual({ fence, text: 'one\ntwo\n', nextOffset: 8, ended: null });
    expect(await read({ offset: 4 })).toMatchObject({ text: 'two\n', nextOffset: 8 });
  });

  it('is empty before its first line, and tells how its attempt ended afterwards', async () => {
    expect(await read()).toMatchObject({ text: '', nextOffset: 0, ended: null });
    await broker.appendLog({ ...held(), offset: 0, text: 'one' });
    await desk.release(handOut);
    expect(await read()).toMatchObject({ text: 'one', nextOffset: 3, ended: 'released' });
    await expect(read({ fence: 1 })).rejects.toThrow(`The attempt 1 at ${taskId} has no log here.`);
    await expect(read({ taskId: idOf(9) })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is waited for by whoever follows it, until a line comes, the time is over, or nobody listens', async () => {
    let text: string | null = null;
    const follow = async (over: object, signal?: AbortSignal) => {
      text = null;
      ({ text } = await read({ followSeconds: 2, ...over }, signal));
    };
    void follow({});
    await desk.pass(1000);
    expect(text).toBeNull();
    await broker.appendLog({ ...held(), offset: 0, text: 'line\n' });
    await desk.pass(500);
    expect(text).toBe('line\n');
    const gone = new AbortController();
    void follow({ offset: 5 }, gone.signal);
    await desk.rest();
    expect(text).toBeNull();
    gone.abort();
    await desk.rest();
    expect(text).toBe('');
    void follow({ offset: 5 });
    await desk.rest();
    await desk.pass(1500);
    expect(text).toBeNull();
    await desk.pass(500);
    expect(text).toBe('');
  });
});

describe('a log that is read', () => {
  const read = (over: object = {}) =>
    broker.log({ taskId, fence: null, offset: 0, limit: 1000, followSeconds: 0, ...over });
  const write = (offset: number, text: string) => broker.appendLog({ ...held(), offset, text });

  it('is that of the newest attempt that has one; who follows means the one that runs', async () => {
    await write(0, 'one');
    const first = handOut.lease.fence;
    await desk.release(handOut);
    handOut = await desk.take('hana', { leaseSeconds: 1000 });
    expect(await read()).toMatchObject({ fence: first, text: 'one', ended: 'released' });
    let followed: object | null = null;
    const follow = async () => {
      followed = await read({ followSeconds: 1 });
    };
    void follow();
    await desk.pass(1500);
    expect(followed).toEqual({ fence: handOut.lease.fence, text: '', nextOffset: 0, ended: null });
    await write(0, 'two');
    expect(await read()).toMatchObject({ fence: handOut.lease.fence, text: 'two' });
  });

  it('leaves a character that is not whole for the next page, unless nothing comes after', async () => {
    await write(0, 'ab😀');
    expect(await read({ limit: 4 })).toMatchObject({ text: 'ab', nextOffset: 2 });
    expect(await read({ offset: 2 })).toMatchObject({ text: '😀', nextOffset: 6 });
    await desk.release(handOut);
    expect(await read({ limit: 4 })).toMatchObject({ text: 'ab', nextOffset: 2 });
    expect(await read({ offset: 2 })).toMatchObject({ text: '😀', nextOffset: 6 });
  });

  it('shows what is broken at its end, once nothing comes after', async () => {
    const { fence } = handOut.lease;
    await desk.store.logs.append(taskId, fence, 0, new Uint8Array([97, 0xf0, 0x9f]));
    expect(await read()).toMatchObject({ text: 'a', nextOffset: 1 });
    await desk.release(handOut);
    expect(await read()).toMatchObject({ text: 'a\ufffd', nextOffset: 3 });
    expect(await read({ offset: 1 })).toMatchObject({ text: '\ufffd', nextOffset: 3 });
    expect(await read({ limit: 2 })).toMatchObject({ text: 'a', nextOffset: 1 });
  });

  it('of an attempt that nobody remembers has ended', async () => {
    await desk.store.logs.append(taskId, 7, 0, Buffer.from('old'));
    expect(await read({ fence: 7 })).toMatchObject({ text: 'old', ended: 'expired' });
  });

  it('that is not there is not found', async () => {
    await expect(read({ fence: 3 })).rejects.toMatchObject({
      code: 'not_found',
      message: `The attempt 3 at ${taskId} has no log here.`,
    });
    for (const id of [idOf(9), 'nonsense']) {
      await expect(read({ taskId: id })).rejects.toMatchObject({ code: 'not_found' });
      await expect(
        broker.answer({ taskId: id, questionId: 'q1', answer: 'x' }),
      ).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('is empty while its attempt has said nothing, and before there is an attempt', async () => {
    const nothing = { text: '', nextOffset: 0, ended: null };
    expect(await read()).toEqual({ fence: handOut.lease.fence, ...nothing });
    await desk.mirror(entry(2));
    expect(await read({ taskId: idOf(2) })).toEqual({ fence: 0, ...nothing });
  });

  it('is of one attempt to the end, though the next one begins meanwhile', async () => {
    const { fence } = handOut.lease;
    await write(0, 'one');
    const followed = read({ offset: 3, followSeconds: 60 });
    await desk.pass(100);
    await desk.release(handOut);
    handOut = await desk.take('kenji', { leaseSeconds: 1000 });
    await write(0, 'another');
    await desk.pass(1000);
    expect(await followed).toMatchObject({ fence, text: '', ended: 'released' });
  });

  it('is waited for no longer than its attempt lives', async () => {
    let ended: string | null | undefined;
    const follow = async () => {
      ({ ended } = await read({ offset: 3, followSeconds: 60 }));
    };
    await write(0, 'one');
    void follow();
    await desk.pass(1000);
    expect(ended).toBeUndefined();
    await desk.release(handOut);
    await desk.pass(1000);
    expect(ended).toBe('released');
  });
});
