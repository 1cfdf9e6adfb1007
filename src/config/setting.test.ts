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
import { DEFAULT_POLICY, type Policy, policyProblem } from '../core/settings.ts';
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

const PRIORITY = 'PRIORITY_LABELS_';
const KEYS = (Object.keys(DEFAULT_POLICY) as (keyof Policy)[]).flatMap<[string, keyof Policy]>(
  (key) => {
    const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return key === 'priorityLabels'
      ? ['HIGH', 'NORMAL', 'LOW'].map((level) => [`${PRIORITY}${level}`, key])
      : [[name, key]];
  },
);
const EDGES = [0, 1, 9, 10, 99, 100, 1000, 3650, 1e6, 86_400, 604_800, 2_592_000];
const edges = constantFrom(...EDGES, ...EDGES.map((edge) => edge + 1));

test.each(KEYS)('%s accepts at start what may be set while Banto runs', (name, key) => {
  const kind = SETTINGS.find((setting) => setting.name === name)?.kind;
  const atRunTime = (value: unknown) => {
    const level = name.slice(PRIORITY.length).toLowerCase();
    const labels = { high: [], normal: [], low: [], [level]: value };
    return policyProblem(key, key === 'priorityLabels' ? labels : value) === null;
  };
  assert(
    property(oneof(values, edges, array(values)), (value) => {
      expect(atRunTime(value)).toBe(kind?.accepts(value));
    }),
  );
  expect(policyProblem(key, DEFAULT_POLICY[key])).toBeNull();
});

test.each<[keyof Policy, unknown, RegExp]>([
  ['leaseSeconds', 9, /a whole number from 10 to 86400/],
  ['maxReviewRounds', 100, /from 1 to 99/],
  ['requireDeliverables', 'yes', /true or false/],
  ['excludedLabels', ['a\nb'], /a list of 0 to 100 different labels of 1 to 50 characters/],
  ['deliverablesHeadings', [], /1 to 100 different headings/],
  ['priorityLabels', { high: [] }, /high, normal and low/],
])('a bad %s is refused with what is allowed', (key, value, words) => {
  expect(policyProblem(key, value)).toMatch(words);
});

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
