// Commands of the model test: plain data that shrinks well, run on the store and on the model alike.

import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { HandOut, TaskPlan } from '../../src/core/store.ts';
import type { TaskKind } from '../../src/core/task.ts';
import { entry, followUp, idOf, plan, sweepInput, type World } from '../contract/store/world.ts';
import { expectFactsHold } from '../support/invariants.ts';
import { MAX_ATTEMPTS, type Model, type ModelAnswer, RETRY_DELAYS_MS } from './model.ts';

const numbers = fc.integer({ min: 1, max: 3 });
const taskIds = fc
  .tuple(numbers, fc.constantFrom<TaskKind>('implement', 'implement', 'review', 'fix'))
  .map(([number, kind]) => idOf(number, kind));
const wants: fc.Arbitrary<TaskPlan['want']> = fc.constantFrom<TaskPlan['want']>(
  { state: 'ready' },
  { state: 'ready' },
  { state: 'delayed', delayMs: 40_000, reason: 'review_delay' },
  { state: 'held', reason: 'blocked', graceMs: null },
  { state: 'held', reason: 'in_progress', graceMs: 20_000 },
  { state: 'cancelled', reason: 'issue_closed' },
);
const priorities = fc.constantFrom(25, 50, 100);
/** Which of the leases ever given out the caller names: old ones too. */
const lease = fc.nat({ max: 30 });

/** `heard: false`: the answer was lost on the way, and the caller says the same again. */
const heard = fc.boolean();

export const commands = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        verb: fc.constant('mirror' as const),
        id: taskIds,
        labels: fc.subarray(['python', 'web']),
        open: fc.constantFrom(true, true, true, false),
        want: wants,
        priority: priorities,
        ledger: fc.constantFrom(undefined, [], ['approved']),
        heard,
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        verb: fc.constant('claim' as const),
        agentId: fc.constantFrom('a1', 'a2', 'a3'),
        capabilities: fc.constantFrom(['python'], ['web', 'python'], ['review'], ['*', 'review']),
        request: fc.constantFrom('r1', 'r2'),
        heard,
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        verb: fc.constantFrom('complete', 'heartbeat', 'release', 'refuse'),
        lease,
        heard,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constant('fail' as const),
        lease,
        retryable: fc.constantFrom(true, true, false),
        heard,
      }),
    },
    { weight: 3, arbitrary: fc.record({ verb: fc.constant('sweep' as const), heard }) },
    {
      weight: 3,
      arbitrary: fc.record({
        verb: fc.constantFrom('unlock', 'cancel', 'requeue', 'requeueLater'),
        id: taskIds,
        heard,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        verb: fc.constant('prioritize' as const),
        id: taskIds,
        priority: priorities,
        heard,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        verb: fc.constant('time' as const),
        // Forward by a little or past any deadline; the last sets the clock back.
        ms: fc.constantFrom(1, 20_000, 60_000, 600_000, -3_600_000),
      }),
    },
  ),
  { maxLength: 40, size: 'max' },
);

export type Command = typeof commands extends fc.Arbitrary<(infer C)[]> ? C : never;

interface Given {
  readonly id: string;
  readonly token: string;
  readonly fence: number;
}

export interface Run {
  readonly world: World;
  readonly model: Model;
  readonly given: Given[];
}

/** Says one command to both and compares the answers; then everything that can be seen. */
export async function runCommand(run: Run, command: Command): Promise<void> {
  const first = await say(run, command);
  if ('heard' in command && !command.heard) {
    const seq = await run.world.store.lastSeq();
    const second = await say(run, command);
    if (command.verb !== 'heartbeat' && command.verb !== 'requeueLater') {
      expect(second, 'the same answer to the same call').toEqual(first);
      expect(await run.world.store.lastSeq(), 'no more facts').toBe(seq);
    }
  }
  await compare(run);
}

type Answered = { outcome: string; id?: string } | null;

