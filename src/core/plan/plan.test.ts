import { describe, expect, it } from 'vitest';
import {
  context,
  DELIVERABLES,
  issue,
  known,
  NOW,
  task,
  wants,
} from '../../../test/support/planning.ts';
import type { Issue } from '../issue.ts';
import { DEFAULT_POLICY } from '../settings.ts';
import { planIssue } from './plan.ts';

describe('an open issue', () => {
  it('is offered when nothing speaks against it', () => {
    expect(wants(issue())).toEqual({ 'implement.1': 'ready' });
  });

  it.each([
    ['no_deliverables', issue({ body: 'no such section' })],
    ['excluded_label:epic', issue({ labels: ['python', 'EPIC'] })],
    ['excluded_label:needs-human', issue({ labels: ['needs-human'] })],
    ['malformed:the front matter is not YAML', issue({ problem: 'the front matter is not YAML' })],
    ['in_progress', issue({ labels: ['in-progress'] })],
    ['approved', issue({ labels: ['approved'] })],
  ])('is held with the reason %s', (reason, given) => {
    expect(wants(given)).toEqual({ 'implement.1': `held: ${reason}` });
  });

  it('waits for open dependencies, from the body and from the forge, but never for itself', () => {
    const given = issue({ body: `Blocked by #3, #7\n${DELIVERABLES}`, blockedBy: [4, 5] });
    const isOpen = (number: number) => number !== 5;
    expect(wants(given, null, { isOpen })).toEqual({ 'implement.1': 'held: blocked_by:#3,#4' });
    expect(planIssue(given, null, context()).dependsOn).toEqual([3, 4, 5]);
  });

  it('waits for the end of the listing before it believes that a dependency is closed', () => {
    const given = issue({ blockedBy: [4] });
    expect(wants(given, null, { listed: false })).toEqual({ 'implement.1': 'held: listing' });
    expect(wants(given, null, { listed: true })).toEqual({ 'implement.1': 'ready' });
  });

  it('needs no deliverables when the check is off', () => {
    const policy = { ...DEFAULT_POLICY, requireDeliverables: false };
    expect(wants(issue({ body: '' }), null, { policy })).toEqual({ 'implement.1': 'ready' });
  });

  it('takes the branch from the body if it is safe, never the default branch', () => {
    const branch = (body: string) => planIssue(issue({ body }), null, context()).plans[0]?.branch;
    expect(branch('Branch: bugfix/x')).toBe('bugfix/x');
    expect(branch('Branch: main')).toBe('feature/issue-7');
    expect(branch('Branch: --force')).toBe('feature/issue-7');
    expect(branch('Branch: a..b')).toBe('feature/issue-7');
    expect(branch('')).toBe('feature/issue-7');
  });

  it('matches by labels without case and without those of the ledger or of an agent', () => {
    const before = known({ written: ['in-progress', 'hana'] }, []);
    const given = issue({ labels: ['Python', 'python', 'needs-review', 'hana', 'in-progress'] });
    expect(planIssue(given, before, context()).matchLabels).toEqual(['python']);
  });

  it('has the priority of its field over that of its labels', () => {
    const priority = (over: Partial<Issue>) =>
      planIssue(issue(over), null, context()).plans[0]?.priority;
    expect(priority({ labels: ['p0'] })).toBe(100);
    expect(priority({ labels: ['P3'] })).toBe(25);
    expect(priority({ labels: ['P0'], priority: 'low' })).toBe(25);
  });
});

