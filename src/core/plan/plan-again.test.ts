// An issue that was planned before: whose labels it shows, which of its lives it is in, and what ends its tasks.

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
import type { Issue, LinkedPull, StoredIssue } from '../issue.ts';
import { DEFAULT_POLICY } from '../settings.ts';
import type { Task, TaskState } from '../task.ts';
import { planIssue } from './plan.ts';
import { listingMayPredateOwnWrite } from './plan-gate.ts';

describe('labels that Banto wrote itself, or may just have written', () => {
  const labels = ['python', 'Hana', 'css', 'in-progress'];
  const matched = (over: Partial<StoredIssue>, agents: string[] = []) => {
    const before = known(over, [task('o~r~7~implement.1', 'leased')]);
    const given = issue({ labels: labels.map((label) => label.toLowerCase()) });
    return planIssue(given, before, context({ agents: new Set(agents) })).matchLabels;
  };

  it('are not what the issue asks for, whether they have arrived or not', () => {
    expect(matched({})).toEqual(['css', 'hana', 'python']);
    expect(matched({ written: ['hana'] })).toEqual(['css', 'python']);
    expect(matched({ wanted: ['hana'] })).toEqual(['css', 'python']);
  });

  it('are every agent’s name for as long as the picture may be older than the write', () => {
    expect(matched({ writtenAt: NOW - 2000 }, ['hana'])).toEqual(['css', 'python']);
    expect(matched({ writtenAt: NOW - 2001 }, ['hana'])).toEqual(['css', 'hana', 'python']);
    expect(matched({ writtenAt: null }, ['hana'])).toEqual(['css', 'hana', 'python']);
  });

  it('are taken over with the name of who worked, and not matched by it any more', () => {
    const held = task('o~r~7~implement.1', 'held', { reason: 'in_progress', readyAt: NOW });
    const given = issue({ labels: ['in-progress', 'Hana', 'python'] });
    const before = known({ labels: given.labels, wanted: ['x'] }, [held]);
    const entry = planIssue(given, before, context({ agents: new Set(['Hana']) }));
    expect(entry).toMatchObject({ ledger: ['x'], adopt: ['in-progress', 'Hana'] });
    expect(entry.matchLabels).toEqual(['python']);
  });

  it.each<[string, Partial<Task>, boolean]>([
    ['its grace is over', { reason: 'in_progress', readyAt: NOW }, true],
    ['no end of its grace is known', { reason: 'in_progress', readyAt: null }, true],
    ['its grace is not over', { reason: 'in_progress', readyAt: NOW + 1 }, false],
    ['it is held for another reason', { reason: 'no_deliverables', readyAt: NOW }, false],
    ['it is held for another reason for long', { reason: 'refused:x', readyAt: NOW + 1 }, false],
  ])('are taken over where the task is held and %s: %#', (_title, over, adopts) => {
    const given = issue({ labels: ['in-progress'] });
    const before = known({ labels: given.labels }, [task('o~r~7~implement.1', 'held', over)]);
    expect(planIssue(given, before, context()).adopt).toEqual(adopts ? ['in-progress'] : undefined);
    expect(wants(given, before)['implement.1']).toBe(
      over.reason === 'in_progress' && over.readyAt === NOW + 1 ? 'held: in_progress' : 'ready',
    );
  });
});

describe('a task that somebody else’s progress held', () => {
  const given = issue({ labels: ['in-progress'] });

  it('is no reason where another task of the issue is leased', () => {
    const before = known({}, [
      task('o~r~7~implement.1', 'held', { reason: 'in_progress', readyAt: NOW + 1 }),
      task('o~r~7~review.1', 'leased'),
    ]);
    expect(wants(given, before)['implement.1']).toBe('held: needs_review');
  });

  it('is not begun by a label that was there before', () => {
    const ready = [task('o~r~7~implement.1', 'ready')];
    expect(wants(given, known({ labels: ['in-progress'] }, ready))['implement.1']).toBe('ready');
    expect(wants(given, known({ labels: [] }, ready))['implement.1']).toBe('held: in_progress');
  });
});

