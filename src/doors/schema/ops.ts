// /health and /ready

import { type Static, Type } from 'typebox';
import { Nullable } from './fields.ts';

export const HealthAnswer = Type.Object(
  {
    status: Type.Literal('ok'),
    version: Type.String(),
    uptime_seconds: Type.Number(),
  },
  { title: 'Health', additionalProperties: false },
);
export type HealthAnswer = Static<typeof HealthAnswer>;

const Part = Type.Object(
  { ok: Type.Boolean(), error: Nullable(Type.String()) },
  { title: 'ReadyPart', additionalProperties: false },
);

export const ReadyAnswer = Type.Object(
  {
    ready: Type.Boolean(),
    store: Part,
    forge: Part,
    mirrored: Type.Boolean({ description: 'false until the backlog was read once' }),
  },
  { title: 'Ready', additionalProperties: false },
);
export type ReadyAnswer = Static<typeof ReadyAnswer>;
