// What can happen to issues, labels and comments. Labels and comments of pull requests work the same way.

import {
  type Account,
  type Comment,
  fullName,
  type Item,
  itemNumbered,
  type Label,
  labelNamed,
  put,
  type Repo,
  takeAway,
} from '../state.ts';
import type { Ground } from './acts.ts';

export interface NewIssue {
  readonly title: string;
  readonly body?: string | null;
  readonly labels?: readonly string[];
}

interface NewLabel {
  readonly name: string;
  readonly color?: string;
  readonly description?: string | null;
}

export interface IssueActs {
  readonly openIssue: (repo: Repo, by: Account, issue: NewIssue) => Item;
  readonly edit: (
    repo: Repo,
    by: Account,
    number: number,
    to: { readonly title?: string; readonly body?: string | null },
  ) => Item;
  readonly close: (
    repo: Repo,
    by: Account,
    number: number,
    reason?: 'completed' | 'not_planned',
  ) => Item;
  readonly reopen: (repo: Repo, by: Account, number: number) => Item;
  readonly lock: (repo: Repo, by: Account, number: number) => Item;
  readonly unlock: (repo: Repo, by: Account, number: number) => Item;
  readonly label: (repo: Repo, by: Account, number: number, names: readonly string[]) => Item;
  readonly unlabel: (repo: Repo, by: Account, number: number, names: readonly string[]) => Item;
  readonly block: (repo: Repo, number: number, blockers: readonly number[]) => Item;
  readonly transfer: (repo: Repo, by: Account, number: number, to: Repo) => Item;
  readonly remove: (repo: Repo, by: Account, number: number) => void;
  readonly comment: (repo: Repo, by: Account, number: number, body: string) => Comment;
  readonly editComment: (repo: Repo, by: Account, id: number, body: string) => Comment;
  readonly removeComment: (repo: Repo, by: Account, id: number) => void;
  readonly createLabel: (repo: Repo, by: Account, label: NewLabel) => Label;
  readonly editLabel: (repo: Repo, by: Account, id: number, to: Partial<NewLabel>) => Label;
  readonly removeLabel: (repo: Repo, by: Account, id: number) => void;
  /** The issue stays, closed and locked; what was said goes on elsewhere. */
  readonly convert: (repo: Repo, by: Account, number: number) => Item;
  readonly newItem: (repo: Repo, by: Account, issue: NewIssue, pull?: Item['pull']) => Item;
}

