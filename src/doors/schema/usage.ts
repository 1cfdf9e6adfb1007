// What an attempt has used so far. Totals, so that saying it twice is harmless.

import { type Static, Type } from 'typebox';
import { Nullable } from './fields.ts';

const COUNT_MAX = 1_000_000_000_000;

function Count(what: string) {
  return Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: COUNT_MAX,
      description: `${what}: a whole number, 0 or more`,
    }),
  );
}

function Word(most: number, what: string) {
  return Type.Optional(
    Type.String({
      pattern: `^[\\x21-\\x7e]{1,${most}}$`,
      description: `${what}: 1–${most} visible ASCII characters`,
    }),
  );
}

export const UsageBody = Type.Object(
  {
    model: Word(200, 'the model that did most of the work'),
    input_tokens: Count('tokens the model read, the cached ones among them'),
    output_tokens: Count('tokens the model wrote, its reasoning among them'),
    cached_tokens: Count('those of the input tokens that came from a cache'),
    cost_usd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'what it cost in US dollars: a number, 0 or more',
      }),
    ),
    turns: Count('how often the model answered'),
    session_id: Word(200, "the tool's own name for the session"),
  },
  {
    title: 'Usage',
    additionalProperties: false,
    description: 'what the attempt has used so far: totals, not differences',
  },
);
export type UsageBody = Static<typeof UsageBody>;

const Sum = Type.Integer({ minimum: 0 });

export const UsedView = Type.Object(
  {
    input_tokens: Sum,
    output_tokens: Sum,
    cached_tokens: Sum,
    cost_usd: Type.Number(),
    turns: Sum,
  },
  {
    title: 'Used',
    additionalProperties: false,
    description: 'what all attempts at the task used together, as their agents said',
  },
);
export type UsedView = Static<typeof UsedView>;

const Known = Nullable(Type.Number());

export const AttemptUsageView = Type.Object(
  {
    model: Nullable(Type.String()),
    input_tokens: Known,
    output_tokens: Known,
    cached_tokens: Known,
    cost_usd: Known,
    turns: Known,
    session_id: Nullable(Type.String()),
  },
  { title: 'AttemptUsage', additionalProperties: false },
);

export const LimitsView = Type.Object(
  { cost_usd: Known, tokens: Known },
  {
    title: 'Limits',
    additionalProperties: false,
    description: 'what an operator allows the task to use in all; null: the settings say',
  },
);
