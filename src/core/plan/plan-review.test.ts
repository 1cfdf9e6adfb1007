import { describe, expect, it } from 'vitest';
import { context, issue, known, NOW, task, wants } from '../../../test/support/planning.ts';
import type { Issue, LinkedPull } from '../issue.ts';
import type { TaskState } from '../task.ts';
import { planIssue } from './plan.ts';

const over = { hasPullRequests: true };
const pull = (more: Partial<LinkedPull> = {}): LinkedPull => ({
  number: 12,
  headBranch: 'feature/issue-7',
  state: 'open',
  endedAt: null,
  author: 'hana',
  decision: null,
  decidedAt: null,
  comments: [],
  ...more,
});
const approved = pull({ decision: 'approved', decidedAt: NOW + 60_000 });
const changes = pull({
  decision: 'changes_requested',
  decidedAt: NOW + 60_000,
  comments: ['rename it'],
});
const inReview = (state: TaskState, more = {}) =>
  known({ wanted: ['needs-review'] }, [
    task('o~r~7~implement.1', 'done'),
    task('o~r~7~review.1', state, { authors: ['hana'], prNumber: 12, ...more }),
  ]);
const plans = (given: Issue, before = inReview('ready')) => planIssue(given, before, context(over));

describe("people's reviews", () => {
  it.each(['held', 'delayed', 'ready'] as const)('approve what is %s', (state) => {
    const given = issue({ pull: approved });
    expect(wants(given, inReview(state), over)['review.1']).toBe('cancelled: approved_on_forge');
    expect(plans(given, inReview(state)).ledger).toEqual(['approved']);
  });

  it('ask for changes, which ends the review and makes the fix of that round', () => {
    const given = issue({ pull: changes });
    expect(wants(given, inReview('delayed'), over)).toMatchObject({
      'review.1': 'cancelled: changes_requested_on_forge',
      'fix.1': 'ready',
    });
    const entry = plans(given);
    expect(entry.plans.at(-1)).toMatchObject({
      create: true,
      authors: ['hana'],
      authorFirstMs: 120_000,
      reviewComments: ['rename it'],
      priority: 100,
      prNumber: 12,
      branch: 'feature/issue-7',
    });
    expect(entry.ledger).toEqual([]);
  });

  it('leave the lease of a reviewer alone', () => {
    for (const said of [approved, changes]) {
      const given = issue({ pull: said });
      expect(wants(given, inReview('leased'), over)).toMatchObject({
        'review.1': 'delayed: review_delay',
      });
      expect(plans(given, inReview('leased')).ledger).toBeUndefined();
    }
  });

  it("stand above an agent's approval, but are not asked for twice", () => {
    const result = {
      agentId: 'b',
      summary: null,
      verdict: 'approve' as const,
      comments: [],
      at: NOW,
    };
    const done = inReview('done', { result });
    expect(wants(issue({ pull: changes }), done, over)['fix.1']).toBe('ready');
    const fixed = known({}, [...done.tasks, task('o~r~7~fix.1', 'ready')]);
    expect(plans(issue({ pull: changes }), fixed).plans.filter((p) => p.create)).toHaveLength(1);
    expect(plans(issue({ pull: approved }), done).ledger).toBeUndefined();
  });

  it('say nothing about a round that began after them', () => {
    const before = inReview('ready', { createdAt: NOW + 120_000 });
    for (const said of [approved, changes]) {
      expect(wants(issue({ pull: said }), before, over)).toMatchObject({
        'review.1': 'delayed: review_delay',
      });
      expect(Object.keys(wants(issue({ pull: said }), before, over))).toHaveLength(2);
    }
  });

  it('count in the very second in which the round began', () => {
    const before = inReview('ready', { createdAt: NOW + 60_900 });
    expect(wants(issue({ pull: approved }), before, over)['review.1']).toContain('cancelled');
  });

  it('end the work on an issue that a person labelled for review', () => {
    const before = known({ wanted: ['needs-review'] }, [
      task('o~r~7~implement.1', 'held', { reason: 'needs_review' }),
      task('o~r~7~review.1', 'cancelled', { reason: 'approved_on_forge' }),
    ]);
    expect(wants(issue({ pull: approved }), before, over)['implement.1']).toBe('held: approved');
  });

  it('count even while something else keeps the issue back', () => {
    const given = issue({ labels: ['blocked'], pull: approved });
    expect(wants(given, inReview('held'), over)['review.1']).toBe('cancelled: approved_on_forge');
  });
});

