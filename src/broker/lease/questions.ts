// Questions that agents ask people, and the answers.

import { MOST_OPEN_QUESTIONS } from '../../core/attempt/question.ts';
import { BantoError } from '../../core/errors.ts';
import type { Broker } from '../broker.ts';
import type { Context } from '../context.ts';
import { type Listing, leaseLost, named, unknownOrUnlisted, unknownTask } from '../finish.ts';
import { notTheHolder } from './holder.ts';

const tooMany = (taskId: string) =>
  new BantoError(
    'conflict',
    `${MOST_OPEN_QUESTIONS} questions about ${taskId} are still open. Wait for an answer, go on without one, or release the task.`,
  );

export function createQuestions(
  { store, policy }: Context,
  listing: Listing,
): Pick<Broker, 'ask' | 'answer'> {
  return {
    async ask(input) {
      const { taskId } = input;
      named(taskId);
      const asked = await store.ask({ ...input, askMs: policy().askSeconds * 1000 });
      if (asked.outcome === 'ok') return { questionId: asked.questionId };
      if (asked.outcome === 'lease_lost') throw leaseLost(taskId);
      if (asked.outcome === 'forbidden') throw notTheHolder(input);
      if (asked.outcome === 'too_many') throw tooMany(taskId);
      throw await unknownOrUnlisted(taskId, listing);
    },
    async answer(input) {
      const { taskId, questionId } = input;
      named(taskId);
      const answered = await store.answer(input);
      switch (answered.outcome) {
        case 'ok':
          return answered.task;
        case 'not_found':
          throw unknownTask(taskId);
        case 'no_question':
          throw new BantoError(
            'not_found',
            `The task ${taskId} has no question ${questionId}. Look at the task to see its questions.`,
          );
        case 'conflict':
          throw new BantoError(
            'conflict',
            `The question ${questionId} of ${taskId} was answered before, and otherwise. The first answer stands.`,
          );
      }
    },
  };
}
