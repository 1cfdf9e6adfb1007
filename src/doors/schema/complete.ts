// POST /tasks/{task_id}/complete

import { type Static, Type } from 'typebox';
import { LeaseToken, NOTE_MOST, Note, PrNumber, Verdict } from './fields.ts';

export const CompleteBody = Type.Object(
  {
    lease_token: LeaseToken,
    summary: Type.Optional(Note(NOTE_MOST.summary, 'what was done')),
    pr_number: Type.Optional(PrNumber),
    verdict: Type.Optional(Verdict),
    comments: Type.Optional(
      Type.Array(Note(NOTE_MOST.comment, 'a review comment'), {
        maxItems: 100,
        description: 'an array of at most 100 review comments; request_changes needs at least one',
      }),
    ),
  },
  {
    title: 'Complete',
    additionalProperties: false,
    examples: [{ lease_token: '…', summary: 'Login keeps the session now.', pr_number: 12 }],
  },
);
export type CompleteBody = Static<typeof CompleteBody>;
