import { describe, expect, it } from 'vitest';
import { change, idOf, useMirrorStage } from '../../test/support/mirror-stage.ts';
import { REPOSITORY } from '../../test/support/whole-broker.ts';
import type { Issue, LinkedPull } from '../core/issue.ts';

const { open, mirror, stage, stateOf, taskOf } = useMirrorStage();

describe('a full pass', () => {
  it('makes tasks of everything that is listed, and cancels what is gone or closed', async () => {
    open();
    for (const number of [1, 2, 3]) stage.whole.put(number);
    expect(await mirror().isListed()).toBe(false);
    await mirror().fullPass();
    expect(await mirror().isListed()).toBe(true);
    expect([await stateOf(1), await stateOf(2), await stateOf(3)]).toEqual(Array(3).fill('ready'));
    stage.whole.issues.delete(1);
    stage.whole.put(2, { state: 'closed' });
    stage.whole.time.advance(1000);
    await mirror().fullPass();
    expect(await stateOf(1)).toBe('cancelled: issue_closed');
    expect(await stateOf(2)).toBe('cancelled: issue_closed');
    expect(await stateOf(3)).toBe('ready');
  });

  it('believes the issue, not a listing that lags behind', async () => {
    const listed: Issue[][] = [];
    open({
      forge: {
        async *list() {
          yield listed.shift() ?? [];
        },
      },
    });
    const one = stage.whole.put(1);
    listed.push([one], []);
    await mirror().fullPass();
    stage.whole.put(1, { title: 'Another title' });
    stage.whole.time.advance(1000);
    await mirror().fullPass();
    expect(await stateOf(1)).toBe('ready');
    expect((await stage.whole.store.task(idOf(1)))?.issue.title).toBe('Another title');
  });

  it('does not ask about what was closed before, or seen since it began', async () => {
    const read: number[] = [];
    let during: () => Promise<void> = async () => undefined;
    open({
      forge: {
        async *list() {
          await during();
          yield [];
        },
        async read(_repository, number) {
          read.push(number);
          return null;
        },
      },
    });
    await mirror().take(
      change({ issues: [stage.whole.put(1), stage.whole.put(2, { state: 'closed' })] }),
    );
    stage.whole.time.advance(1000);
    during = async () => {
      stage.whole.time.advance(1000);
      await mirror().take(change({ issues: [stage.whole.put(3)] }));
    };
    await mirror().fullPass();
    expect(read).toEqual([1]);
    expect(await stateOf(1)).toBe('cancelled: issue_closed');
    expect(await stateOf(3)).toBe('ready');
  });

  it('reads every repository, though one of them cannot be read', async () => {
    const other = 'octo/zoo';
    open({
      forge: {
        repositories: [REPOSITORY, other],
        async *list(repository) {
          if (repository === REPOSITORY) throw new Error('not now');
          yield [stage.whole.put(5, { repository: other })];
        },
      },
    });
    await expect(mirror().fullPass()).rejects.toThrow('not now');
    expect((await stage.whole.store.task(idOf(5, 'implement', other)))?.task.state).toBe('ready');
    expect(await mirror().isListed()).toBe(false);
  });

  it('judges what waited for its end: an issue that it waits for may be on a later page', async () => {
    const pages = [
      [1, 2],
      [3, 4],
    ];
    const during: (string | null)[] = [];
    open({
      forge: {
        async *list() {
          for (const page of pages) {
            yield page.map((number) => stage.whole.issues.get(number) as Issue);
            during.push(await stateOf(1));
          }
        },
      },
    });
    stage.whole.put(1, { blockedBy: [4] });
    stage.whole.put(2);
    stage.whole.put(3, { blockedBy: [99] });
    stage.whole.put(4);
    await mirror().fullPass();
    expect(during[0]).toBe('held: listing');
    expect(await stateOf(1)).toBe('held: blocked_by:#4');
    expect(await stateOf(3)).toBe('ready');
  });

  it('takes a hundred issues and more', async () => {
    open();
    for (let number = 1; number <= 130; number += 1) stage.whole.put(number);
    await mirror().fullPass();
    expect(await stateOf(130)).toBe('ready');
    for (let number = 1; number <= 130; number += 1) stage.whole.issues.delete(number);
    stage.whole.time.advance(1000);
    await mirror().fullPass();
    expect(await stateOf(1)).toBe('cancelled: issue_closed');
    expect(await stateOf(130)).toBe('cancelled: issue_closed');
  });
});

