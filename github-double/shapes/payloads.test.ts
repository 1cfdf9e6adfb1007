// Holds every delivery against GitHub's published examples: no key that they lack, no other type.

import examples from '@octokit/webhooks-examples' with { type: 'json' };
import { expect, test } from 'vitest';
import { startGithubDouble } from '../double.ts';

type Json = Record<string, unknown>;

// GitHub sends these; the published examples of the event happen not to show them.
const UNSEEN = new Set([
  'pull_request.changes',
  'pull_request.changes.title',
  'issues.changes.title',
  'issues.changes.body',
  'issue_comment.issue.pull_request',
  'issue_comment.issue.timeline_url',
  'label.changes.name',
]);
// Null is as good as the string that the examples happen to show.
const NULLABLE =
  /\.(description|body|closed_at|merge_commit_sha|suspended_by|head_commit|language)$/;

function kind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isObject(value: unknown): value is Json {
  return kind(value) === 'object';
}

/** Every key of the event's examples, two levels deep, with the types seen. */
function known(event: string): Map<string, Set<string>> {
  const seen = new Map<string, Set<string>>();
  const add = (path: string, value: unknown) =>
    seen.set(path, (seen.get(path) ?? new Set()).add(kind(value)));
  const published = (examples as unknown as { name: string; examples: Json[] }[]).find(
    (one) => one.name === event,
  );
  for (const example of published?.examples ?? []) {
    for (const [key, value] of Object.entries(example)) {
      add(`${event}.${key}`, value);
      if (!isObject(value)) continue;
      for (const [inner, deep] of Object.entries(value)) add(`${event}.${key}.${inner}`, deep);
    }
  }
  return seen;
}

function wrong(event: string, payload: Json): string[] {
  const seen = known(event);
  const judge = (path: string, value: unknown): string[] => {
    const types = seen.get(path);
    const type = kind(value);
    if (UNSEEN.has(path)) return [];
    if (types === undefined) return [`${path} is in no example`];
    // An example that only ever shows null says nothing about the type.
    const fits = types.has(type) || (types.size === 1 && types.has('null'));
    return fits || (type === 'null' && NULLABLE.test(path)) ? [] : [`${path} is ${type}`];
  };
  return Object.entries(payload).flatMap(([key, value]) => {
    const path = `${event}.${key}`;
    const inner = isObject(value) ? Object.entries(value) : [];
    return [
      ...judge(path, value),
      ...inner.flatMap(([name, deep]) => judge(`${path}.${name}`, deep)),
    ];
  });
}

test('every delivery looks like the examples that GitHub publishes', async () => {
  const github = await startGithubDouble({ repositories: ['acme/shop', 'acme/other'] });
  github.webhooks.hold();
  const repo = 'acme/shop';
  const alice = github.as('alice');
  alice.openIssue(repo, { title: 'one', body: 'Text', labels: ['bug'] });
  alice.openIssue(repo, { title: 'two' });
  alice.edit(repo, 1, { title: 'uno', body: 'More' });
  alice.unlabel(repo, 1, 'bug');
  alice.renameLabel(repo, 'bug', 'defect');
  alice.removeLabel(repo, 'defect');
  alice.lock(repo, 1);
  alice.unlock(repo, 1);
  const { id } = alice.comment(repo, 1, 'hello');
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`${github.url}/repos/${repo}${path}`, {
      method,
      headers: { authorization: `token ${github.token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  await ask('PATCH', `/issues/comments/${id}`, { body: 'changed' });
  await ask('DELETE', `/issues/comments/${id}`);
  alice.close(repo, 1);
  alice.reopen(repo, 1);
  alice.openPull(repo, { title: 'three', head: 'feature/three', body: 'Fixes #1' });
  alice.comment(repo, 3, 'on the pull request');
  alice.label(repo, 3, 'ui');
  alice.unlabel(repo, 3, 'ui');
  alice.edit(repo, 3, { title: 'tres' });
  alice.push(repo, 'feature/three');
  alice.lock(repo, 3);
  alice.unlock(repo, 3);
  alice.requestChanges(repo, 3, 'Please');
  alice.approve(repo, 3);
  alice.close(repo, 3);
  alice.reopen(repo, 3);
  alice.merge(repo, 3);
  await ask('DELETE', '/git/refs/heads/feature/three');
  alice.transfer(repo, 2, 'acme/other');
  alice.remove('acme/other', 1);
  github.ping(repo);
  github.installationRepositories('removed', repo);
  github.installationRepositories('added', repo);
  for (const action of ['created', 'suspend', 'unsuspend', 'deleted'] as const) {
    github.installation(action);
  }
  const told = github.webhooks.held.map(({ event, action }) => `${event}.${action ?? ''}`);
  expect(new Set(told)).toEqual(
    new Set([
      ...['opened', 'edited', 'closed', 'reopened', 'labeled', 'unlabeled'].flatMap((action) => [
        `issues.${action}`,
        `pull_request.${action}`,
      ]),
      ...['locked', 'unlocked'].flatMap((action) => [`issues.${action}`, `pull_request.${action}`]),
      'issues.deleted',
      'issues.transferred',
      'pull_request.synchronize',
      'pull_request_review.submitted',
      'issue_comment.created',
      'issue_comment.edited',
      'issue_comment.deleted',
      'label.created',
      'label.edited',
      'label.deleted',
      'push.',
      'ping.',
      'installation_repositories.removed',
      'installation_repositories.added',
      'installation.created',
      'installation.suspend',
      'installation.unsuspend',
      'installation.deleted',
    ]),
  );
  for (const { event, action, body } of github.webhooks.held) {
    const payload = JSON.parse(body) as Json;
    expect(wrong(event, payload), `${event}.${action}`).toEqual([]);
  }
  const [opened] = github.webhooks.held.filter((delivery) => delivery.action === 'opened');
  const payload = JSON.parse(opened?.body ?? '') as Json & { issue: Json };
  expect(wrong('issues', { ...payload, mood: 'good' })).toEqual(['issues.mood is in no example']);
  const issue = { ...payload.issue, number: '1' };
  expect(wrong('issues', { ...payload, issue })).toEqual(['issues.issue.number is string']);
  await github.close();
});
