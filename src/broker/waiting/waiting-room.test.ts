import { beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../core/settings.ts';
import type { HandOut, Write } from '../../core/store.ts';
import type { Ticket } from '../../core/ticket.ts';
import { createWaitingRoom, tooMany, type Waiter, type WaitingRoom } from './waiting-room.ts';

let room: WaitingRoom;
let limits: { maxWaiting: number; maxWaitingPerAgent: number };
let made = 0;

beforeEach(() => {
  limits = { maxWaiting: 4, maxWaitingPerAgent: 2 };
  room = createWaitingRoom(() => ({ ...DEFAULT_POLICY, ...limits }));
});

function waiter(agentId: string, over: Partial<Ticket> = {}): Waiter {
  made += 1;
  return {
    ticket: {
      id: `t${made}`,
      requestId: `r${made}`,
      agentId,
      capabilities: ['python'],
      kinds: null,
      repositories: null,
      leaseSeconds: 600,
      instanceId: 'here',
      createdAt: made,
      ...over,
    },
    how: { ms: 1000, ownRequestId: false, signal: undefined },
    ttlMs: 1000,
    answer: Promise.withResolvers<HandOut | null>(),
    listed: false,
  };
}

function enter(agentId: string, over: Partial<Ticket> = {}): Waiter {
  const one = waiter(agentId, over);
  room.admit(one);
  room.list(one);
  return one;
}

const WRITE = { id: 'labels:octo/park#1' } as Write;
const HAND_OUT = { task: { id: 'octo~park~1~implement.1' }, writes: [WRITE] } as unknown as HandOut;

describe('who is let in', () => {
  it('is known by ticket and by request until it leaves, which it does once', () => {
    const hana = enter('hana');
    expect(room.get(hana.ticket.id)).toBe(hana);
    expect(room.byRequest(hana.ticket)).toBe(hana);
    expect([room.size(), room.all()]).toEqual([1, [hana]]);
    expect([room.leave(hana), room.leave(hana)]).toEqual([true, false]);
    expect([room.get(hana.ticket.id), room.byRequest(hana.ticket)]).toEqual([undefined, undefined]);
    expect([room.size(), room.all(), room.demands()]).toEqual([0, [], []]);
  });

  it('is as many as an agent may wait with, counted again as they leave', () => {
    const first = enter('hana');
    enter('hana');
    expect(() => enter('hana')).toThrow('hana already waits with 2 requests');
    expect(room.size()).toBe(2);
    room.leave(first);
    enter('hana');
    expect(() => enter('hana')).toThrow(/Let one of them end first/);
  });

  it('is as many as may wait in all', () => {
    for (const agent of ['a', 'b', 'c', 'd']) enter(agent);
    expect(() => enter('e')).toThrow(expect.objectContaining({ code: 'busy' }));
    limits = { ...limits, maxWaiting: 5 };
    enter('e');
    expect(room.size()).toBe(5);
  });

  it('is refused with the word for which limit it was, and when to ask again', () => {
    expect(tooMany('all', 'hana', 9)).toMatchObject({
      code: 'busy',
      retryAfterSeconds: 1,
      detail: 'Too many requests wait for a task already.',
    });
    expect(tooMany('perAgent', 'hana', 9)).toMatchObject({
      code: 'too_many_requests',
      retryAfterSeconds: 1,
    });
  });
});

describe('an answer', () => {
  it('goes to everybody who waits with that request, and the writes to the first of them', async () => {
    const first = enter('hana', { requestId: 'same' });
    const second = enter('hana', { requestId: 'same' });
    const other = enter('kenji', { requestId: 'same' });
    expect(room.answer(first.ticket, HAND_OUT)).toEqual([first.ticket, second.ticket]);
    expect(await first.answer.promise).toBe(HAND_OUT);
    expect(await second.answer.promise).toEqual({ ...HAND_OUT, writes: [] });
    expect(room.all()).toEqual([other]);
    expect(room.answer(first.ticket, HAND_OUT)).toEqual([]);
  });

  it('leaves one who waits with a request when the other has gone', () => {
    const first = enter('hana', { requestId: 'same' });
    const second = enter('hana', { requestId: 'same' });
    room.leave(first);
    expect(room.byRequest(first.ticket)).toBe(second);
  });
});

describe('what they ask for', () => {
  it('is kept once for all who ask for the same', () => {
    const hana = enter('hana');
    const kenji = enter('kenji');
    const rust = enter('mio', { capabilities: ['rust'] });
    const reviews = enter('mio', { kinds: ['review'] });
    expect(room.demands()).toEqual([hana.ticket, rust.ticket, reviews.ticket]);
    room.leave(hana);
    expect(room.demands()).toEqual([kenji.ticket, rust.ticket, reviews.ticket]);
    room.leave(kenji);
    expect(room.demands()).toEqual([rust.ticket, reviews.ticket]);
  });

  it('counts from when their tickets are made until they leave', () => {
    const hana = waiter('hana');
    room.admit(hana);
    expect([room.size(), room.listed(), room.demands(), room.groups()]).toEqual([1, 0, [], []]);
    room.list(hana);
    const kenji = enter('kenji');
    const rust = enter('mio', { capabilities: ['rust'] });
    expect([hana.listed, room.listed()]).toEqual([true, 3]);
    expect(room.groups()).toEqual([[hana.ticket, kenji.ticket], [rust.ticket]]);
    room.leave(hana);
    expect(room.groups()).toEqual([[kenji.ticket], [rust.ticket]]);
    expect(room.listed()).toBe(2);
    for (const waiter of [kenji, rust]) room.leave(waiter);
    expect([room.groups(), room.demands(), room.listed()]).toEqual([[], [], 0]);
  });

  it('does not count where they left while their tickets were being made', () => {
    const hana = waiter('hana');
    room.admit(hana);
    room.leave(hana);
    room.list(hana);
    expect([hana.listed, room.listed(), room.groups()]).toEqual([true, 0, []]);
  });

  it('groups tickets of other instances with those that wait here', () => {
    const { ticket: hana } = enter('hana');
    const { ticket: rust } = enter('mio', { capabilities: ['rust'] });
    const { ticket: elsewhere } = waiter('kenji', { instanceId: 'elsewhere' });
    const { ticket: one } = waiter('kenji', { repositories: ['octo/park'] });
    expect(room.group([hana, rust, elsewhere, one])).toEqual([[hana, elsewhere], [rust], [one]]);
  });
});