describe('an issue that says in-progress', () => {
  it('is left alone for a grace period when no lease explains it', () => {
    const { plans } = planIssue(issue({ labels: ['in-progress'] }), null, context());
    expect(plans[0]?.want).toEqual({ state: 'held', reason: 'in_progress', graceMs: 600_000 });
  });

  it('is cleaned and offered when the grace is over', () => {
    const held = task('o~r~7~implement.1', 'held', { reason: 'in_progress', readyAt: NOW - 1 });
    const given = issue({ labels: ['in-progress'] });
    const before = known({ labels: ['in-progress'] }, [held]);
    expect(wants(given, before)).toEqual({ 'implement.1': 'ready' });
    expect(planIssue(given, before, context())).toMatchObject({
      ledger: [],
      adopt: ['in-progress'],
    });
  });

  it('is cleaned of the name of whoever worked on it, and of no other label', () => {
    const held = task('o~r~7~implement.1', 'held', { reason: 'in_progress', readyAt: NOW - 1 });
    const labels = ['in-progress', 'hana', 'python'];
    const before = known({ labels }, [held]);
    const agents = new Set(['hana', 'kenji']);
    expect(planIssue(issue({ labels }), before, context({ agents })).adopt).toEqual([
      'in-progress',
      'hana',
    ]);
  });

  it('is not taken for foreign while a lease explains it, or our own write does', () => {
    const given = issue({ labels: ['in-progress'] });
    const leased = known({}, [task('o~r~7~implement.1', 'leased')]);
    const ready = [task('o~r~7~implement.1', 'ready')];
    expect(wants(given, leased)).toEqual({ 'implement.1': 'ready' });
    expect(wants(given, known({ written: ['in-progress'] }, ready))['implement.1']).toBe('ready');
    expect(wants(given, known({ writtenAt: NOW - 100 }, ready))['implement.1']).toBe('ready');
    expect(wants(given, known({ writtenAt: NOW - 60_000 }, ready))['implement.1']).toContain(
      'held',
    );
  });
});

describe('review', () => {
  it('begins when a person puts needs-review on an issue nobody worked on', () => {
    const given = issue({ labels: ['python', 'needs-review'] });
    expect(wants(given)).toEqual({
      'implement.1': 'held: needs_review',
      'review.1': 'delayed: review_delay',
    });
    expect(planIssue(given, null, context())).toMatchObject({ ledger: ['needs-review'] });
  });

  it('needs a pull request on forges that have them', () => {
    const given = issue({ labels: ['needs-review'] });
    const over = { hasPullRequests: true };
    expect(wants(given, null, over)['review.1']).toBe('held: no_pull_request');
  });

  it('is planned again with the issue, and closing the issue ends it', () => {
    const before = known({}, [
      task('o~r~7~implement.1', 'done'),
      task('o~r~7~review.1', 'delayed'),
    ]);
    expect(wants(issue(), before)['review.1']).toBe('delayed: review_delay');
    expect(wants(issue({ labels: ['blocked'] }), before)['review.1']).toBe(
      'held: excluded_label:blocked',
    );
    expect(wants(issue({ state: 'closed' }), before)).toEqual({
      'implement.1': 'cancelled: issue_closed',
      'review.1': 'cancelled: issue_closed',
    });
  });

  it('is not begun again by the label that Banto wrote itself', () => {
    const given = issue({ labels: ['needs-review'] });
    const before = known({ wanted: ['needs-review'] }, [task('o~r~7~implement.1', 'ready')]);
    expect(wants(given, before)).toEqual({ 'implement.1': 'ready' });
  });
});

describe('a reopened issue', () => {
  it('goes on where closing interrupted it', () => {
    const before = known({ state: 'closed' }, [
      task('o~r~7~implement.1', 'done'),
      task('o~r~7~review.1', 'cancelled'),
    ]);
    expect(Object.keys(wants(issue(), before))).toEqual(['implement.1', 'review.1']);
  });

  it('offers a review that closing interrupted, and not the work that it reviews as well', () => {
    const before = known({ state: 'closed' }, [
      task('o~r~7~implement.1', 'cancelled'),
      task('o~r~7~review.1', 'cancelled'),
    ]);
    expect(wants(issue(), before)).toEqual({
      'implement.1': 'held: needs_review',
      'review.1': 'delayed: review_delay',
    });
  });

  it('begins a new life when all its work was done', () => {
    const before = known({ state: 'closed' }, [
      task('o~r~7~implement.1', 'done'),
      task('o~r~7~review.1', 'done'),
    ]);
    expect(wants(issue(), before)).toEqual({ 'implement.101': 'ready' });
    expect(planIssue(issue(), before, context()).ledger).toEqual([]);
  });
});
