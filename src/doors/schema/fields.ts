// Fields that several calls share. A description says what is allowed: it is shown in /docs and
// repeated in the error sentence, which models read. Lengths count code points, hence patterns.

import { type TSchema, Type } from 'typebox';
import { ON_UNFINISHED } from '../../core/attempt/unfinished.ts';
import { TASK_KINDS, TASK_STATES } from '../../core/task.ts';

export function Nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

function OneOf<const T extends readonly string[]>(words: T, description: string) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...words], description });
}

export const Kind = OneOf(TASK_KINDS, 'implement, review or fix');
export const State = OneOf(TASK_STATES, `one of ${TASK_STATES.join(', ')}`);
export const Verdict = OneOf(['approve', 'request_changes'], 'approve or request_changes');
export const Period = OneOf(['daily', 'hourly'], 'daily or hourly');
export const OnUnfinished = OneOf(
  ON_UNFINISHED,
  'what asking while still holding a task means: complete (default), resume or release; a task that the agent was never told of is answered again, whatever this says',
);
export const PriorityWord = OneOf(['high', 'normal', 'low'], 'high, normal or low');

// One line of text that names something: no control characters, no broken UTF-16.
function Line(most: number, what: string) {
  return Type.String({
    pattern: `^[^\\p{Cc}\\p{Cs}]{1,${most}}$`,
    description: `${what} of 1–${most} characters without control characters`,
  });
}

// Free text over several lines. Escapes of a terminal log are fine, NUL is not.
export function Text(most: number, what: string) {
  return Type.String({
    pattern: `^[^\\u0000]{0,${most}}$`,
    description: `${what}: text of at most ${most} characters without NUL`,
  });
}

/** A note that is longer is cut by the door, with a mark: what was done counts more than its words. */
export function Note(most: number, what: string) {
  return Type.String({
    pattern: '^[^\\u0000]*$',
    description: `${what}: text without NUL; of more than ${most} characters the middle is cut, with a mark`,
  });
}

export const NOTE_MOST = {
  pullRequest: 60_000,
  summary: 20_000,
  comment: 10_000,
  reason: 20_000,
  progress: 4_000,
};

export const AgentId = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$',
  description:
    '1–50 of A-Z a-z 0-9 . _ -, beginning with a letter or digit, and not a ledger, priority or excluded label',
  examples: ['agent-1'],
});

export const TaskId = Type.String({
  pattern: '^[A-Za-z0-9._~-]{1,200}$',
  description: 'a task_id as request-task or GET /tasks gave it',
  examples: ['octo~shop~7~implement.1'],
});

export const LeaseToken = Type.String({
  pattern: '^[\\x21-\\x7e]{1,200}$',
  description: 'the lease.token that came with the task',
});

export const Capability = Line(50, 'a capability: a label');
export const Label = Line(50, 'a label');
export const RequestId = Type.String({
  pattern: '^[\\x21-\\x7e]{1,100}$',
  description:
    '1–100 visible ASCII characters; the same id from the same agent gets the same answer while that lease lives',
  examples: ['5f0c2f9e-3f7d-4a55-9f3b-0d4f0a6f8a11'],
});
export const Repository = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,100}(/[A-Za-z0-9._-]{1,100})?$',
  description: 'a repository: owner/name or a local name',
});

export const DelaySeconds = Type.Integer({
  minimum: 0,
  maximum: 2_592_000,
  description: 'a whole number of seconds, 0–2592000',
});

export const PrNumber = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'the number of a pull request',
});

export const Instant = Type.String({
  format: 'date-time',
  description: 'an ISO 8601 instant in UTC',
  examples: ['2026-11-15T20:17:00.000Z'],
});

export const TaskParams = Type.Object({ task_id: TaskId }, { additionalProperties: false });