async function say({ world, model, given }: Run, command: Command): Promise<Answered> {
  const { store } = world;
  const agree = (real: { outcome: string }, expected: ModelAnswer): Answered => {
    if (real.outcome !== expected.outcome) {
      expect({ command, outcome: real.outcome }).toEqual({ command, outcome: expected.outcome });
    }
    return expected;
  };
  switch (command.verb) {
    case 'time':
      world.advance(command.ms);
      model.advance(command.ms);
      return null;
    case 'mirror': {
      const { id, want, priority, labels, open, ledger } = command;
      const planned = plan(id, { want, priority });
      const number = Number(id.split('~')[2]);
      const state = open ? 'open' : 'closed';
      await world.mirror(
        entry(number, {
          labels,
          issue: { state },
          plans: [planned],
          ...(ledger === undefined ? {} : { ledger }),
        }),
      );
      model.mirror(number, labels, open, planned, ledger);
      return null;
    }
    case 'claim': {
      const { agentId, capabilities, request } = command;
      const result = await world.claim(agentId, { capabilities, requestId: request });
      const handOut: HandOut | null = 'handOut' in result ? result.handOut : null;
      const token = handOut?.lease.token ?? '';
      const expected = model.claim(agentId, capabilities, request, token);
      agree(result, expected);
      expect(handOut?.task.id, 'the task that was chosen').toBe(expected.id);
      if (handOut !== null && result.outcome === 'leased' && !handOut.replay) {
        given.push({ id: handOut.task.id, token, fence: handOut.lease.fence });
      }
      return expected;
    }
    case 'complete':
    case 'heartbeat':
    case 'release':
    case 'refuse':
    case 'fail':
      return agree(...(await sayAsHolder({ world, model, given }, command)));
    case 'sweep': {
      await store.sweep(sweepInput({ maxAttempts: MAX_ATTEMPTS, ...LEDGERS }));
      model.sweep();
      return null;
    }
    case 'unlock':
      return agree(
        await store.unlock({ taskId: command.id, ledger: [] }),
        model.unlock(command.id),
      );
    case 'cancel': {
      const input = { taskId: command.id, reason: 'operator', ledger: [] };
      return agree(await store.cancel(input), model.cancel(command.id));
    }
    case 'requeue':
    case 'requeueLater': {
      const delayMs = command.verb === 'requeue' ? 0 : 25_000;
      const input = { taskId: command.id, delayMs, ledger: [] };
      return agree(await store.requeue(input), model.requeue(command.id, delayMs));
    }
    case 'prioritize': {
      const { id: taskId, priority } = command;
      return agree(
        await store.prioritize({ taskId, priority }),
        model.prioritize(taskId, priority),
      );
    }
  }
}

const all = (labels: readonly string[]) => ({ implement: labels, review: labels, fix: labels });
const LEDGERS = { ledger: all([]), deadLedger: all(['needs-human']) };
const FOLLOWS = { implement: 'review', review: 'fix', fix: 'review' } as const;

type HoldersCommand = Extract<Command, { lease: number }>;

async function sayAsHolder(
  { world, model, given }: Run,
  command: HoldersCommand,
): Promise<[{ outcome: string }, ModelAnswer]> {
  const { store } = world;
  const forged = { id: idOf(1), token: 'forged', fence: 1 };
  const { id, token, fence } = given[command.lease % (given.length + 1)] ?? forged;
  const input = { taskId: id, token };
  switch (command.verb) {
    case 'heartbeat':
      return [await store.heartbeat({ ...input, progress: null }), model.heartbeat(id, token)];
    case 'release':
      return [
        await store.release({ ...input, reason: null, ledger: [] }),
        model.release(id, token),
      ];
    case 'refuse': {
      const refusal = { taskId: id, fence, reason: 'gone', holdMs: 60_000, ledger: [] };
      return [await store.refuse(refusal), model.refuse(id, token)];
    }
    case 'fail': {
      const { retryable } = command;
      const how = { reason: 'broke', retryable, retryDelaysMs: RETRY_DELAYS_MS, delayMs: null };
      const ledgers = { ledger: [], deadLedger: ['needs-human'] };
      return [await store.fail({ ...input, ...how, ...ledgers }), model.fail(id, token, retryable)];
    }
    case 'complete': {
      const [, , number, name = ''] = id.split('~');
      const kind = FOLLOWS[name.split('.')[0] as TaskKind];
      const next = {
        id: idOf(Number(number), kind),
        delayMs: kind === 'review' ? 50_000 : 0,
        firstMs: kind === 'fix' ? 30_000 : 0,
      };
      const made = followUp(next.id, {
        state: next.delayMs > 0 ? 'delayed' : 'ready',
        reason: 'review_delay',
        delayMs: next.delayMs,
        authorFirstMs: next.firstMs,
      });
      const result = { summary: null, prNumber: null, verdict: null, comments: [], comment: null };
      const ending = { ...input, ...result, followUp: made, ledger: ['needs-review'] };
      return [await store.complete(ending), model.complete(id, token, next)];
    }
  }
}

