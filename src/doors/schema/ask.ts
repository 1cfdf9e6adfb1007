// POST /tasks/{task_id}/ask and /answer

import { type Static, Type } from 'typebox';
import { LeaseToken, Text } from './fields.ts';

export const AskBody = Type.Object(
  { lease_token: LeaseToken, question: Text(4_000, 'a question that only a person can answer') },
  {
    title: 'Ask',
    additionalProperties: false,
    examples: [{ lease_token: '…', question: 'May the old login page be removed?' }],
  },
);
export type AskBody = Static<typeof AskBody>;

export const AskAnswer = Type.Object(
  { question_id: Type.String({ description: 'names the question when it is answered' }) },
  { title: 'Asked', additionalProperties: false },
);
export type AskAnswer = Static<typeof AskAnswer>;
