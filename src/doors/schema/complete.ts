// POST /tasks/{task_id}/complete

import { type Static, Type } from 'typebox';
import { LeaseToken, NOTE_MOST, Note, PrNumber, Verdict } from './fields.ts';
import { UsageBody } from './usage.ts';

const PullRequestBody = Type.Object(
  {
    title: Type.String({
      pattern: '^[^\\p{Cc}\\p{Cs}]{1,256}$',
      description: 'one line of 1–256 characters without control characters',
    }),
    body: Type.Optional(Note(NOTE_MOST.pullRequest, 'what the pull request says')),
  },
  {
    title: 'PullRequest',
    additionalProperties: false,
    description:
      'the pull request to open from the branch, where the forge has them and there is none',
  },
);

export const CompleteBody = Type.Object(
  {
    lease_token: LeaseToken,
    summary: Type.Optional(Note(NOTE_MOST.summary, 'what was done')),
    pr_number: Type.Optional(PrNumber),
    pull_request: Type.Optional(PullRequestBody),
    usage: Type.Optional(UsageBody),
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
