// Every answer that is not a success.

import { type Static, Type } from 'typebox';
import { ERROR_TABLE, type ErrorCode } from '../../core/errors.ts';

export const ErrorAnswer = Type.Object(
  {
    error: Type.String({ description: 'a sentence that says what is wrong' }),
    code: Type.Unsafe<ErrorCode>({ type: 'string', enum: Object.keys(ERROR_TABLE) }),
    detail: Type.Optional(
      Type.String({ description: 'for 503: why the server cannot serve this now, in a sentence' }),
    ),
  },
  {
    title: 'Error',
    additionalProperties: false,
    examples: [{ error: 'The field `agent_id` is missing.', code: 'invalid_request' }],
  },
);
export type ErrorAnswer = Static<typeof ErrorAnswer>;
