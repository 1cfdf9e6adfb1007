import {
  anything,
  array,
  assert,
  constantFrom,
  integer,
  oneof,
  property,
  string,
} from 'fast-check';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { SETTINGS } from './settings.ts';

const words = constantFrom(
  'info',
  'owner/repo',
  'http://x',
  'redis://h',
  '../x',
  'a..b',
  '/abs',
  '-----BEGIN PRIVATE KEY-----',
  'a\u0000b',
  'é',
  '😀'.repeat(26),
  'x'.repeat(50),
  'x'.repeat(51),
);
const numbers = oneof(integer(), integer({ min: -1, max: 30 }), constantFrom(1.5, 65_535, 65_536));
const manyLabels = constantFrom(
  ...[100, 101].map((n) => Array.from({ length: n }, (_, i) => `l${i}`)),
);
const values = oneof(
  manyLabels,
  words,
  numbers,
  string(),
  array(words),
  array(string()),
  anything(),
);

test.each(SETTINGS.map((setting) => [setting.name, setting.kind]))(
  'what %s accepts is what its JSON schema accepts',
  (_, kind) => {
    assert(
      property(values, (value) => {
        expect(kind.accepts(value)).toBe(Value.Check(kind.schema, value));
      }),
    );
  },
);

test.each(SETTINGS.filter(({ fallback }) => fallback !== undefined).map((one) => [one.name, one]))(
  'the default of %s is allowed',
  (_, setting) => {
    expect(setting.kind.accepts(setting.fallback)).toBe(true);
  },
);