describe('a closed issue', () => {
  const closed = issue({ state: 'closed' });
  const ledgerOf = (state: TaskState, over: Partial<StoredIssue> = {}) => {
    const wanted = ['needs-review', 'in-progress', 'hana', 'approved'];
    const tasks = [task('o~r~7~implement.1', 'done'), task('o~r~7~review.1', state)];
    return planIssue(closed, known({ wanted, ...over }, tasks), context()).ledger;
  };

  it('keeps the outcome, not the name of whoever was at work', () => {
    expect(ledgerOf('leased')).toEqual(['needs-review', 'approved']);
    expect(ledgerOf('ready')).toBeUndefined();
    expect(ledgerOf('leased', { state: 'closed' })).toBeUndefined();
    expect(planIssue(closed, null, context()).ledger).toBeUndefined();
    const leased = [task('o~r~7~implement.1', 'leased')];
    expect(planIssue(issue(), known({}, leased), context()).ledger).toBeUndefined();
  });

  it('is not reviewed by its label', () => {
    const given = issue({ state: 'closed', labels: ['needs-review'] });
    expect(wants(given)).toEqual({ 'implement.1': 'cancelled: issue_closed' });
  });

  it.each<[Issue['subject'], 'open' | 'closed' | 'merged' | null, string]>([
    ['issue', 'merged', 'issue_closed'],
    ['pull_request', null, 'issue_closed'],
    ['pull_request', 'open', 'pull_linked'],
    ['pull_request', 'closed', 'pull_closed'],
    ['pull_request', 'merged', 'pull_merged'],
  ])('%s with a pull request that is %s ends its tasks: %s', (subject, state, reason) => {
    const pull = state === null ? null : { ...PULL, state };
    const found = wants(issue({ state: 'closed', subject, pull }));
    expect(Object.values(found)).toEqual([`cancelled: ${reason}`]);
  });
});

const PULL: LinkedPull = {
  number: 12,
  headBranch: 'topic',
  state: 'open',
  endedAt: null,
  author: null,
  decision: null,
  decidedAt: null,
  comments: [],
};

describe('a pull request', () => {
  const planOf = (kind: string, over: Partial<Issue>, tasks: Task[] = []) =>
    planIssue(issue(over), tasks.length === 0 ? null : known({}, tasks), context()).plans.find(
      ({ id }) => id.includes(kind),
    );
  const tasks = [
    task('o~r~7~implement.1', 'done', { branch: 'made' }),
    task('o~r~7~fix.1', 'ready'),
  ];

  it('is named by the work on its issue, unless a stranger opened it', () => {
    expect(planOf('implement', {})?.prNumber).toBeNull();
    expect(planOf('implement', { pull: PULL })?.prNumber).toBe(12);
    expect(planOf('implement', { pull: { ...PULL, foreign: true } })?.prNumber).toBeNull();
    expect(planOf('fix', { pull: { ...PULL, foreign: true } }, tasks)?.prNumber).toBe(12);
  });

  it('gives its branch to reviews and fixes, never to the work itself', () => {
    expect(planOf('implement', { pull: PULL })?.branch).toBe('feature/issue-7');
    expect(planOf('implement', { pull: PULL }, tasks)?.branch).toBe('made');
    expect(planOf('fix', { pull: PULL }, tasks)?.branch).toBe('topic');
    expect(planOf('fix', { pull: { ...PULL, headBranch: '-x' } }, tasks)?.branch).toBe('made');
  });

  it('keeps its branch while the work is not done, whatever other tasks say', () => {
    const open = [task('o~r~7~implement.1', 'ready', { branch: 'old' })];
    const done = [task('o~r~7~review.1', 'done', { branch: 'old' })];
    expect(planOf('implement', {}, open)?.branch).toBe('feature/issue-7');
    expect(planOf('implement', {}, done)?.branch).toBe('feature/issue-7');
  });
});

