// What a delivery must look like before anything in it is believed. Every field that is read later is checked here
// once: a wrong one would fail long after the answer, and again at each try.

import type { GithubPush } from '../pushes/pushes.ts';
import type { GithubIssue, GithubPull } from '../shapes.ts';

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isInstant: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const isFlag: Check = (value) => typeof value === 'boolean';
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
/** GitHub leaves fields out of some deliveries; deleted users and forks are null. */
const maybe = (check: Check): Check => optional(orNull(check));
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const has =
  (shape: Shape): Check =>
  (value) =>
    typeof value === 'object' &&
    !Array.isArray(value) &&
    value !== null &&
    Object.entries(shape).every(([name, check]) => check((value as Record<string, unknown>)[name]));

export function isItemNumber(value: unknown): value is number {
  return isCount(value) && value !== 0;
}

const isLabel: Check = (value) => isText(value) || has({ name: maybe(isText) })(value);

const ITEM = {
  number: isItemNumber,
  title: isText,
  body: maybe(isText),
  state: isText,
  html_url: isText,
  labels: listOf(isLabel),
  draft: maybe(isFlag),
  user: maybe(has({ login: isText })),
  author_association: maybe(isText),
  created_at: isInstant,
  updated_at: isInstant,
} satisfies Shape;

const isIssueShape = has({
  ...ITEM,
  node_id: isText,
  // Its presence says that the item is a pull request.
  pull_request: optional(has({ merged_at: maybe(isText) })),
  issue_dependencies_summary: maybe(has({ total_blocked_by: maybe(isCount) })),
});

const isPullShape = has({
  ...ITEM,
  // Left out it would not mean that nothing was merged.
  merged_at: orNull(isInstant),
  closed_at: maybe(isInstant),
  merge_commit_sha: maybe(isText),
  head: has({ ref: isText, repo: maybe(has({ full_name: isText })) }),
  base: has({ ref: isText, repo: has({ full_name: isText }) }),
});

const isPushShape = has({
  ref: isText,
  before: isText,
  after: isText,
  compare: maybe(isText),
  created: maybe(isFlag),
  deleted: maybe(isFlag),
  forced: maybe(isFlag),
  pusher: maybe(has({ name: maybe(isText) })),
  sender: maybe(has({ login: maybe(isText) })),
  head_commit: maybe(has({ message: maybe(isText), timestamp: maybe(isText) })),
  commits: maybe(listOf(has({ id: isText, message: isText }))),
});

export function isIssue(value: unknown): value is GithubIssue {
  return isIssueShape(value);
}

export function isPull(value: unknown): value is GithubPull {
  return isPullShape(value);
}

export function isPush(value: unknown): value is GithubPush {
  return isPushShape(value);
}
