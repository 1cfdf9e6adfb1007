import { describe, expect, it } from 'vitest';
import { issue, NOW, task } from '../../../test/support/planning.ts';
import { because } from '../because.ts';
import type { TaskDetail } from '../store.ts';
import type { Task, TaskState } from '../task.ts';
import { pausedForAll } from './paused.ts';
import { explain } from './why.ts';

const LEASE = {
  token: 't',
  fence: 1,
  expiresAt: NOW + 60_000,
  seconds: 60,
  requestId: 'r',
  agentId: 'hana',
  leasedAt: NOW,
};

function detail(
  state: TaskState = 'ready',
  over: Partial<Task> = {},
  { id = 'o~r~7~implement.1', matchLabels = ['python'] } = {},
): TaskDetail {
  return {
    task: task(id, state, over),
    issue: { ...issue(), wanted: [], written: [], writtenAt: null, seenAt: NOW },
    matchLabels,
    attempts: [],
    history: [],
    nextHistoryCursor: null,
  };
}

const seeker = (...capabilities: string[]) => ({
  agentId: 'hana',
  capabilities,
  kinds: null,
  repositories: null,
});

function ask(found: TaskDetail, capabilities = ['python'], holds: string[] = []) {
  return explain(found, { seeker: seeker(...capabilities), holds }, null, null);
}
const ruleOf = (found: ReturnType<typeof ask>, name: string) =>
  found.rules.find(({ rule }) => rule === name);
const sentence = (found: ReturnType<typeof ask>, name: string) => ruleOf(found, name)?.detail;

describe('what an agent offers', () => {
  it.each([
    [['python', 'css'], true, 'python matches.', { matching: 'python' }],
    [['css'], false, 'none matches.', {}],
    [['*'], true, '* matches everything.', { matching: '*' }],
    [['*', 'python'], true, 'python matches.', { matching: 'python' }],
  ])('is compared with the labels: %j', (capabilities, offered, end, matching) => {
    const why = ask(detail(), capabilities);
    expect(why.offered).toBe(offered);
    const offers = capabilities.join(', ');
    expect(ruleOf(why, 'capabilities')).toEqual({
      rule: 'capabilities',
      ok: offered,
      code: 'labels',
      detail: `The issue's labels are python; hana offers ${offers}; ${end}`,
      values: { labels: 'python', agent: 'hana', offers, ...matching },
    });
  });

  it('must be * where an issue has no labels', () => {
    const bare = detail('ready', {}, { matchLabels: [] });
    expect(ask(bare, ['python']).offered).toBe(false);
    expect(ask(bare, ['*']).offered).toBe(true);
    expect(sentence(ask(bare, []), 'capabilities')).toMatch(
      /only an agent that offers \*.*nothing/,
    );
  });

  it('is review for a review, and nobody reviews what they wrote', () => {
    const id = 'o~r~7~review.1';
    const stranger = ask(detail('ready', {}, { id }), ['python']);
    expect(stranger.offered).toBe(false);
    expect(ruleOf(stranger, 'capabilities')).toMatchObject({
      ok: false,
      code: 'review_capability',
    });
    expect(ask(detail('ready', {}, { id }), ['review']).offered).toBe(true);
    const own = ask(detail('ready', { authors: ['hana'] }, { id }), ['review']);
    expect(own.summary).toBe('hana wrote the change and may not review it.');
  });
});

describe('an agent that holds', () => {
  it('this very task holds no other one', () => {
    const why = ask(detail('leased', { lease: LEASE }));
    expect(sentence(why, 'agent_free')).toBe('hana holds no other task.');
    expect(why.summary).toBe('The task is leased by hana.');
    expect(why.earliestAt).toBe(LEASE.expiresAt);
  });

  it('another task is named with it', () => {
    const why = ask(detail(), ['python'], ['o~r~9~implement.1']);
    expect(why.summary).toBe('hana still holds o~r~9~implement.1.');
  });

  it('nothing is free', () => {
    expect(sentence(ask(detail()), 'agent_free')).toBe('hana holds no task.');
  });
});

describe('the summary', () => {
  const rivals = (ahead: number) => ({ ahead, waitingAgents: 0 });

  it('says who gets it, and what comes first', () => {
    const free = { seeker: seeker('python'), holds: [] };
    expect(explain(detail(), null, null, null).summary).toBe(
      'It is offered: the next suitable agent gets it at the next request.',
    );
    expect(explain(detail(), free, rivals(0), null).summary).toMatch(
      /^It is offered: hana gets it/,
    );
    expect(explain(detail(), free, rivals(2), null).summary).toBe(
      'It is offered; hana would get 2 other task(s) first.',
    );
  });

  it('is the first rule that speaks against it, and a circle of dependencies beside it', () => {
    const held = detail('held', { reason: 'blocked_by:#9' });
    const dependencies = {
      ok: false,
      because: because('dependencies', '#7 and #9 wait for each other.'),
    };
    expect(explain(held, null, null, null, { wish: null, dependencies }).summary).toBe(
      'The task is held: it waits for #9. #7 and #9 wait for each other.',
    );
  });

  it('is that hand-out is paused, or that the budget of the day is used up', () => {
    const paused = explain(detail(), null, null, pausedForAll());
    expect(paused).toMatchObject({ offered: false, summary: 'Hand-out is paused by an operator.' });
    expect(ruleOf(ask(detail()), 'maintenance')).toMatchObject({ ok: true, code: 'not_paused' });
    const dependencies = { ok: true, because: null };
    const spent = explain(detail(), null, null, null, {
      wish: null,
      dependencies,
      budget: because('day_budget', 'Today’s budget is used up.'),
    });
    expect(spent).toMatchObject({ offered: false, summary: 'Today’s budget is used up.' });
  });

  it('names the rules that it was made of, for those who say it in other words', () => {
    const held = explain(detail('held', { reason: 'blocked_by:#9' }), null, null, pausedForAll());
    expect(held.decisive).toEqual(['state']);
    expect(held.rules[0]).toMatchObject({
      code: 'state',
      values: { state: 'held', reason: 'blocked_by:#9' },
    });
    expect(explain(detail(), null, null, null).decisive).toEqual([]);
  });

  it('has the last words of an agent as they are, whatever they are', () => {
    for (const reason of ['constructor', 'toString:x']) {
      expect(explain(detail('dead', { reason }), null, null, null).summary).toContain(reason);
    }
  });

  it('names the author to whom a fix is offered first', () => {
    const fix = detail('ready', { onlyAgent: 'kenji' }, { id: 'o~r~7~fix.1' });
    expect(ask(fix).summary).toBe('It is offered to its author kenji first.');
  });
});

describe('the earliest instant', () => {
  it.each<[TaskState, Partial<Task>, number | null]>([
    ['ready', {}, NOW],
    ['ready', { opensAt: NOW + 5 }, NOW + 5],
    ['delayed', { readyAt: NOW + 9 }, NOW + 9],
    ['held', { reason: 'no_deliverables' }, null],
    ['done', {}, null],
  ])('of a task that is %s', (state, over, at) => {
    expect(ask(detail(state, over)).earliestAt).toBe(at);
  });
});
