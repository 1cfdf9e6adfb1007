// When the mirror lists, polls and plans again, and what instances know of it.

import { describe, expect, it } from 'vitest';
import { change, useMirrorStage } from '../../test/support/mirror-stage.ts';
import { makeWholeBroker } from '../../test/support/whole-broker.ts';
import { ForgeBusy } from '../core/forge.ts';

const { open, mirror, stage, stateOf, taskOf } = useMirrorStage();

describe('the loop', () => {
  it('lists first, polls from then on, and lists again after a while', async () => {
    const calls: string[] = [];
    open({
      forge: {
        async *list() {
          calls.push('list');
          yield [...stage.whole.issues.values()];
        },
        async changes(repository, cursor) {
          calls.push(`changes since ${cursor}`);
          return { change: { repository, issues: [], gone: [] }, cursor: `c${calls.length}` };
        },
      },
    });
    await stage.whole.broker.start();
    await stage.whole.pass(1000);
    expect(calls).toEqual(['list']);
    await stage.whole.pass(5000);
    await stage.whole.pass(5000);
    expect(calls).toEqual(['list', 'changes since null', 'changes since c2']);
    calls.length = 0;
    await stage.whole.pass(300_000);
    expect(calls.filter((call) => call === 'list')).toEqual(['list']);
    expect(calls.length).toBeGreaterThan(50);
  });

  it('waits for as long as the forge asks, and everything still counts as listed', async () => {
    let busy = false;
    let asked = 0;
    open({
      forge: {
        async changes(repository) {
          asked += 1;
          if (busy) throw new ForgeBusy(120_000, 'rate limit');
          return { change: { repository, issues: [], gone: [] }, cursor: null };
        },
      },
    });
    await stage.whole.broker.start();
    await stage.whole.pass(6000);
    expect(asked).toBe(1);
    busy = true;
    await stage.whole.pass(5000);
    expect(asked).toBe(2);
    busy = false;
    await stage.whole.pass(119_000);
    expect(asked).toBe(2);
    expect(await stage.whole.store.listed()).toBe(true);
    await stage.whole.pass(2000);
    expect(asked).toBe(3);
  });

  it('takes in what a poll finds, and tries a poll that failed again from the same place', async () => {
    const cursors: (string | null)[] = [];
    let broken = false;
    open({
      forge: {
        async changes(repository, cursor) {
          cursors.push(cursor);
          if (broken) throw new Error('away');
          return { change: { repository, issues: [stage.whole.put(9)], gone: [] }, cursor: 'next' };
        },
      },
    });
    await stage.whole.broker.start();
    await stage.whole.pass(6000);
    expect(await stateOf(9)).toBe('ready');
    broken = true;
    await stage.whole.pass(5000);
    broken = false;
    await stage.whole.pass(5000);
    expect(cursors).toEqual([null, 'next', 'next']);
    expect(stage.whole.warnings).toContain('mirror failed; it will try again');
  });

  it('plans again when a setting changes, but only what was listed', async () => {
    open({ policy: { requireDeliverables: true } });
    await stage.whole.broker.start();
    await stage.whole.pass(1000);
    stage.whole.put(1, { body: 'nothing' });
    await mirror().fullPass();
    expect(await stateOf(1)).toBe('held: no_deliverables');
    await stage.whole.broker.putConfig('require_deliverables', false);
    await stage.whole.rest();
    expect(await stateOf(1)).toBe('ready');
  });

  it('of an instance that does not lead does nothing', async () => {
    const calls: string[] = [];
    open({
      forge: {
        async *list() {
          calls.push('list');
          yield [];
        },
      },
    });
    await stage.whole.store.lead('leader', 'another', 20_000);
    await stage.whole.broker.start();
    await stage.whole.pass(15_000);
    expect(calls).toEqual([]);
    await stage.whole.pass(7000);
    expect(calls).toEqual(['list']);
  });
});

describe('that everything was listed', () => {
  it('is known to other instances for as long as somebody follows the changes', async () => {
    open();
    await mirror().fullPass();
    expect(await stage.whole.store.listed()).toBe(true);
    stage.whole.time.advance(59_999);
    expect(await stage.whole.store.listed()).toBe(true);
    stage.whole.time.advance(1);
    expect(await stage.whole.store.listed()).toBe(false);
    expect(await mirror().isListed()).toBe(true);
    await mirror().runOnce();
    expect(await stage.whole.store.listed()).toBe(true);
  });

  it('is known for several polls, where these are far apart', async () => {
    open({}, { pollMs: 40_000 });
    await mirror().fullPass();
    stage.whole.time.advance(119_999);
    expect(await stage.whole.store.listed()).toBe(true);
    stage.whole.time.advance(1);
    expect(await stage.whole.store.listed()).toBe(false);
  });

  it('is renewed by every turn, and by every page of a listing', async () => {
    let pages = 0;
    open({
      forge: {
        async *list() {
          for (; pages > 0; pages -= 1) {
            stage.whole.time.advance(40_000);
            yield [];
          }
        },
      },
    });
    await mirror().fullPass();
    stage.whole.time.advance(50_000);
    await mirror().runOnce();
    stage.whole.time.advance(50_000);
    expect(await stage.whole.store.listed()).toBe(true);
    pages = 3;
    await mirror().fullPass();
    expect(await stage.whole.store.listed()).toBe(true);
  });

  it('is told again by who knows it, where the mark was forgotten, and what waited is judged', async () => {
    open();
    stage.whole.put(1);
    await mirror().fullPass();
    stage.whole.time.advance(60_000);
    const other = makeWholeBroker({ beside: stage.whole });
    const waits = stage.whole.put(2, { blockedBy: [99] });
    const plain = stage.whole.put(3, { body: 'nothing' });
    await other.broker.loops.mirror.take(change({ issues: [waits, plain] }));
    expect(await stateOf(2)).toBe('held: listing');
    await mirror().runOnce();
    expect(await stage.whole.store.listed()).toBe(true);
    expect(await stateOf(2)).toBe('ready');
    await other.broker.stop();
  });

  it('is not said by an instance that listed nothing', async () => {
    open({
      forge: {
        list() {
          throw new Error('away');
        },
      },
    });
    await mirror()
      .runOnce()
      .catch(() => undefined);
    expect(await stage.whole.store.listed()).toBe(false);
    expect(await mirror().isListed()).toBe(false);
  });
});