describe('a label that asks for a review', () => {
  const labelled = issue({ labels: ['needs-review'] });
  it.each<[string, Task[], boolean]>([
    ['nobody worked on it', [task('o~r~7~implement.1', 'ready')], true],
    ['an agent works on it', [task('o~r~7~implement.1', 'leased')], false],
    ['the work is done', [task('o~r~7~implement.1', 'done')], false],
    ['it was reviewed before', [task('o~r~7~review.1', 'cancelled')], false],
  ])('begins one where %s: %#', (_title, tasks, begins) => {
    const before = known({}, tasks);
    expect(wants(labelled, before)['implement.1'] === 'held: needs_review').toBe(begins);
    expect(planIssue(labelled, before, context()).adopt).toEqual(
      begins ? ['needs-review'] : undefined,
    );
  });

  it('asks for the delay of the policy', () => {
    const policy = { ...DEFAULT_POLICY, reviewDelaySeconds: 7 };
    const [, review] = planIssue(labelled, null, context({ policy })).plans;
    expect(review?.want).toMatchObject({ state: 'delayed', delayMs: 7000 });
  });
});

describe('a number that comes back as another issue', () => {
  const returns = { numbersReturn: true };
  const other = { title: 'Something else', body: `Other words\n${DELIVERABLES}` };
  const tasks = [
    task('o~r~7~implement.1', 'done'),
    task('o~r~7~review.1', 'ready'),
    task('o~r~7~fix.1', 'cancelled'),
  ];
  const asked = (over: Partial<Issue>, stored: Partial<StoredIssue>, more = returns) =>
    wants(issue(over), known(stored, tasks), more);
  const isAnother = (found: Record<string, string>) => 'implement.101' in found;

  it('begins again, and calls off what was begun for the one before', () => {
    expect(asked(other, { state: 'closed' })).toEqual({
      'implement.101': 'ready',
      'review.1': 'cancelled: issue_replaced',
    });
    const plans = planIssue(
      issue(other),
      known({ state: 'closed' }, tasks),
      context(returns),
    ).plans;
    expect(plans.map(({ create }) => create)).toEqual([true, false]);
    expect(
      planIssue(issue(other), known({ state: 'closed' }, tasks), context(returns)).ledger,
    ).toEqual([]);
  });

  it.each<[string, Partial<Issue>, Partial<StoredIssue>, boolean]>([
    ['closed before', other, { state: 'closed' }, true],
    ['under another name', { ...other, url: 'x' }, {}, true],
    ['open all the time, under the same name', other, {}, false],
    ['with the same title', { body: other.body, url: 'x' }, {}, false],
    ['with the same words', { title: other.title, url: 'x' }, {}, false],
    ['that cannot be read', { ...other, url: 'x', problem: 'no' }, {}, false],
    ['that could not be read before', { ...other, url: 'x' }, { problem: 'no' }, false],
  ])('is one that is %s: %#', (_title, over, stored, another) => {
    expect(isAnother(asked(over, stored))).toBe(another);
  });

  it('is nothing on a forge that gives every number once, or where nothing was begun', () => {
    expect(isAnother(asked({ ...other, url: 'x' }, {}, { numbersReturn: false }))).toBe(false);
    const bare = wants(issue({ ...other, url: 'x' }), known({}, []), returns);
    expect(bare).toEqual({ 'implement.1': 'ready' });
    expect(wants(issue(other), null, returns)).toEqual({ 'implement.1': 'ready' });
  });
});

