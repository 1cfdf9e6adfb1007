// The verbs of a task, each one script: arguments in, one word and a task out.

import { BantoError } from '../../core/errors.ts';
import type { Ended, LeaseOutcome, Operated, TaskVerbs } from '../../core/store.ts';
import { PROGRESS_KEPT } from '../../core/task.ts';
import type { Identifiers } from './keys.ts';
import type { Link, Reply } from './link.ts';
import { fromLabels, toFields, toRow, toTask } from './rows.ts';

export const REFUSED_PREFIX = 'refused:';

type Verbs = Omit<
  TaskVerbs,
  | 'mirror'
  | 'learn'
  | 'claim'
  | 'recall'
  | 'markAnswered'
  | 'sweep'
  | 'whose'
  | 'ask'
  | 'answer'
  | 'setBudget'
  | 'linkPull'
>;

function unknownReply(word: unknown): never {
  throw new BantoError('internal', `Redis answered a verb with ${String(word)}.`);
}

function toLeaseOutcome(word: unknown): LeaseOutcome {
  if (word === 'lease_lost' || word === 'not_found' || word === 'forbidden') {
    return { outcome: word };
  }
  return unknownReply(word);
}

function toEnded([word, task, result]: Reply): Ended {
  if (word === 'ok') return { outcome: 'ok', task: toTask(toFields(task), toRow(result)) };
  if (word === 'conflict') return { outcome: word };
  return toLeaseOutcome(word);
}

function toOperated([word, task, result]: Reply): Operated {
  if (word === 'not_found') return { outcome: word };
  if (word !== 'ok' && word !== 'conflict') return unknownReply(word);
  return { outcome: word, task: toTask(toFields(task), toRow(result)) };
}

function withText<T extends { readonly ledger: readonly string[] }>(input: T) {
  return { ...input, ledger: fromLabels(input.ledger) };
}

export function createVerbs(link: Link, identifiers: Identifiers): Verbs {
  return {
    async heartbeat(input) {
      const [word, expiresAt] = await link.run('heartbeat', { ...input, notesKept: PROGRESS_KEPT });
      if (word === 'ok')
        return { outcome: 'ok', expiresAt: Number(expiresAt), stop: null, answers: [] };
      return toLeaseOutcome(word);
    },
    async complete({ followUp, ...input }) {
      const follows =
        followUp === null ? null : { ...followUp, name: identifiers.filedName(followUp.id) };
      return toEnded(await link.run('complete', { ...withText(input), followUp: follows }));
    },
    async fail({ retryable, retryDelaysMs, delayMs, ledger, deadLedger, ...input }) {
      const delaysMs = retryable ? retryDelaysMs.map((planned) => delayMs ?? planned) : [];
      return toEnded(
        await link.run('fail', {
          ...input,
          delaysMs,
          ledger: fromLabels(ledger),
          deadLedger: fromLabels(deadLedger),
        }),
      );
    },
    release: async (input) => toEnded(await link.run('release', withText(input))),
    async refuse({ fence, ...input }) {
      const heldReason = `${REFUSED_PREFIX}${input.reason}`;
      return toEnded(
        await link.run('refuse', { ...withText(input), fence: String(fence), heldReason }),
      );
    },
    prioritize: async (input) => toOperated(await link.run('prioritize', input)),
    requeue: async (input) =>
      toOperated(await link.run('requeue', { ...withText(input), refusedPrefix: REFUSED_PREFIX })),
    unlock: async (input) => toOperated(await link.run('unlock', withText(input))),
    cancel: async (input) => toOperated(await link.run('cancel', withText(input))),
  };
}
