// The simulated forge: one server that all instances talk to. It tells the truth late where a step asked for that:
// listings from before, hints that never come, come twice or in the wrong order.

import { type Forge, type ForgeChange, ForgeRefused } from '../../../src/core/forge.ts';
import type { Issue } from '../../../src/core/issue.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { createRemoteIssue, type RemoteIssue } from './remote-issue.ts';

export const REPOSITORY = 'octo/park';
const PAGE = 100;
const POLL_MS = 5000;
const FULL_PASS_MS = 300_000;

type Listener = (change: ForgeChange) => void;
export type HintFault = 'missing' | 'twice' | 'late';

export interface Remote {
  readonly issues: ReadonlyMap<number, RemoteIssue>;
  /** Keys of the comments that Banto wrote, by issue. */
  readonly comments: ReadonlyMap<number, ReadonlySet<string>>;
  open(issue: { title: string; body: string; labels: string[]; blockedBy: number[] }): RemoteIssue;
  /** A person did this. */
  edit(number: number, change: (issue: RemoteIssue, at: number) => void): void;
  delete(number: number): void;
  /** Closed and long settled: nobody will ever ask for it again. */
  drop(number: number): void;
  /** The store lost data: nobody can say any more which of these labels are its own. */
  storeLost(): void;
  /** What the next hints meet. */
  readonly hintFaults: HintFault[];
  /** Listings, polls and single reads show what was true so long ago. */
  lagMs: number;
  /** How an instance sees it; hints go to one instance each, in turn. */
  connect(): Forge;
}

const gone = (number: number) => new ForgeRefused('gone', `#${number} is gone.`);

export function createRemote(time: VirtualTime): Remote {
  const issues = new Map<number, RemoteIssue>();
  const branches = new Set<string>(['main']);
  const comments = new Map<number, Set<string>>();
  const listeners: Listener[] = [];
  const hintFaults: HintFault[] = [];
  /** In order of their last change: number → nothing. */
  const recent = new Map<number, number>();
  let lastNumber = 0;
  let lastAt = 0;
  let turn = 0;

  /** Strictly rising, so that no two looks of an issue are of the same instant. */
  function instant(): number {
    lastAt = Math.max(lastAt + 1, time.now());
    return lastAt;
  }

  function touched(number: number): void {
    recent.delete(number);
    recent.set(number, lastAt);
  }

  function deliver(change: ForgeChange): void {
    turn += 1;
    listeners[turn % Math.max(1, listeners.length)]?.(change);
  }

  function hint(change: ForgeChange): void {
    switch (hintFaults.shift()) {
      case 'missing':
        return;
      case 'twice':
        deliver(change);
        time.after(1500, () => deliver(change));
        return;
      case 'late':
        time.after(20_000, () => deliver(change));
        return;
      case undefined:
        deliver(change);
    }
  }

  const hintOf = (issue: Issue): ForgeChange => ({
    repository: REPOSITORY,
    issues: [issue],
    gone: [],
  });

  const remote: Remote = {
    issues,
    comments,
    hintFaults,
    lagMs: 0,
    open({ title, body, labels, blockedBy }) {
      lastNumber += 1;
      const at = instant();
      const issue = createRemoteIssue({
        subject: 'issue',
        repository: REPOSITORY,
        number: lastNumber,
        title,
        body,
        url: `https://forge.invalid/${REPOSITORY}/issues/${lastNumber}`,
        labels,
        state: 'open',
        author: 'people',
        createdAt: at,
        updatedAt: at,
        priority: null,
        blockedBy,
        pull: null,
        problem: null,
      });
      issues.set(lastNumber, issue);
      touched(lastNumber);
      hint(hintOf(issue.picture()));
      return issue;
    },
    edit(number, change) {
      const issue = issues.get(number);
      if (issue === undefined) return;
      change(issue, instant());
      touched(number);
      hint(hintOf(issue.picture()));
    },
    delete(number) {
      if (!issues.delete(number)) return;
      recent.delete(number);
      hint({ repository: REPOSITORY, issues: [], gone: [number] });
    },
    drop(number) {
      issues.delete(number);
      recent.delete(number);
      comments.delete(number);
      branches.delete(`feature/issue-${number}`);
    },
    storeLost() {
      for (const { labels } of issues.values()) {
        for (const [label, by] of labels) if (by === 'banto') labels.set(label, 'lost');
      }
    },
    connect,
  };

  function connect(): Forge {
    return {
      kind: 'github',
      repositories: [REPOSITORY],
      hasPullRequests: false,
      rhythm: { pollMs: POLL_MS, fullPassMs: FULL_PASS_MS },
      async *list() {
        const until = time.now() - remote.lagMs;
        const open = [...issues.values()]
          .filter((issue) => issue.picture().createdAt <= until)
          .map((issue) => issue.pictureAt(until))
          .filter(({ state }) => state === 'open');
        for (let from = 0; from < open.length; from += PAGE) yield open.slice(from, from + PAGE);
      },
      async changes(_repository, cursor) {
        const until = time.now() - remote.lagMs;
        const since = cursor === null ? until : Number(cursor);
        const changed: Issue[] = [];
        for (const [number, at] of [...recent].reverse()) {
          if (at <= since) break;
          const issue = issues.get(number);
          if (issue !== undefined && issue.picture().createdAt <= until)
            changed.push(issue.pictureAt(until));
        }
        const change = { repository: REPOSITORY, issues: changed.reverse(), gone: [] };
        return { change, cursor: String(Math.max(since, until)) };
      },
      watch(listener) {
        listeners.push(listener);
        return async () => {
          const at = listeners.indexOf(listener);
          if (at >= 0) listeners.splice(at, 1);
        };
      },
      read: async (_repository, number) =>
        issues.get(number)?.pictureAt(time.now() - remote.lagMs) ?? null,
      hasBranch: async (_repository, branch) => branches.has(branch),
      async createBranch(_repository, branch) {
        if (branches.has(branch)) return 'exists';
        branches.add(branch);
        return 'created';
      },
      async setLabels(_repository, number, { add, remove }) {
        const issue = issues.get(number);
        if (issue === undefined) throw gone(number);
        // Its own writes are no news to Banto; a full listing shows them all the same.
        issue.relabel(instant(), 'banto', add, remove);
      },
      async comment(_repository, number, key) {
        if (!issues.has(number)) throw gone(number);
        comments.set(number, (comments.get(number) ?? new Set()).add(key));
      },
      check: async () => undefined,
      defaultBranch: async () => 'main',
      close: async () => undefined,
    };
  }

  return remote;
}