describe('the rounds of a life', () => {
  it('count from the last life', () => {
    const tasks = [
      task('o~r~7~implement.1', 'done'),
      task('o~r~7~review.1', 'done'),
      task('o~r~7~implement.101', 'ready'),
    ];
    expect(wants(issue(), known({}, tasks))).toEqual({ 'implement.101': 'ready' });
  });

  it.each<[string, Task[], string[]]>([
    [
      'people ended it on the forge',
      [
        task('o~r~7~implement.1', 'done'),
        task('o~r~7~review.1', 'cancelled', { reason: 'pull_merged' }),
      ],
      ['implement.101'],
    ],
    [
      'one part of it was set aside',
      [task('o~r~7~implement.1', 'done'), task('o~r~7~review.1', 'dead')],
      ['implement.1', 'review.1'],
    ],
    ['nothing was done', [task('o~r~7~implement.1', 'cancelled')], ['implement.1']],
  ])('begin again when an issue is reopened and %s: %#', (_title, tasks, ids) => {
    expect(Object.keys(wants(issue(), known({ state: 'closed' }, tasks)))).toEqual(ids);
  });

  it('do not count a review that an operator called off', () => {
    const tasks = [
      task('o~r~7~implement.1', 'ready'),
      task('o~r~7~review.1', 'cancelled', { reason: 'operator' }),
    ];
    expect(wants(issue(), known({}, tasks))['implement.1']).toBe('ready');
    const ended = [
      task('o~r~7~implement.1', 'ready'),
      task('o~r~7~review.1', 'cancelled', { reason: 'pull_merged' }),
    ];
    expect(wants(issue(), known({}, ended))['implement.1']).toBe('held: approved');
  });

  it('do not end by a pull request that ended before this life began', () => {
    const tasks = [
      task('o~r~7~implement.1', 'done', { createdAt: NOW - 5000 }),
      task('o~r~7~review.1', 'ready', { createdAt: NOW }),
    ];
    const ended = (endedAt: number) =>
      wants(issue({ pull: { ...PULL, state: 'merged', endedAt } }), known({}, tasks))['review.1'];
    expect(ended(NOW - 4000)).toBe('cancelled: pull_merged');
    expect(ended(NOW - 5999)).toBe('cancelled: pull_merged');
    expect(ended(NOW - 6000)).toBe('delayed: review_delay');
  });
});

describe('a picture that was read just now', () => {
  const shown = issue({ updatedAt: NOW });
  it.each<[string, number | null, number, boolean]>([
    ['nothing was written', null, NOW, false],
    ['our write is young', NOW, NOW + 59_999, true],
    ['our write is a minute old', NOW, NOW + 60_000, false],
    ['our write is older than the picture', NOW - 2001, NOW, false],
  ])('may be older than our own write where %s: %#', (_title, writtenAt, now, may) => {
    expect(listingMayPredateOwnWrite(shown, known({ writtenAt }, []), now)).toBe(may);
  });
});

describe('a label that excludes an issue', () => {
  it('does so whoever put it there, unless it is one that Banto writes for itself', () => {
    const ready = [task('o~r~7~implement.1', 'ready')];
    const stored = known({ written: ['epic', 'needs-human'] }, ready);
    expect(wants(issue({ labels: ['epic'] }), stored)['implement.1']).toBe(
      'held: excluded_label:epic',
    );
    expect(wants(issue({ labels: ['needs-human'] }), stored)['implement.1']).toBe('ready');
    expect(wants(issue({ labels: ['needs-human'] }), known({}, ready))['implement.1']).toBe(
      'held: excluded_label:needs-human',
    );
  });
});

it('an approval by people ends a review, not the fix that waits beside it', () => {
  const tasks = [
    task('o~r~7~implement.1', 'done'),
    task('o~r~7~review.1', 'done'),
    task('o~r~7~fix.1', 'ready'),
  ];
  const pull: LinkedPull = { ...PULL, decision: 'approved', decidedAt: NOW + 60_000 };
  expect(wants(issue({ pull }), known({}, tasks))['fix.1']).toBe('ready');
});
