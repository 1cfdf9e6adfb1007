// Verbs that are decided in core alone: this store, which decides in scripts, does not have them yet.

import { BantoError } from '../../core/errors.ts';
import type { Outbox, TaskVerbs } from '../../core/store.ts';

const refuse = async (): Promise<never> => {
  throw new BantoError('conflict', 'This is not possible with Redis yet.');
};

type Undecided = Pick<TaskVerbs, 'whose' | 'ask' | 'answer' | 'setBudget' | 'linkPull'> &
  Pick<Outbox, 'retryWrites'>;

export const undecided: Undecided = {
  whose: refuse,
  ask: refuse,
  answer: refuse,
  setBudget: refuse,
  linkPull: refuse,
  retryWrites: refuse,
};
