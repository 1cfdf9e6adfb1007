import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { isIssue, isPull, isPush } from './delivery-shapes.ts';

type Json = Record<string, unknown>;
const published = examples as unknown as readonly { name: string; examples: readonly Json[] }[];
const examplesOf = (event: string) => published.find(({ name }) => name === event)?.examples ?? [];

describe("GitHub's published examples", () => {
  it.each<[string, string, (value: unknown) => boolean]>([
    ['issues', 'issue', isIssue],
    ['issue_comment', 'issue', isIssue],
    ['pull_request', 'pull_request', isPull],
  ])('of %s are all believed', (event, field, check) => {
    // Those of a pinned issue do not say whether it is open: such an issue is read again.
    const whole = examplesOf(event).filter(({ action }) => !/^(un)?pinned$/.test(String(action)));
    const items = whole.map((one) => one[field]);
    expect(items.length).toBeGreaterThan(5);
    expect(items.filter((item) => !check(item))).toEqual([]);
  });

  it('of push are all believed', () => {
    expect(examplesOf('push').length).toBeGreaterThan(3);
    expect(examplesOf('push').filter((one) => !isPush(one))).toEqual([]);
  });
});

const ISSUE = examplesOf('issues')[0]?.['issue'] as Json;
const PULL = examplesOf('pull_request')[0]?.['pull_request'] as Json;

describe('a field of another kind', () => {
  it.each<[string, unknown]>([
    ['number', '7'],
    ['number', 0],
    ['number', 1.5],
    ['title', null],
    ['body', 5],
    ['labels', ['%', null]],
    ['labels', [[['deep']]]],
    ['labels', [{ name: {} }]],
    ['labels', 'bug'],
    ['user', { login: 7 }],
    ['user', 'ann'],
    ['created_at', 'yesterday'],
    ['updated_at', []],
    ['pull_request', null],
    ['issue_dependencies_summary', { total_blocked_by: '3' }],
  ])('is not believed of an issue (%s: %j)', (name, value) => {
    expect(isIssue({ ...ISSUE, [name]: value })).toBe(false);
  });

  it.each<[string, unknown]>([
    ['merged_at', undefined],
    ['merged_at', 'soon'],
    ['head', { ref: 'topic', repo: { full_name: ['octo'] } }],
    ['head', null],
    ['base', { ref: 'main', repo: null }],
    ['draft', 'no'],
  ])('is not believed of a pull request (%s: %j)', (name, value) => {
    expect(isPull({ ...PULL, [name]: value })).toBe(false);
  });

  it.each([
    null,
    7,
    'text',
    [],
    { ref: 1 },
    { ref: 'refs/heads/main', before: 'a', after: 'b', commits: [null] },
  ])('is not believed of a push (%j)', (push) => {
    expect(isPush(push)).toBe(false);
  });
});

it('a fork or a user that was deleted is null, and that is fine', () => {
  const { head } = PULL as { head: Json };
  expect(isPull({ ...PULL, user: null, head: { ...head, repo: null } })).toBe(true);
  expect(isIssue({ ...ISSUE, user: null, body: null })).toBe(true);
});