describe('a pull request that ended', () => {
  it.each([
    ['merged', 'pull_merged', ['approved']],
    ['closed', 'pull_closed', []],
  ] as const)('as %s ends the round', (state, reason, ledger) => {
    const given = issue({ pull: pull({ state, endedAt: NOW + 5000 }) });
    const before = known({}, [
      task('o~r~7~implement.1', 'done'),
      task('o~r~7~review.1', 'done'),
      task('o~r~7~fix.1', 'ready'),
      task('o~r~7~review.2', 'leased'),
    ]);
    expect(wants(given, before, over)).toMatchObject({
      'fix.1': `cancelled: ${reason}`,
      'review.2': 'delayed: review_delay',
    });
    expect(plans(given, before).ledger).toEqual(ledger);
  });

  it('before this life of the issue began belongs to an earlier one', () => {
    const given = issue({ pull: pull({ state: 'merged', endedAt: NOW - 60_000 }) });
    expect(wants(given, inReview('ready'), over)['review.1']).toBe('delayed: review_delay');
  });

  it('and is open again is reviewed again', () => {
    const before = inReview('cancelled', { reason: 'pull_closed' });
    const entry = plans(issue({ pull: pull() }), before);
    expect(entry.plans.at(-1)).toMatchObject({ id: 'o~r~7~review.2', authors: ['hana'] });
    expect(entry.ledger).toEqual(['needs-review']);
    expect(Object.keys(wants(issue(), before, over))).not.toContain('review.2');
  });

  it('lets a reopened issue begin a new life', () => {
    const before = known({ state: 'closed' }, [
      task('o~r~7~implement.1', 'done'),
      task('o~r~7~review.1', 'cancelled', { reason: 'pull_merged' }),
    ]);
    const given = issue({ pull: pull({ state: 'merged', endedAt: NOW - 1 }) });
    expect(wants(given, before, over)).toEqual({ 'implement.101': 'ready' });
  });
});

describe('a pull request that an agent named', () => {
  it('is enough for its review, though nothing links it', () => {
    expect(wants(issue(), inReview('delayed'), over)['review.1']).toBe('delayed: review_delay');
    expect(wants(issue(), inReview('delayed', { prNumber: null }), over)['review.1']).toBe(
      'held: no_pull_request',
    );
  });
});

describe('a pull request without an issue', () => {
  const own = (more: Partial<Issue> = {}) =>
    issue({ subject: 'pull_request', pull: pull(), ...more });

  it('is an item of its own: only reviewed, and before anything else', () => {
    expect(wants(own(), null, over)).toEqual({ 'review.1': 'delayed: review_delay' });
    expect(planIssue(own(), null, context(over)).plans[0]).toMatchObject({
      priority: 100,
      branch: 'feature/issue-7',
      prNumber: 12,
    });
  });

  it('ends when it is approved, merged, closed or found to have an issue', () => {
    const before = known({ subject: 'pull_request' }, [task('o~r~7~review.1', 'delayed')]);
    const ends = (more: Partial<Issue>) => wants(own(more), before, over)['review.1'];
    expect(ends({ pull: approved })).toBe('cancelled: approved_on_forge');
    const state = 'closed';
    expect(ends({ state, pull: pull({ state: 'merged' }) })).toBe('cancelled: pull_merged');
    expect(ends({ state, pull: pull({ state: 'closed' }) })).toBe('cancelled: pull_closed');
    expect(ends({ state, pull: pull() })).toBe('cancelled: pull_linked');
  });
});

describe('a push', () => {
  it('is reviewed with normal priority, without a pull request', () => {
    const given = issue({ subject: 'push' });
    expect(wants(given, null, over)).toEqual({ 'review.1': 'delayed: review_delay' });
    expect(planIssue(given, null, context(over)).plans[0]?.priority).toBe(50);
  });
});

describe('an issue that the forge does not trust', () => {
  it('is held with that reason', () => {
    expect(wants(issue({ hold: 'untrusted_author' }))).toEqual({
      'implement.1': 'held: untrusted_author',
    });
  });
});
