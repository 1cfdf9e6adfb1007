// What agents report about their work, so that the same words are said when a report is repeated.

import type { Assignment } from '../../../src/broker/broker.ts';
import type { RunningBroker } from '../../../src/broker/create-broker.ts';
import type { Verdict } from '../../../src/core/task.ts';
import type { HoldersVerb } from '../checks/answers.ts';
import { type Dice, mix } from '../engine/dice.ts';

/** Whoever works on one of these fails, until a person has to look. */
const POISON_EVERY = 19;

export interface Ending {
  readonly verb: 'complete' | 'fail' | 'release';
  readonly retryable: boolean;
  readonly delaySeconds: number | null;
}

export const isPoison = ({ task }: Assignment): boolean => task.number % POISON_EVERY === 0;

export function endingFor(given: Assignment, _process: number, dice: Dice): Ending {
  const choice = dice.next();
  const good = isPoison(given) ? 0 : 0.75;
  const verb = choice < good ? 'complete' : choice < 0.93 ? 'fail' : 'release';
  const delaySeconds = dice.chance(0.5) ? dice.below(20) : null;
  return { verb, retryable: dice.chance(0.95), delaySeconds };
}

function verdictOf({ task }: Assignment): Verdict | null {
  if (task.kind !== 'review') return null;
  return mix(task.number, task.round) % 3 === 0 ? 'request_changes' : 'approve';
}

export async function report(
  broker: RunningBroker,
  verb: HoldersVerb,
  given: Assignment,
  process: number,
  ending: Ending | null,
): Promise<{ readonly expiresAt?: number }> {
  const held = { taskId: given.task.id, token: given.lease.token };
  const delaySeconds = ending?.delaySeconds ?? null;
  switch (verb) {
    case 'heartbeat': {
      const { expiresAt } = await broker.heartbeat({ ...held, progress: null });
      return { expiresAt };
    }
    case 'ask':
      await broker.ask({ ...held, question: 'Which of the two?' });
      return {};
    case 'complete': {
      const verdict = verdictOf(given);
      const comments = verdict === 'request_changes' ? ['Once more, please.'] : [];
      const result = { summary: `done by process ${process}`, prNumber: null, verdict, comments };
      await broker.complete({ ...held, ...result });
      return {};
    }
    case 'fail': {
      const retryable = ending?.retryable ?? true;
      await broker.fail({
        ...held,
        reason: `broke in process ${process}`,
        retryable,
        delaySeconds,
      });
      return {};
    }
    case 'release':
      await broker.release({ ...held, reason: null, delaySeconds });
      return {};
  }
}