async function compare({ world, model }: Run): Promise<void> {
  const { store } = world;
  if ((await store.now()) !== model.now()) expect(await store.now()).toBe(model.now());
  const { tasks } = await store.tasks({ limit: 100 });
  const seen = tasks.map((task) => ({
    id: task.id,
    state: task.state,
    reason: task.reason,
    priority: task.priority,
    attempts: task.attempts,
    readyAt: task.readyAt,
    holder: task.lease?.agentId ?? null,
    token: task.lease?.token ?? null,
    expiresAt: task.lease?.expiresAt ?? null,
    authors: task.authors,
    onlyAgent: task.onlyAgent,
    opensAt: task.opensAt,
    createdAt: task.createdAt,
  }));
  const expected = [...model.tasks.values()].map((task) => ({
    id: task.id,
    state: task.state,
    reason: task.reason,
    priority: task.priority,
    attempts: task.attempts,
    readyAt: task.readyAt,
    holder: task.lease?.agentId ?? null,
    token: task.lease?.token ?? null,
    expiresAt: task.lease?.expiresAt ?? null,
    authors: task.authors,
    onlyAgent: task.onlyAgent,
    opensAt: task.opensAt,
    createdAt: task.createdAt,
  }));
  const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
  seen.sort(byId);
  expected.sort(byId);
  // The matcher explains well and compares slowly: it is asked only when there is something to explain.
  if (!isDeepStrictEqual(seen, expected)) expect(seen).toEqual(expected);
}

/** Once at the end of a run: counts, the registry, labels that converge, and the invariants. */
export async function compareAtTheEnd({ world, model }: Run): Promise<void> {
  const { store } = world;
  const states = new Map([...model.tasks.values()].map(({ id, state }) => [id, state]));
  expectFactsHold(await world.facts(), states);
  const ready = [...states.values()].filter((state) => state === 'ready').length;
  const { counts } = await store.queue(10);
  expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(states.size);
  expect(counts.filter(({ state }) => state === 'ready').reduce((sum, c) => sum + c.count, 0)).toBe(
    ready,
  );
  const peeks = await store.peek((await store.registry()).buckets, 100);
  expect(peeks.reduce((sum, peek) => sum + peek.ready, 0)).toBe(ready);
  const filled = peeks.filter((peek) => peek.ready > 0).map(({ bucket }) => bucket);
  expect((await store.filled()).toSorted()).toEqual(filled.toSorted());
  expect(peeks.reduce((sum, peek) => sum + peek.scores.length, 0)).toBe(ready);

  // What somebody else had to write, and never spoke of, is followed by another write.
  for (let rounds = 0; rounds < 2; rounds += 1) {
    world.advance(3_600_000);
    for (const write of await store.takeWrites(100, 1)) {
      const wanted = model.issues.get(write.number)?.wanted ?? [];
      const labels = write.type === 'labels' ? wanted : null;
      await store.settleWrite(write, { outcome: 'written', labels });
    }
  }
  expect((await store.queue(0)).outbox.pending).toBe(0);
  for (const { issue } of await store.issuesNumbered('octo/park', [1, 2, 3])) {
    expect(issue.wanted).toEqual(model.issues.get(issue.number)?.wanted);
    expect(issue.written).toEqual(issue.wanted);
  }
}
