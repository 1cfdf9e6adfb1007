// GET and PUT of the run-time settings: /config and /flags.

import { type Static, Type } from 'typebox';
import { Nullable } from './fields.ts';

export const SettingParams = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,63}$',
      description: 'the name of a setting as GET lists it, in snake_case',
    }),
  },
  { additionalProperties: false },
);

export const FlagParams = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][a-z0-9_]{0,63}(:[A-Za-z0-9._/-]{1,201})?$',
      description:
        'maintenance, maintenance:{repository}, maintenance:{agent} or debug; a slash in it is written %2F',
    }),
  },
  { additionalProperties: false },
);

export const SettingBody = Type.Object(
  { value: Type.Unknown({ description: 'the new value' }) },
  { title: 'Setting', additionalProperties: false, examples: [{ value: 900 }] },
);
export type SettingBody = Static<typeof SettingBody>;

const words = Type.Array(Type.String());

export const ConfigAnswer = Type.Object(
  {
    lease_seconds: Type.Number(),
    review_delay_seconds: Type.Number(),
    ticket_ttl_seconds: Type.Number(),
    max_attempts: Type.Number(),
    max_review_rounds: Type.Number(),
    author_first_seconds: Type.Number(),
    excluded_labels: words,
    require_deliverables: Type.Boolean(),
    deliverables_headings: words,
    priority_labels: Type.Object(
      { high: words, normal: words, low: words },
      { additionalProperties: false },
    ),
    adopt_seconds: Type.Number(),
    max_waiting: Type.Number(),
    max_waiting_per_agent: Type.Number(),
    history_days: Type.Number(),
    ask_seconds: Type.Number(),
    max_cost_per_task_usd: Nullable(Type.Number()),
    max_tokens_per_task: Nullable(Type.Number()),
    max_cost_per_day_usd: Nullable(Type.Number()),
    max_cost_per_agent_day_usd: Nullable(Type.Number()),
  },
  { title: 'Config', additionalProperties: false },
);
export type ConfigAnswer = Static<typeof ConfigAnswer>;

export const FlagsAnswer = Type.Object(
  {
    maintenance: Type.Boolean({ description: 'stops hand-out' }),
    debug: Type.Boolean({ description: 'raises the log level' }),
  },
  {
    title: 'Flags',
    patternProperties: { '^maintenance:': Type.Boolean() },
    additionalProperties: false,
    description:
      'maintenance:{name} is listed for each repository or agent whose hand-out is stopped',
  },
);
export type FlagsAnswer = Static<typeof FlagsAnswer>;
