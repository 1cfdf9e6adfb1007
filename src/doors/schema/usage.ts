// What an attempt has used so far. Totals, so that saying it twice is harmless.

import { type Static, Type } from 'typebox';

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