describe('a change that the forge tells', () => {
  it('closes what is gone, and opens what waited for it', async () => {
    open();
    stage.whole.put(1);
    stage.whole.put(2, { blockedBy: [1] });
    await mirror().fullPass();
    expect(await stateOf(2)).toBe('held: blocked_by:#1');
    await mirror().take(change({ gone: [1] }));
    expect(await stateOf(1)).toBe('cancelled: issue_closed');
    expect(await stateOf(2)).toBe('ready');
    await mirror().take(change({ issues: [stage.whole.put(1)] }));
    expect(await stateOf(2)).toBe('held: blocked_by:#1');
  });

  it('closes everything of a repository that was taken away', async () => {
    open();
    stage.whole.put(1);
    stage.whole.put(2);
    await mirror().fullPass();
    await mirror().take(change({}));
    expect(await stateOf(1)).toBe('ready');
    await mirror().take(change({ unreachable: true }));
    expect([await stateOf(1), await stateOf(2)]).toEqual(Array(2).fill('cancelled: issue_closed'));
  });

  it('has the labels written again that somebody renamed, where they are wanted', async () => {
    open();
    stage.whole.put(1);
    stage.whole.put(2, { labels: ['css'] });
    await stage.whole.idle();
    expect(await stage.whole.request('hana')).not.toBeNull();
    await stage.whole.idle();
    stage.whole.put(1, { labels: ['python'] });
    await mirror().take(change({ lostLabels: ['done'] }));
    await stage.whole.broker.loops.outbox.runOnce();
    expect(stage.whole.issues.get(1)?.labels).toEqual(['python']);
    await mirror().take(change({ lostLabels: ['In-Progress'] }));
    await stage.whole.broker.loops.outbox.runOnce();
    expect(stage.whole.issues.get(1)?.labels).toEqual(['python', 'in-progress', 'hana']);
  });
});

describe('labels', () => {
  it('are written again where the issue does not show what the store wants', async () => {
    open();
    stage.whole.put(1);
    await stage.whole.idle();
    await stage.whole.request('hana');
    await stage.whole.idle();
    stage.whole.time.advance(60_000);
    stage.whole.put(1, { labels: ['python'] });
    await mirror().take(change({ issues: [stage.whole.put(1)] }));
    await stage.whole.broker.loops.outbox.runOnce();
    expect(stage.whole.issues.get(1)?.labels).toEqual(['python', 'in-progress', 'hana']);
  });

  it('that say in-progress without a lease are left for a while and then cleaned', async () => {
    open({ policy: { adoptSeconds: 600 } });
    await stage.whole.broker.start();
    stage.whole.put(1, { labels: ['python', 'in-progress'] });
    await stage.whole.pass(6000);
    await mirror().fullPass();
    expect(await stateOf(1)).toBe('held: in_progress');
    await stage.whole.pass(602_000);
    await stage.whole.pass(10_000);
    expect(await stateOf(1)).toBe('ready');
    expect(stage.whole.issues.get(1)?.labels).toEqual(['python']);
  });
});

describe('a pull request that only an agent named', () => {
  const pull = (number: number): LinkedPull => ({
    number,
    headBranch: 'feature/issue-1',
    state: 'open',
    endedAt: null,
    author: null,
    decision: null,
    decidedAt: null,
    comments: [],
  });

  it('is asked for where a change was handed in, and reviewed with its issue', async () => {
    const asked: number[] = [];
    open({
      policy: { reviewDelaySeconds: 0 },
      forge: {
        hasPullRequests: true,
        async pull(_repository, number) {
          asked.push(number);
          return pull(number);
        },
      },
    });
    stage.whole.put(1);
    stage.whole.put(2, { labels: ['css'] });
    await stage.whole.idle();
    expect(asked).toEqual([]);
    const given = await stage.whole.request('hana');
    await stage.whole.broker.complete({
      taskId: idOf(1),
      token: given?.lease.token ?? '',
      summary: null,
      prNumber: 12,
      verdict: null,
      comments: [],
    });
    asked.length = 0;
    await mirror().replan(REPOSITORY, 1);
    await mirror().replan(REPOSITORY, 2);
    expect(asked).toEqual([12]);
    expect((await taskOf(1, 'review'))?.prNumber).toBe(12);
  });
});

