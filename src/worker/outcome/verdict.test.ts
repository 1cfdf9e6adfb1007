import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isVerdict, readVerdict } from './verdict.ts';

const good = { verdict: 'request_changes', summary: 's', comments: ['a { brace'] };

it.each([
  ['the structured answer', good, 'something else'],
  ['a structured answer as text', JSON.stringify(good), ''],
  ['the whole text', undefined, JSON.stringify(good)],
  [
    'the end of the text',
    undefined,
    `I looked at { it }.\n\n${JSON.stringify(good, null, 2)}\nThat is all.`,
  ],
  ['a fenced block', undefined, `Here:\n\`\`\`json\n${JSON.stringify(good)}\n\`\`\``],
  ['the last of two', undefined, `{"verdict":"approve"}\n${JSON.stringify(good)}`],
  ['one with objects behind it', undefined, `${JSON.stringify(good)}\n{"note": 1}`],
])('is found in %s', (_, structured, text) => {
  expect(readVerdict(structured, text)).toEqual(good);
});

it.each([
  ['no JSON at all', 'It looks good to me.', /no JSON object/],
  ['another word', '{"verdict":"lgtm"}', /"approve" or "request_changes"/],
  ['changes without a comment', '{"verdict":"request_changes","comments":[" "]}', /at least one/],
  [
    'comments that are not texts',
    '{"verdict":"approve","comments":[{"file":"a"}]}',
    /array of texts/,
  ],
  ['half a JSON', '{"verdict":"approve"', /no JSON object/],
])('is refused with a sentence for the model: %s', (_, text, problem) => {
  expect(readVerdict(undefined, text)).toEqual({ problem: expect.stringMatching(problem) });
});

it('cuts what the server would refuse', () => {
  const long = { verdict: 'request_changes', comments: Array(101).fill('x'.repeat(10_001)) };
  const verdict = readVerdict(long, '');
  expect(isVerdict(verdict) && [verdict.comments.length, verdict.comments[0]?.length]).toEqual([
    100, 10_000,
  ]);
});

it('has the shape of the schema that is shipped', () => {
  const file = new URL('../../../review-verdict.schema.json', import.meta.url);
  const schema = JSON.parse(readFileSync(file, 'utf8')) as { required: string[] };
  expect(schema.required.toSorted()).toEqual(Object.keys(good).toSorted());
});
