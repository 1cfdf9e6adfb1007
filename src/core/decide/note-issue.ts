// noteIssue: what somebody did by hand to an issue, so that the history says who. The forge has it already, and
// mirroring brings what follows from it.

import { byHand } from '../facts.ts';
import type { TaskVerbs } from '../store.ts';
import type { Verb } from './verb.ts';

export const noteIssue: Verb<Parameters<TaskVerbs['noteIssue']>[0], void> = {
  name: 'noteIssue',
  needs: ({ repository, number, taskId }) => ({
    tasks: taskId === null ? [] : [taskId],
    issue: { repository, number },
  }),
  decide(found, { repository, number, taskId, type, ...asked }, { now }) {
    const fact = { type, repository, number, ...byHand(asked) };
    const row = taskId === null ? undefined : found.task(taskId);
    if (row === undefined) return { facts: [fact], answer: undefined };
    return {
      tasks: [{ ...row, updatedAt: now }],
      facts: [{ ...fact, taskId: row.id, state: row.state }],
      answer: undefined,
    };
  },
};
