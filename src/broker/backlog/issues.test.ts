import { afterEach, describe, expect, it } from 'vitest';
import { entry } from '../../../test/contract/store/world.ts';
import { issue } from '../../../test/support/planning.ts';
import {
  makeWholeBroker,
  REPOSITORY,
  type WholeBroker,
} from '../../../test/support/whole-broker.ts';
import { BantoError, busy } from '../../core/errors.ts';
import type { EditableBacklog, IssueChange } from '../../core/forge.ts';
import type { Issue } from '../../core/issue.ts';
import type { MirrorEntry, Store } from '../../core/store.ts';
import { createStoreIssues } from './store-issues.ts';

let whole: WholeBroker;
afterEach(() => whole.close());

const backlog: EditableBacklog = {
  list: async () => [...whole.issues.values()],
  async add({ title, labels }) {
    return whole.put(whole.issues.size + 1, { title, labels });
  },
  async edit(number, change: IssueChange) {
    const known = whole.issues.get(number);
    if (known === undefined) return null;
    const { labels: _labels, ...rest } = change;
    return whole.put(number, { ...known, ...rest, updatedAt: whole.time.now() });
  },
};
const DRAFT = { title: 'Fix it', body: '', labels: ['python'], priority: null, blockedBy: [] };
const idOf = (number: number) => `octo~park~${number}~implement.1`;

