// What every forge must do, said once. An implementation's whole test is `testForge(name, setup)`.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Forge, type ForgeChange, ForgeRefused } from '../../src/core/forge.ts';
import type { Issue } from '../../src/core/issue.ts';

export interface SeededIssue {
  readonly title: string;
  readonly body: string;
  readonly labels: readonly string[];
  readonly state: 'open' | 'closed';
}

/** A forge with an empty repository (one commit on the default branch), and a person's hands on it. */
export interface ForgeSetup {
  readonly forge: Forge;
  readonly repository: string;
  /** Opens an issue as a person would; answers with its number. Numbers rise. */
  seedIssue(issue: Partial<SeededIssue>): Promise<number>;
  editIssue(number: number, change: Partial<SeededIssue>): Promise<void>;
  deleteIssue(number: number): Promise<void>;
  /** The labels as a person sees them, not through the forge under test. */
  readLabels(number: number): Promise<string[]>;
  branches(): Promise<string[]>;
  comments(number: number): Promise<string[]>;
  close(): Promise<void>;
}

const EVENTUALLY = { timeout: 10_000, interval: 20 };

export function testForge(name: string, setup: () => Promise<ForgeSetup>): void {
  describe(`the forge contract: ${name}`, () => {
    let on: ForgeSetup;
    beforeEach(async () => {
      on = await setup();
    });
    afterEach(() => on.close());

    async function listed(): Promise<Issue[]> {
      const issues: Issue[] = [];
      for await (const page of on.forge.list(on.repository)) issues.push(...page);
      return issues;
    }
    const read = (number: number) => on.forge.read(on.repository, number);
    const setLabels = (number: number, add: string[], remove: string[] = []) =>
      on.forge.setLabels(on.repository, number, { add, remove });
    const sorted = (labels: readonly string[]) => labels.toSorted();
    const refusal = async (promise: Promise<unknown>) => {
      const error = await promise.then(
        () => null,
        (error: unknown) => error,
      );
      expect(error).toBeInstanceOf(ForgeRefused);
      expect((error as ForgeRefused).reason).toMatch(/^[a-z_]+$/);
      return error as ForgeRefused;
    };

    describe('reading', () => {
      it('shows an issue as it was written', async () => {
        const number = await on.seedIssue({
          title: 'ログインを直す 🎉',
          body: '## 成果物\n\n- `a < b` & "c"\n',
          labels: ['bug', '日本語'],
        });
        const issue = await read(number);
        expect(issue).toMatchObject({
          subject: 'issue',
          repository: on.repository,
          number,
          title: 'ログインを直す 🎉',
          state: 'open',
          problem: null,
        });
        expect(issue?.body.trim()).toBe('## 成果物\n\n- `a < b` & "c"');
        expect(sorted(issue?.labels ?? [])).toEqual(['bug', '日本語']);
        expect(() => new URL(issue?.url ?? '')).not.toThrow();
        expect(on.forge.repositories).toContain(on.repository);
      });

      it('answers null for an issue that never was and for one that is gone', async () => {
        const number = await on.seedIssue({});
        expect(await read(number + 1000)).toBeNull();
        await on.deleteIssue(number);
        expect(await read(number)).toBeNull();
      });

      it('reads a closed issue, but does not list it', async () => {
        const open = await on.seedIssue({});
        const closed = await on.seedIssue({ state: 'closed' });
        expect((await read(closed))?.state).toBe('closed');
        expect((await listed()).map((issue) => issue.number)).toEqual([open]);
      });

      it('lists an empty repository as nothing', async () => {
        expect(await listed()).toEqual([]);
      });

      it('lists a thousand issues over many pages, each once, in order of number', async () => {
        const numbers: number[] = [];
        for (let count = 0; count < 1000; count += 1) {
          numbers.push(await on.seedIssue({ title: `issue ${count}`, labels: ['bulk'] }));
        }
        let pages = 0;
        const seen: number[] = [];
        for await (const page of on.forge.list(on.repository)) {
          pages += 1;
          seen.push(...page.map((issue) => issue.number));
        }
        expect(seen).toEqual(numbers);
        expect(pages).toBeGreaterThan(1);
      });

      it('carries hostile text through unchanged', async () => {
        const title = '<script>alert(1)</script> ${x} $(x) `x` "\' --- %s \u202e';
        const body =
          '---\nlabels: [approved]\n---\n<!-- x -->\n{{x}}\n../../etc/passwd\n# not a title';
        const number = await on.seedIssue({ title, body, labels: ['a: b', '<b>', '#1'] });
        const issue = await read(number);
        expect(issue?.title).toBe(title);
        expect(issue?.body.trim()).toBe(body);
        expect(sorted(issue?.labels ?? [])).toEqual(sorted(['a: b', '<b>', '#1']));
      });

      it('never dates a later picture before an earlier one', async () => {
        const number = await on.seedIssue({});
        const first = await read(number);
        await on.editIssue(number, { title: 'other' });
        const second = await read(number);
        expect(second?.updatedAt).toBeGreaterThanOrEqual(first?.updatedAt ?? 0);
        expect(second?.createdAt).toBe(first?.createdAt);
      });
    });

    describe('changes', () => {
      const changes = (cursor: string | null) => on.forge.changes(on.repository, cursor);

      it('reports what is new, edited and closed since the cursor, and then nothing', async () => {
        const untouched = await on.seedIssue({ title: 'untouched' });
        const edited = await on.seedIssue({ title: 'before' });
        const closed = await on.seedIssue({});
        let { cursor } = await changes(null);
        await on.editIssue(edited, { title: 'after' });
        await on.editIssue(closed, { state: 'closed' });
        const added = await on.seedIssue({ title: 'added' });
        const seen = new Map<number, Issue>();
        await vi.waitFor(async () => {
          const next = await changes(cursor);
          cursor = next.cursor;
          for (const issue of next.change.issues) seen.set(issue.number, issue);
          expect([...seen.keys()].toSorted((a, b) => a - b)).toEqual([edited, closed, added]);
        }, EVENTUALLY);
        expect(seen.has(untouched)).toBe(false);
        expect(seen.get(edited)?.title).toBe('after');
        expect(seen.get(closed)?.state).toBe('closed');
        expect((await changes(cursor)).change).toMatchObject({ issues: [], gone: [] });
      });

      it('reports an issue that was deleted as gone', async () => {
        const number = await on.seedIssue({});
        await listed();
        let { cursor } = await changes(null);
        await on.deleteIssue(number);
        const gone: number[] = [];
        await vi.waitFor(async () => {
          const next = await changes(cursor);
          cursor = next.cursor;
          gone.push(...next.change.gone);
          expect(gone).toEqual([number]);
        }, EVENTUALLY);
        expect(await listed()).toEqual([]);
      });

      it('misses nothing for a cursor that it does not know', async () => {
        const number = await on.seedIssue({});
        await changes(null);
        const { change } = await changes('from.another.life');
        expect(change.issues.map((issue) => issue.number)).toContain(number);
      });
    });

    it('notices by itself what a person adds, edits and deletes, until it is told to stop', async () => {
      const noticed: ForgeChange[] = [];
      const stop = on.forge.watch((change) => noticed.push(change));
      const number = await on.seedIssue({ title: 'first' });
      const titles = () => noticed.flatMap((change) => change.issues.map((issue) => issue.title));
      await vi.waitFor(() => expect(titles()).toContain('first'), EVENTUALLY);
      await on.editIssue(number, { title: 'second' });
      await vi.waitFor(() => expect(titles()).toContain('second'), EVENTUALLY);
      await on.deleteIssue(number);
      await vi.waitFor(() => {
        expect(noticed.flatMap((change) => change.gone)).toContain(number);
      }, EVENTUALLY);
      await stop();
      const count = noticed.length;
      await on.seedIssue({ title: 'unheard' });
      await listed();
      expect(noticed.length).toBe(count);
    });

    describe('setLabels', () => {
      it('adds and removes exactly what it is told to', async () => {
        const number = await on.seedIssue({ labels: ['bug', 'P1', 'in-progress', 'agent-1'] });
        await setLabels(number, ['needs-review'], ['in-progress', 'agent-1']);
        expect(sorted(await on.readLabels(number))).toEqual(['P1', 'bug', 'needs-review']);
        expect(sorted((await read(number))?.labels ?? [])).toEqual(['P1', 'bug', 'needs-review']);
      });

      it('may be repeated', async () => {
        const number = await on.seedIssue({ labels: ['bug'] });
        for (const _ of [1, 2, 3]) await setLabels(number, ['in-progress'], ['needs-review']);
        expect(sorted(await on.readLabels(number))).toEqual(['bug', 'in-progress']);
      });

      it('compares without case and keeps the spelling of people', async () => {
        const number = await on.seedIssue({ labels: ['Bug', 'In-Progress', 'Needs-Review'] });
        await setLabels(number, ['in-progress'], ['needs-review']);
        expect(sorted(await on.readLabels(number))).toEqual(['Bug', 'In-Progress']);
      });

      it('starts from no labels and ends with none', async () => {
        const number = await on.seedIssue({ labels: [] });
        await setLabels(number, ['in-progress', 'agent-1']);
        expect(sorted(await on.readLabels(number))).toEqual(['agent-1', 'in-progress']);
        await setLabels(number, [], ['agent-1', 'in-progress']);
        expect(await on.readLabels(number)).toEqual([]);
      });

      it('changes neither title nor body', async () => {
        const number = await on.seedIssue({ title: '題 🎉', body: 'a\n\n---\n\nb  \n\tc' });
        const before = await read(number);
        await setLabels(number, ['in-progress']);
        expect(await read(number)).toMatchObject({ title: before?.title, body: before?.body });
      });

      it('loses none of twenty changes at once to one issue', async () => {
        const number = await on.seedIssue({ labels: ['keep'] });
        const labels = Array.from({ length: 20 }, (_, index) => `l${index}`);
        await Promise.all(labels.map((label) => setLabels(number, [label])));
        expect(sorted(await on.readLabels(number))).toEqual(sorted(['keep', ...labels]));
      });

      it('changes many issues at once', async () => {
        const numbers: number[] = [];
        for (let count = 0; count < 30; count += 1)
          numbers.push(await on.seedIssue({ labels: ['a'] }));
        await Promise.all(numbers.map((number) => setLabels(number, [`n${number}`], ['a'])));
        for (const number of numbers) expect(await on.readLabels(number)).toEqual([`n${number}`]);
      });

      it('refuses an issue that is gone', async () => {
        const number = await on.seedIssue({});
        await on.deleteIssue(number);
        expect((await refusal(setLabels(number, ['x']))).reason).toBe('gone');
      });
    });

    describe('createBranch', () => {
      const create = (branch: string) => on.forge.createBranch(on.repository, branch);

      it('creates a branch once, and then says that it exists', async () => {
        expect(await create('feature/issue-7')).toBe('created');
        expect(await create('feature/issue-7')).toBe('exists');
        expect(await on.branches()).toContain('feature/issue-7');
      });

      it('says whether a branch is there', async () => {
        const has = (branch: string) => on.forge.hasBranch(on.repository, branch);
        expect(await has('wished/for')).toBe(false);
        await create('topic/there');
        expect(await has('topic/there')).toBe(true);
        expect(await has(await on.forge.defaultBranch(on.repository))).toBe(true);
      });

      it('lets one of twenty at once create it', async () => {
        const answers = await Promise.all(Array.from({ length: 20 }, () => create('race')));
        expect(answers.filter((answer) => answer === 'created')).toHaveLength(1);
        expect(answers.filter((answer) => answer === 'exists')).toHaveLength(19);
      });

      it('refuses names that are not safe, and the default branch', async () => {
        const before = await on.branches();
        const base = await on.forge.defaultBranch(on.repository);
        for (const branch of [
          '--force',
          'a..b',
          'refs/heads/x',
          'a b',
          '',
          'x\n',
          base,
          '作\0業',
        ]) {
          expect((await refusal(create(branch))).reason).toBe('invalid_branch');
        }
        expect(await on.branches()).toEqual(before);
      });

      it('refuses a name that cannot exist beside another', async () => {
        await create('topic');
        expect((await refusal(create('topic/part'))).reason).toBe('branch_conflict');
        await create('group/one');
        expect((await refusal(create('group'))).reason).toBe('branch_conflict');
      });
    });

    describe('comment', () => {
      const comment = (number: number, key: string, text: string) =>
        on.forge.comment(on.repository, number, key, text);

      it('keeps one comment for each key, the last one written', async () => {
        const number = await on.seedIssue({});
        await comment(number, 'dead', 'first');
        await comment(number, 'other--key -->', 'between');
        await comment(number, 'dead', 'second');
        await comment(number, 'dead', 'second');
        const texts = await on.comments(number);
        expect(texts).toHaveLength(2);
        expect(texts[0]).toContain('second');
        expect(texts[0]).not.toContain('first');
        expect(texts[1]).toContain('between');
      });

      it('is not fooled by text that looks like its own marks', async () => {
        const number = await on.seedIssue({});
        await comment(number, 'a', 'probe');
        const marks = (await on.comments(number)).join('\n');
        const fake = '<!-- banto b -->\nfake\n<!-- /banto -->\n<!-- banto:b -->';
        await comment(number, 'a', `head\n${marks}\n${fake}\ntail`);
        await comment(number, 'b', 'mine');
        await comment(number, 'b', 'still mine');
        const texts = await on.comments(number);
        expect(texts).toHaveLength(2);
        for (const part of ['head', 'probe', 'fake', 'tail']) expect(texts[0]).toContain(part);
        expect(texts[1]).toContain('still mine');
      });

      it('leaves labels and text of the issue alone', async () => {
        const number = await on.seedIssue({ labels: ['bug'], body: 'body' });
        await comment(number, 'k', 'text');
        expect(await read(number)).toMatchObject({ labels: ['bug'] });
        expect(await listed()).toHaveLength(1);
      });

      it('refuses an issue that is gone', async () => {
        const number = await on.seedIssue({});
        await on.deleteIssue(number);
        expect((await refusal(comment(number, 'k', 'text'))).reason).toBe('gone');
      });
    });

    it('can be checked, and knows its default branch', async () => {
      await on.forge.check();
      expect(await on.branches()).toContain(await on.forge.defaultBranch(on.repository));
    });
  });
}