export function createIssueActs(ground: Ground): IssueActs {
  const { world, tell, tellItem, change, note, crossReference } = ground;

  const createLabel: IssueActs['createLabel'] = (repo, by, { name, color, description }) => {
    const label: Label = {
      id: world.nextId(),
      name,
      color: color ?? 'ededed',
      description: description ?? null,
    };
    repo.labels.set(label.id, label);
    tell({ event: 'label', action: 'created', repo, actor: by, label });
    return label;
  };
  const named = (repo: Repo, by: Account, name: string) =>
    labelNamed(repo, name) ?? createLabel(repo, by, { name });

  const newItem: IssueActs['newItem'] = (repo, by, issue, pull = null) => {
    const number = ++repo.lastNumber;
    const at = world.stamp();
    const labels = (issue.labels ?? []).map((name) => named(repo, by, name));
    const item = put(world, repo, {
      id: world.nextId(),
      number,
      title: issue.title,
      body: issue.body ?? null,
      author: by,
      labels: [...new Set(labels.map((label) => label.id))],
      state: 'open',
      stateReason: null,
      locked: false,
      comments: 0,
      createdAt: at,
      updatedAt: at,
      closedAt: null,
      closedBy: null,
      blockedBy: [],
      pull,
    });
    tellItem(repo, by, item, 'opened');
    for (const label of labels) {
      note(repo, number, 'labeled', by, { label });
      tellItem(repo, by, item, 'labeled', { label });
    }
    crossReference(repo, by, item);
    return item;
  };

  return {
    newItem,
    createLabel,
    openIssue: (repo, by, issue) => newItem(repo, by, issue),
    edit(repo, by, number, to) {
      const before = itemNumbered(repo, number);
      const item = change(repo, number, to);
      const titled = to.title !== undefined && to.title !== before.title;
      const worded = to.body !== undefined && to.body !== before.body;
      if (titled)
        note(repo, number, 'renamed', by, { rename: { from: before.title, to: item.title } });
      if (worded) crossReference(repo, by, item);
      const changes = {
        ...(titled ? { title: { from: before.title } } : {}),
        ...(worded ? { body: { from: before.body ?? '' } } : {}),
      };
      if (titled || worded) tellItem(repo, by, item, 'edited', { changes });
      return item;
    },
    close(repo, by, number, reason = 'completed') {
      if (itemNumbered(repo, number).state === 'closed') return itemNumbered(repo, number);
      const stateReason = itemNumbered(repo, number).pull ? null : reason;
      const patch = {
        state: 'closed',
        stateReason,
        closedAt: world.stamp(),
        closedBy: by,
      } as const;
      const item = change(repo, number, patch);
      note(repo, number, 'closed', by);
      tellItem(repo, by, item, 'closed');
      return item;
    },
    reopen(repo, by, number) {
      const before = itemNumbered(repo, number);
      if (before.state === 'open') return before;
      const stateReason = before.pull ? null : 'reopened';
      const item = change(repo, number, {
        state: 'open',
        stateReason,
        closedAt: null,
        closedBy: null,
      });
      note(repo, number, 'reopened', by);
      tellItem(repo, by, item, 'reopened');
      return item;
    },
    lock(repo, by, number) {
      const item = change(repo, number, { locked: true });
      note(repo, number, 'locked', by);
      tellItem(repo, by, item, 'locked');
      return item;
    },
    unlock(repo, by, number) {
      const item = change(repo, number, { locked: false });
      note(repo, number, 'unlocked', by);
      tellItem(repo, by, item, 'unlocked');
      return item;
    },
    label(repo, by, number, names) {
      let item = itemNumbered(repo, number);
      for (const name of names) {
        const label = named(repo, by, name);
        if (item.labels.includes(label.id)) continue;
        item = change(repo, number, { labels: [...item.labels, label.id] });
        note(repo, number, 'labeled', by, { label });
        tellItem(repo, by, item, 'labeled', { label });
      }
      return item;
    },
    unlabel(repo, by, number, names) {
      let item = itemNumbered(repo, number);
      for (const name of names) {
        const label = labelNamed(repo, name);
        if (label === undefined || !item.labels.includes(label.id)) continue;
        item = change(repo, number, { labels: item.labels.filter((id) => id !== label.id) });
        note(repo, number, 'unlabeled', by, { label });
        tellItem(repo, by, item, 'unlabeled', { label });
      }
      return item;
    },
    block: (repo, number, blockers) => change(repo, number, { blockedBy: blockers }),
    transfer(repo, by, number, to) {
      const before = itemNumbered(repo, number);
      const names = before.labels.map((id) => repo.labels.get(id)?.name ?? '');
      // Labels go along only where the other repository has them.
      const kept = names.flatMap((name) => labelNamed(to, name)?.id ?? []);
      const after = put(world, to, {
        ...before,
        id: world.nextId(),
        number: ++to.lastNumber,
        labels: kept,
        updatedAt: world.stamp(),
      });
      takeAway(world, repo, number, { repo: to, number: after.number });
      for (const comment of repo.comments.values()) {
        if (comment.number !== number) continue;
        repo.comments.delete(comment.id);
        to.comments.set(comment.id, { ...comment, number: after.number });
      }
      const changes = { new_issue: after, new_repository: to };
      tellItem(repo, by, before, 'transferred', { changes });
      tellItem(to, by, after, 'opened', { changes: { old_issue: before, old_repository: repo } });
      return after;
    },
    remove(repo, by, number) {
      const item = itemNumbered(repo, number);
      takeAway(world, repo, number, 'deleted');
      tellItem(repo, by, item, 'deleted');
    },
    comment(repo, by, number, body) {
      const at = world.stamp();
      const id = world.nextId();
      const comment: Comment = { id, number, author: by, body, createdAt: at, updatedAt: at };
      repo.comments.set(id, comment);
      const item = change(repo, number, { comments: itemNumbered(repo, number).comments + 1 });
      tell({ event: 'issue_comment', action: 'created', repo, actor: by, item, comment });
      return comment;
    },
    editComment(repo, by, id, body) {
      const before = repo.comments.get(id);
      if (before === undefined)
        throw new Error(`the double has no comment ${id} in ${fullName(repo)}`);
      const comment = { ...before, body, updatedAt: world.stamp() };
      repo.comments.set(id, comment);
      const item = itemNumbered(repo, comment.number);
      const changes = { body: { from: before.body } };
      tell({ event: 'issue_comment', action: 'edited', repo, actor: by, item, comment, changes });
      return comment;
    },
    removeComment(repo, by, id) {
      const comment = repo.comments.get(id);
      if (comment === undefined)
        throw new Error(`the double has no comment ${id} in ${fullName(repo)}`);
      repo.comments.delete(id);
      const item = change(repo, comment.number, {
        comments: itemNumbered(repo, comment.number).comments - 1,
      });
      tell({ event: 'issue_comment', action: 'deleted', repo, actor: by, item, comment });
    },
    removeLabel(repo, by, id) {
      const label = repo.labels.get(id);
      if (label === undefined)
        throw new Error(`the double has no label ${id} in ${fullName(repo)}`);
      // Issues lose it without a change of their own.
      repo.labels.delete(id);
      repo.version += 1;
      tell({ event: 'label', action: 'deleted', repo, actor: by, label });
    },
    convert(repo, by, number) {
      const at = world.stamp();
      const closed = change(repo, number, {
        state: 'closed',
        stateReason: 'completed',
        closedAt: at,
        closedBy: by,
      });
      note(repo, number, 'converted_to_discussion', by);
      tellItem(repo, by, closed, 'closed');
      const item = change(repo, number, { locked: true });
      note(repo, number, 'locked', by);
      tellItem(repo, by, item, 'locked');
      return item;
    },
    editLabel(repo, by, id, to) {
      const before = repo.labels.get(id);
      if (before === undefined)
        throw new Error(`the double has no label ${id} in ${fullName(repo)}`);
      const label: Label = { ...before, ...to };
      repo.labels.set(id, label);
      repo.version += 1;
      const changes = {
        ...(label.name === before.name ? {} : { name: { from: before.name } }),
        ...(label.color === before.color ? {} : { color: { from: before.color } }),
      };
      tell({ event: 'label', action: 'edited', repo, actor: by, label, changes });
      return label;
    },
  };
}
