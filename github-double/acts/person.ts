// A person (or a bot) at work on the double, by repository name: what a test lets happen.

import { type Comment, type Item, labelNamed, type World } from '../state.ts';
import type { Acts } from './acts.ts';
import type { NewIssue } from './issue-acts.ts';
import type { NewPull, NewReview } from './pull-acts.ts';

export interface Person {
  readonly openIssue: (repository: string, issue: NewIssue) => Item;
  readonly edit: (
    repository: string,
    number: number,
    to: { readonly title?: string; readonly body?: string | null },
  ) => Item;
  readonly label: (repository: string, number: number, ...names: string[]) => Item;
  readonly unlabel: (repository: string, number: number, ...names: string[]) => Item;
  readonly renameLabel: (repository: string, from: string, to: string) => void;
  readonly removeLabel: (repository: string, name: string) => void;
  /** Makes a discussion of it. */
  readonly convert: (repository: string, number: number) => Item;
  readonly close: (
    repository: string,
    number: number,
    reason?: 'completed' | 'not_planned',
  ) => Item;
  readonly reopen: (repository: string, number: number) => Item;
  readonly lock: (repository: string, number: number) => Item;
  readonly unlock: (repository: string, number: number) => Item;
  readonly transfer: (repository: string, number: number, to: string) => Item;
  readonly remove: (repository: string, number: number) => void;
  readonly comment: (repository: string, number: number, body: string) => Comment;
  readonly editComment: (repository: string, id: number, body: string) => Comment;
  readonly removeComment: (repository: string, id: number) => void;
  readonly block: (repository: string, number: number, ...blockers: number[]) => Item;
  readonly openPull: (repository: string, pull: NewPull) => Item;
  readonly review: (repository: string, number: number, review: NewReview) => void;
  readonly approve: (repository: string, number: number) => void;
  readonly requestChanges: (repository: string, number: number, ...comments: string[]) => void;
  readonly merge: (repository: string, number: number) => Item;
  readonly push: (repository: string, branch: string) => string;
}

export function createPerson(world: World, acts: Acts, login: string): Person {
  const by = world.account(login);
  const at = world.repo;
  const labelIn = (name: string, label: string) => {
    const found = labelNamed(at(name), label);
    if (found === undefined) throw new Error(`the double has no label ${label} in ${name}`);
    return found;
  };
  return {
    openIssue: (name, issue) => acts.openIssue(at(name), by, issue),
    edit: (name, number, to) => acts.edit(at(name), by, number, to),
    label: (name, number, ...names) => acts.label(at(name), by, number, names),
    unlabel: (name, number, ...names) => acts.unlabel(at(name), by, number, names),
    renameLabel: (name, from, to) =>
      void acts.editLabel(at(name), by, labelIn(name, from).id, { name: to }),
    removeLabel: (name, label) => acts.removeLabel(at(name), by, labelIn(name, label).id),
    convert: (name, number) => acts.convert(at(name), by, number),
    close: (name, number, reason) => acts.close(at(name), by, number, reason),
    reopen: (name, number) => acts.reopen(at(name), by, number),
    lock: (name, number) => acts.lock(at(name), by, number),
    unlock: (name, number) => acts.unlock(at(name), by, number),
    transfer: (name, number, to) => acts.transfer(at(name), by, number, at(to)),
    remove: (name, number) => acts.remove(at(name), by, number),
    comment: (name, number, body) => acts.comment(at(name), by, number, body),
    editComment: (name, id, body) => acts.editComment(at(name), by, id, body),
    removeComment: (name, id) => acts.removeComment(at(name), by, id),
    block: (name, number, ...blockers) => acts.block(at(name), number, blockers),
    openPull: (name, pull) => acts.openPull(at(name), by, pull),
    review: (name, number, review) => void acts.review(at(name), by, number, review),
    approve: (name, number) => void acts.review(at(name), by, number, { verdict: 'APPROVED' }),
    requestChanges: (name, number, ...comments) =>
      void acts.review(at(name), by, number, {
        verdict: 'CHANGES_REQUESTED',
        body: comments.join('\n') || 'Please change this.',
        comments: comments.map((body) => ({ path: 'README.md', line: 1, body })),
      }),
    merge: (name, number) => acts.merge(at(name), by, number),
    push: (name, branch) => acts.push(at(name), by, branch),
  };
}
