// An operator: pauses and resumes, moves tasks, answers questions. Through whichever instance is up.

import type { RunningBroker } from '../../../src/broker/create-broker.ts';
import { BantoError } from '../../../src/core/errors.ts';
import type { Task } from '../../../src/core/task.ts';
import type { Dice } from '../engine/dice.ts';
import { REPOSITORY } from '../world/remote.ts';
import type { World } from '../world/world.ts';

export interface Operator {
  act(dice: Dice): void;
  pause(dice: Dice, agentId: string): void;
  resumeAll(): Promise<void>;
  /** What waits for a person's word is let go. */
  letGo(): Promise<void>;
}

const EXPECTED = ['busy', 'conflict', 'not_found', 'stopping'];
const PAUSED_FOR_MS = 15_000;

export function createOperator(world: World): Operator {
  const { time, tell, count, find } = world;

  async function tolerant(what: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (error instanceof BantoError && EXPECTED.includes(error.code)) return;
      find('error', `an operator's ${what} failed with ${String(error)}`);
    }
  }

  async function aTask(dice: Dice): Promise<Task | null> {
    const numbers = [...world.remote.issues.keys()];
    const number = numbers[dice.below(Math.max(1, numbers.length))] ?? 0;
    const found = await world.backing.raw()?.issuesNumbered(REPOSITORY, [number]);
    return found?.[0]?.tasks.at(-1) ?? null;
  }

  async function operate(broker: RunningBroker, dice: Dice): Promise<void> {
    const task = await aTask(dice);
    if (task === null) return;
    const { id: taskId } = task;
    const choice = dice.below(6);
    const deed =
      ['requeue', 'unlock', 'prioritize', 'cancel', 'retryLedger', 'answer'][choice] ?? '';
    tell(() => `An operator says ${deed} for ${taskId}.`);
    if (deed === 'requeue') await broker.requeue({ taskId, delaySeconds: dice.below(10) });
    else if (deed === 'unlock') await broker.unlock({ taskId });
    else if (deed === 'prioritize')
      await broker.prioritize({ taskId, priority: dice.pick([25, 50, 100]) });
    else if (deed === 'cancel' && dice.chance(0.2)) await broker.cancel({ taskId, reason: null });
    else if (deed === 'retryLedger') await broker.retryLedger();
    else if (deed === 'answer') {
      const question = task.questions.at(-1);
      if (question !== undefined)
        await broker.answer({ taskId, questionId: question.id, answer: 'The left one.' });
    }
  }

  async function putFlag(flag: string, value: boolean): Promise<void> {
    const broker = world.anyBroker();
    if (broker === null) {
      if (!value) time.after(1000, () => void putFlag(flag, value));
      return;
    }
    let done = false;
    await tolerant('flag', async () => {
      await broker.putFlag(flag, value);
      done = true;
    });
    if (!done && !value) time.after(1000, () => void putFlag(flag, value));
  }

  return {
    act(dice) {
      const broker = world.anyBroker();
      if (broker === null) return;
      count('deeds of operators');
      void tolerant('verb', () => operate(broker, dice));
    },
    pause(dice, agentId) {
      const flag = dice.pick([
        'maintenance',
        `maintenance:${REPOSITORY}`,
        `maintenance:${agentId}`,
      ]);
      tell(() => `An operator sets ${flag}.`);
      void putFlag(flag, true);
      // A process that died with the call may have set it, or not: it is taken back in any case.
      time.after(dice.below(PAUSED_FOR_MS), () => {
        tell(() => `An operator takes ${flag} back.`);
        void putFlag(flag, false);
      });
    },
    async resumeAll() {
      const broker = world.anyBroker();
      if (broker === null) return;
      const { paused, maintenance } = await broker.flags();
      if (maintenance) await broker.putFlag('maintenance', false);
      for (const name of paused) await broker.putFlag(`maintenance:${name}`, false);
    },
    async letGo() {
      const broker = world.anyBroker();
      if (broker === null) return;
      let cursor: string | undefined;
      do {
        const page = await broker.tasks({
          state: 'held',
          limit: 200,
          ...(cursor === undefined ? {} : { cursor }),
        });
        for (const { task } of page.tasks) {
          if (task.reason?.startsWith('refused:') !== true) continue;
          await tolerant('requeue', () => broker.requeue({ taskId: task.id, delaySeconds: 0 }));
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}