describe('branches that issues ask for', () => {
  it('are used by the first, and the other one gets its own', async () => {
    open();
    const body = (branch: string) => `## Deliverables\nx\n\nBranch: ${branch}\n`;
    stage.whole.put(2, { body: body('login') });
    await mirror().fullPass();
    expect((await taskOf(2))?.branch).toBe('login');
    await mirror().take(change({ issues: [stage.whole.put(1, { body: body('login') })] }));
    expect((await taskOf(1))?.branch).toBe('login');
    expect((await taskOf(2))?.branch).toBe('feature/issue-2');
    stage.whole.branches.add('taken');
    await mirror().take(change({ issues: [stage.whole.put(3, { body: body('taken') })] }));
    expect((await taskOf(3))?.branch).toBe('feature/issue-3');
    await mirror().take(change({ issues: [stage.whole.put(4, { body: body('main') })] }));
    expect((await taskOf(4))?.branch).toBe('feature/issue-4');
  });

  it('are judged again when the forge can be asked', async () => {
    let away = true;
    open({
      forge: {
        async hasBranch() {
          if (away) throw new Error('away');
          return false;
        },
      },
    });
    stage.whole.put(1, { body: '## Deliverables\nx\n\nBranch: login\n' });
    await mirror().fullPass();
    expect((await taskOf(1))?.branch).toBe('feature/issue-1');
    away = false;
    await mirror().fullPass();
    expect((await taskOf(1))?.branch).toBe('login');
  });
});

describe('a branch that was made for an issue', () => {
  const body = '## Deliverables\nx\n\nBranch: login\n';

  it('stays its own, though it is there now', async () => {
    open();
    stage.whole.put(1, { body });
    await stage.whole.idle();
    const given = await stage.whole.request('hana');
    expect(stage.whole.branches).toContain('login');
    const held = { taskId: idOf(1), token: given?.lease.token ?? '' };
    await stage.whole.broker.release({ ...held, reason: null });
    await mirror().fullPass();
    expect((await taskOf(1))?.branch).toBe('login');
    stage.whole.put(2, { body: body.replace('login', 'login/part') });
    await mirror().fullPass();
    expect((await taskOf(2))?.branch).toBe('feature/issue-2');
  });

  it('that is closed keeps its name from nobody', async () => {
    open();
    stage.whole.put(1, { body });
    stage.whole.put(2, { body });
    await mirror().fullPass();
    expect((await taskOf(2))?.branch).toBe('feature/issue-2');
    await mirror().take(change({ issues: [stage.whole.put(1, { state: 'closed' })] }));
    await mirror().fullPass();
    expect((await taskOf(2))?.branch).toBe('login');
  });
});

describe('a pull request that the forge links', () => {
  const linked = (over: Partial<LinkedPull> = {}): LinkedPull => ({
    number: 20,
    headBranch: 'topic',
    state: 'open',
    endedAt: null,
    author: null,
    decision: null,
    decidedAt: null,
    comments: [],
    ...over,
  });
  it.each<[string, Partial<Issue>, number[]]>([
    ['its own', { pull: linked() }, []],
    ['a stranger’s', { pull: linked({ foreign: true }) }, [12]],
    ['the one that the agent named', { pull: linked({ number: 12, foreign: true }) }, []],
    ['none', {}, [12]],
  ])('is believed where it is %s: %#', async (_title, over, expected) => {
    const asked: number[] = [];
    open({
      policy: { reviewDelaySeconds: 0 },
      forge: {
        hasPullRequests: true,
        async pull(_repository, number) {
          asked.push(number);
          return null;
        },
      },
    });
    stage.whole.put(1);
    await stage.whole.idle();
    const given = await stage.whole.request('hana');
    await stage.whole.broker.complete({
      taskId: idOf(1),
      token: given?.lease.token ?? '',
      summary: null,
      prNumber: 12,
      verdict: null,
      comments: [],
    });
    asked.length = 0;
    stage.whole.time.advance(1000);
    await mirror().take(change({ issues: [stage.whole.put(1, over)] }));
    expect(asked).toEqual(expected);
    asked.length = 0;
    await stage.whole.broker.cancel({ taskId: idOf(1, 'review'), reason: null });
    await mirror().take(change({ issues: [stage.whole.put(1, over)] }));
    expect(asked).toEqual([]);
  });
});

it('a branch that the forge refused to an issue is not tried again', async () => {
  open({
    forge: {
      createBranch: async (_repository, branch) => (branch === 'login' ? 'exists' : 'created'),
    },
  });
  stage.whole.put(1, { body: '## Deliverables\nx\n\nBranch: login\n' });
  await stage.whole.idle();
  expect((await taskOf(1))?.branch).toBe('login');
  await stage.whole.request('hana').catch(() => null);
  await stage.whole.idle();
  expect((await taskOf(1))?.branch).toBe('feature/issue-1');
  const why = await stage.whole.broker.why(idOf(1), null);
  expect(why.rules.find(({ rule }) => rule === 'branch')?.detail).toContain('login');
});