describe('what happens once in a while', () => {
  it('asks for the default branch of a repository once, and again where that failed', async () => {
    let asked = 0;
    let away = true;
    open({
      forge: {
        async defaultBranch() {
          asked += 1;
          if (away) throw new Error('away');
          return 'trunk';
        },
      },
    });
    stage.whole.put(1, { body: '## Deliverables\nx\n\nBranch: trunk\n' });
    await expect(mirror().fullPass()).rejects.toThrow('away');
    away = false;
    await mirror().fullPass();
    await mirror().fullPass();
    expect(asked).toBe(2);
    expect((await taskOf(1))?.branch).toBe('feature/issue-1');
  });

  it('lists again when the store has lost its data', async () => {
    let generation = 'one';
    let lists = 0;
    open({
      wrapStore: (store) => ({ ...store, generation: () => generation }),
      forge: {
        async *list() {
          lists += 1;
          yield [];
        },
      },
    });
    await mirror().runOnce();
    await mirror().runOnce();
    expect(lists).toBe(1);
    generation = 'two';
    expect(await mirror().isListed()).toBe(true);
    await mirror().runOnce();
    expect(lists).toBe(2);
    await mirror().runOnce();
    expect(lists).toBe(2);
  });

  it('lists again when a grace is over, and not before', async () => {
    let lists = 0;
    open({
      policy: { adoptSeconds: 60 },
      forge: {
        async *list() {
          lists += 1;
          yield [...stage.whole.issues.values()];
        },
      },
    });
    stage.whole.put(1, { labels: ['python', 'In-Progress'] });
    stage.whole.put(2);
    stage.whole.put(3, { body: 'nothing' });
    await mirror().runOnce();
    expect(await stateOf(1)).toBe('held: in_progress');
    stage.whole.time.advance(60_999);
    await mirror().runOnce();
    expect(lists).toBe(1);
    stage.whole.time.advance(1);
    await mirror().runOnce();
    expect(lists).toBe(2);
    expect(await stateOf(1)).toBe('ready');
    await mirror().runOnce();
    expect(lists).toBe(2);
  });

  it('takes the names of agents off with foreign progress, but not what somebody is able to do', async () => {
    open({ policy: { adoptSeconds: 1 } });
    stage.whole.put(9, { labels: ['ruby'] });
    await stage.whole.idle();
    await stage.whole.request('hana', { capabilities: ['css'] });
    await stage.whole.request('css', { capabilities: ['python'] });
    stage.whole.put(1, { labels: ['css', 'hana', 'in-progress'] });
    stage.whole.put(2, { labels: ['hana'] });
    await stage.whole.idle();
    stage.whole.time.advance(2000);
    await stage.whole.idle();
    expect(stage.whole.issues.get(1)?.labels).toEqual(['css']);
    expect(stage.whole.issues.get(2)?.labels).toEqual(['hana']);
  });

  it('plans nothing again before everything was listed', async () => {
    let visited = 0;
    open({
      wrapStore: (store) => ({
        ...store,
        openIssues(...call) {
          visited += 1;
          return store.openIssues(...call);
        },
      }),
    });
    mirror().replanSoon();
    await stage.whole.rest();
    expect(visited).toBe(0);
    await mirror().fullPass();
    visited = 0;
    mirror().replanSoon();
    await stage.whole.rest();
    expect(visited).toBeGreaterThan(0);
  });

  it('believes its own writes for a while, and then what a listing shows', async () => {
    open();
    stage.whole.put(1);
    await stage.whole.idle();
    await stage.whole.request('hana');
    await stage.whole.idle();
    const shown = stage.whole.put(1, { labels: ['python'] });
    const lookAgain = async () => {
      await mirror().take(change({ issues: [{ ...shown }] }));
      await stage.whole.broker.loops.outbox.runOnce();
      return stage.whole.issues.get(1)?.labels;
    };
    expect(await lookAgain()).toEqual(['python']);
    stage.whole.time.advance(59_999);
    expect(await lookAgain()).toEqual(['python']);
    stage.whole.time.advance(1);
    expect(await lookAgain()).toEqual(['python', 'in-progress', 'hana']);
  });

  it('calls off the tasks of a number that comes back as another issue', async () => {
    open({ forge: { numbersReturn: true } });
    stage.whole.put(1);
    await mirror().fullPass();
    stage.whole.time.advance(1000);
    const other = { title: 'Else', body: '## Deliverables\nelse', url: 'https://x.invalid/else' };
    await mirror().take(change({ issues: [stage.whole.put(1, other)] }));
    expect(await stateOf(1)).toBe('cancelled: issue_replaced');
    expect((await stage.whole.store.task(`octo~park~1~implement.101`))?.task.state).toBe('ready');
  });
});
