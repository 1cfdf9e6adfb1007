// The local backlog through the broker: adding and editing issues, naming tasks by their issue, and what
// is said of dependencies that cannot be met.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Forge } from '../../src/core/forge.ts';
import { makeWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});
afterEach(() => world.close());

function withoutBacklog(forge: Forge): Forge {
  const { backlog: _backlog, ...rest } = forge;
  return rest;
}

const DRAFT = { body: '', labels: ['python'], priority: null, blockedBy: [] };

describe('the backlog', () => {
  it('takes new issues, whose tasks are then offered', async () => {
    const { issue } = await world.broker.addIssue({ ...DRAFT, title: 'Fix it', priority: 'high' });
    expect(issue).toMatchObject({ number: 1, title: 'Fix it', labels: ['python'], state: 'open' });
    await world.runUntilIdle();
    expect((await world.request('hana'))?.task).toMatchObject({ number: 1, priority: 100 });
    const [listed] = await world.broker.issues();
    expect(listed?.task).toMatchObject({ id: 'repo~1~implement.1', state: 'leased' });
  });

  it('closes and reopens an issue: its task is cancelled, then offered again', async () => {
    await world.broker.addIssue({ ...DRAFT, title: 'Fix it' });
    await world.runUntilIdle();
    const closed = await world.broker.editIssue(1, { state: 'closed' });
    expect(closed.issue.state).toBe('closed');
    await world.runUntilIdle();
    expect((await world.broker.issue(1)).task?.state).toBe('cancelled');
    await world.broker.editIssue(1, { state: 'open' });
    await world.runUntilIdle();
    expect((await world.broker.issue(1)).task?.state).toBe('ready');
  });

  it('says in the history who added, edited, closed and reopened an issue', async () => {
    const { broker } = world;
    const { task } = await broker.addIssue({ ...DRAFT, title: 'Fix it' }, { by: 'hana' });
    const taskId = task?.id ?? expect.fail('its task is not there yet');
    await broker.editIssue(1, { title: 'Fix all of it' }, { by: 'ben' });
    await broker.editIssue(1, {}, { by: 'nobody' });
    await broker.editIssue(1, { state: 'closed' }, { by: 'cleo' });
    await world.runUntilIdle();
    await broker.editIssue(1, { state: 'open' });
    await world.runUntilIdle();
    const { history } = await broker.task(taskId);
    expect(history.map((fact) => [fact.type, 'by' in fact ? fact.by : null])).toEqual([
      ['accepted', null],
      ['issue_added', 'hana'],
      ['issue_edited', 'ben'],
      ['issue_closed', 'cleo'],
      ['cancelled', null],
      ['issue_reopened', null],
      ['ready', null],
    ]);
  });

  it('has what it has where nobody can write down who did it', async () => {
    const fails = await makeWorld({
      wrapStore: (store) => ({
        ...store,
        noteIssue: () => Promise.reject(new Error('away')),
      }),
    });
    const { issue } = await fails.broker.addIssue({ ...DRAFT, title: 'Fix it' });
    expect(issue.number).toBe(1);
    expect((await fails.broker.editIssue(1, { state: 'closed' })).issue.state).toBe('closed');
    await fails.close();
  });

  it('says that an issue is not there', async () => {
    const message = 'There is no issue #9 in the backlog.';
    await expect(world.broker.issue(9)).rejects.toMatchObject({ code: 'not_found', message });
    await expect(world.broker.editIssue(9, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a forge with tools of its own is edited there', async () => {
    const other = await makeWorld({ wrapForge: withoutBacklog });
    await expect(other.broker.issues()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('are on GitHub: list, open and edit them there'),
    });
    await other.close();
  });
});

describe('an issue names a task', () => {
  it('the open one first, else the last', async () => {
    await world.repository.write(7);
    await world.runUntilIdle();
    const task = await world.request('hana');
    const meant = async () => (await world.broker.tasks({ issue: 7, limit: 1 })).tasks[0]?.task;
    expect(await meant()).toMatchObject({ kind: 'implement', state: 'leased' });
    await world.broker.complete({
      taskId: task?.task.id ?? '',
      token: task?.lease.token ?? '',
      summary: null,
      prNumber: null,
      verdict: null,
      comments: [],
    });
    expect(await meant()).toMatchObject({ kind: 'review', state: 'delayed' });
    const { tasks } = await world.broker.tasks({ issue: 7, kind: 'implement', limit: 9 });
    expect(tasks.map(({ task }) => task.state)).toEqual(['done']);
    expect((await world.broker.tasks({ issue: 8, limit: 9 })).tasks).toEqual([]);
  });
});

describe('why an issue waits', () => {
  const why = async (number: number) => world.broker.why(`repo~${number}~implement.1`, null);
  const add = (title: string, blockedBy: number[]) =>
    world.broker.addIssue({ ...DRAFT, title, blockedBy });

  it('names a circle of dependencies', async () => {
    await add('One', [2]);
    await add('Two', [3]);
    await add('Three', [1]);
    await world.runUntilIdle();
    const told = await why(1);
    expect(told.offered).toBe(false);
    expect(told.summary).toMatch(
      /waits for #2\. The dependencies form a circle \(#1 → #2 → #3 → #1\)/,
    );
  });

  it('names itself and numbers that do not exist, which stop nothing', async () => {
    await add('One', [1, 99]);
    await world.runUntilIdle();
    const told = await why(1);
    expect(told.offered).toBe(true);
    expect(told.rules).toContainEqual({
      rule: 'dependencies',
      ok: true,
      detail:
        '#1 names itself as a dependency, which is ignored. #1 waits for #99, which does not exist; that is ignored.',
      code: 'dependencies',
      values: { self: '#1', unknown: '#99' },
    });
  });

  it('says nothing of a dependency that is closed', async () => {
    await add('One', []);
    await add('Two', [1]);
    await world.broker.editIssue(1, { state: 'closed' });
    await world.runUntilIdle();
    expect((await why(2)).rules.map(({ rule }) => rule)).not.toContain('dependencies');
  });
});

describe('a review', () => {
  it('that asks for changes says which', async () => {
    const review = {
      taskId: 'repo~7~review.1',
      token: 't',
      summary: null,
      prNumber: null,
      verdict: 'request_changes' as const,
    };
    for (const comments of [[], ['  ']]) {
      await expect(world.broker.complete({ ...review, comments })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('at least one comment'),
      });
    }
  });
});
