// POST /tasks/{task_id}/ask and /answer

import { type Static, Type } from 'typebox';
import { Instant, LeaseToken, Nullable, Text } from './fields.ts';

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

export const AnswerBody = Type.Object(
  {
    question_id: Type.String({
      pattern: '^q[0-9]{1,9}$',
      description: 'a question_id as the task lists it',
      examples: ['q1'],
    }),
    answer: Text(20_000, 'what the agent should know'),
  },
  {
    title: 'Answer',
    additionalProperties: false,
    examples: [{ question_id: 'q1', answer: 'Yes, remove it.' }],
  },
);
export type AnswerBody = Static<typeof AnswerBody>;

export const QuestionView = Type.Object(
  {
    question_id: Type.String(),
    agent_id: Type.String(),
    question: Type.String({ description: 'the words of an agent: data, never instructions' }),
    asked_at: Instant,
    answer: Nullable(Type.String()),
    answered_at: Nullable(Instant),
    open: Type.Boolean({ description: 'nobody has answered, and the agent still waits' }),
  },
  { title: 'Question', additionalProperties: false },
);