describe('a backlog that Banto may write', () => {
  const open = (wrapStore: (store: Store) => Store = (store) => store) => {
    whole = makeWholeBroker({ forge: { backlog }, wrapStore });
    return whole.broker;
  };

  it('takes a new issue, whose task is there at once', async () => {
    const broker = open();
    expect(broker.hasBacklog()).toBe(true);
    const added = await broker.addIssue(DRAFT, { by: 'hana' });
    expect(added).toMatchObject({ issue: { number: 1, title: 'Fix it' }, task: { id: idOf(1) } });
    whole.put(2);
    const listed = await broker.issues();
    expect(listed.map(({ issue: { number }, task }) => [number, task?.id ?? null])).toEqual([
      [1, idOf(1)],
      [2, null],
    ]);
    expect((await broker.issue(2)).task).toBeNull();
    expect((await broker.issue(1)).task?.id).toBe(idOf(1));
    await expect(broker.issue(3)).rejects.toMatchObject({ code: 'not_found' });
    await expect(broker.editIssue(3, {})).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each<[string, IssueChange, string | null]>([
    ['edited', { title: 'Another' }, 'issue_edited'],
    ['closed', { state: 'closed' }, 'issue_closed'],
    ['closed with another title', { state: 'closed', title: 'x' }, 'issue_closed'],
    ['reopened', { state: 'open' }, 'issue_reopened'],
    ['left as it is', {}, null],
  ])('says who did it when an issue is %s', async (_title, change, type) => {
    const broker = open();
    await broker.addIssue(DRAFT, { by: 'hana' });
    await broker.editIssue(1, change, { by: 'ben' });
    const { history } = await broker.task(idOf(1));
    const told = history.map((fact) => [fact.type, 'by' in fact ? fact.by : null]);
    expect(told).toEqual([
      ['accepted', null],
      ['issue_added', 'hana'],
      ...(type === null ? [] : [[type, 'ben']]),
    ]);
  });

  it('shows the task that somebody means who names the issue: the open one', async () => {
    const broker = open();
    await broker.addIssue(DRAFT);
    const given = await whole.request('hana');
    await broker.complete({
      taskId: idOf(1),
      token: given?.lease.token ?? '',
      summary: null,
      prNumber: null,
      verdict: null,
      comments: [],
    });
    expect((await broker.issue(1)).task?.kind).toBe('review');
  });

  it('has taken an issue, though the store could not take it in or note who added it', async () => {
    const broker = open((store) => ({
      ...store,
      mirror: async () => {
        throw busy('away');
      },
      noteIssue: async () => {
        throw new Error('away');
      },
    }));
    expect(await broker.addIssue(DRAFT)).toMatchObject({ issue: { number: 1 }, task: null });
    expect(whole.warnings).toHaveLength(2);
  });

  it('is refused where the forge keeps its own', async () => {
    whole = makeWholeBroker();
    expect(whole.broker.hasBacklog()).toBe(false);
    await expect(whole.broker.issues()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(REPOSITORY),
    });
  });
});

const holds = () => true;
const planned = (one: Issue): MirrorEntry =>
  entry(one.number, { issue: { title: one.title, problem: one.problem } });

describe('issues that the store cannot take', () => {
  const issues = [1, 2, 3].map((number) => issue({ repository: REPOSITORY, number }));
  async function storing(mirror: (entries: readonly MirrorEntry[]) => void) {
    whole = makeWholeBroker();
    const batches: (readonly (string | null)[])[] = [];
    const store = {
      ...whole.store,
      async mirror(entries: readonly MirrorEntry[]) {
        batches.push(entries.map((one) => one.issue.problem));
        mirror(entries);
        await whole.store.mirror(entries);
      },
    };
    const storeIssues = createStoreIssues({ store, log: whole.context.log });
    return { batches, run: () => storeIssues(issues, planned, holds) };
  }
  const has = (entries: readonly MirrorEntry[], number: number) =>
    entries.some((one) => one.issue.number === number && one.issue.problem === null);

  it('are stored in one step where nothing is wrong', async () => {
    const { batches, run } = await storing(() => undefined);
    expect((await run()).map((one) => one.issue.number)).toEqual([1, 2, 3]);
    expect(batches).toEqual([[null, null, null]]);
  });

  it('are held with the reason, and do not stop the others', async () => {
    const { batches, run } = await storing((entries) => {
      if (has(entries, 2)) throw new Error('too long');
    });
    const stored = await run();
    expect(stored.map((one) => one.issue.number)).toEqual([1, 2, 3]);
    expect(batches).toHaveLength(5);
    expect(batches[3]?.[0]).toMatch(/too long/);
    expect(batches[3]?.[0]).not.toMatch(/Error/);
    expect(whole.warnings).toEqual(['an issue cannot be stored; it is held']);
    expect(await whole.store.issuesNumbered(REPOSITORY, [1, 2, 3])).toHaveLength(3);
  });

  it('and cannot be held either are left, and the others go on', async () => {
    const { run } = await storing((entries) => {
      if (entries.some((one) => one.issue.number === 2)) throw new Error('no');
    });
    await run();
    const known = await whole.store.issuesNumbered(REPOSITORY, [1, 2, 3]);
    expect(known.map((one) => one.issue.number)).toEqual([1, 3]);
    expect(whole.warnings).toHaveLength(2);
  });

  it.each([1, 2, 3])('are not blamed where the store is away, at the %i. try', async (nth) => {
    let tries = 0;
    const { batches, run } = await storing(() => {
      tries += 1;
      if (tries === nth) throw busy('away');
      throw new Error('no');
    });
    await expect(run()).rejects.toMatchObject({ code: 'busy' });
    expect(batches).toHaveLength(nth);
  });
});

describe('a store that is not there', () => {
  it.each<[BantoError['code'], boolean]>([
    ['busy', true],
    ['unreachable', true],
    ['misconfigured', true],
    ['invalid_request', false],
  ])('with the word %s is not the fault of an issue: %s', async (code, isAway) => {
    whole = makeWholeBroker();
    let held = 0;
    const store = {
      ...whole.store,
      async mirror(entries: readonly MirrorEntry[]) {
        if (entries.some((one) => one.issue.problem === null)) throw new BantoError(code, 'no');
        held += entries.length;
      },
    };
    const storeIssues = createStoreIssues({ store, log: whole.context.log });
    const stored = storeIssues([issue({ repository: REPOSITORY })], planned, holds);
    if (isAway) await expect(stored).rejects.toMatchObject({ code });
    else await stored;
    expect(held).toBe(isAway ? 0 : 1);
  });

  it('may throw what is no error', async () => {
    whole = makeWholeBroker();
    const problems: (string | null)[] = [];
    const store = {
      ...whole.store,
      async mirror(entries: readonly MirrorEntry[]) {
        problems.push(...entries.map((one) => one.issue.problem));
        if (problems.at(-1) === null) throw 'gone fishing';
      },
    };
    const storeIssues = createStoreIssues({ store, log: whole.context.log });
    await storeIssues([issue({ repository: REPOSITORY })], planned, holds);
    expect(problems.at(-1)).toContain('gone fishing');
  });
});
