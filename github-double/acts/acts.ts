// Everything that can happen to the double's state, whether a person did it or a request: one way to change
// an item, which stamps it, keeps the old version, notes it in the timeline and tells the webhooks.

import {
  type Account,
  type Comment,
  type Happening,
  type Item,
  itemNumbered,
  type Label,
  put,
  type Repo,
  type Review,
  type World,
} from '../state.ts';
import { createIssueActs, type IssueActs } from './issue-acts.ts';
import { createPullActs, type PullActs } from './pull-acts.ts';

/** Something a webhook would speak of, with the item as it was at that instant. */
export interface Told {
  readonly event:
    | 'issues'
    | 'pull_request'
    | 'pull_request_review'
    | 'issue_comment'
    | 'label'
    | 'push';
  readonly action: string;
  readonly repo: Repo;
  readonly actor: Account;
  readonly item?: Item;
  readonly label?: Label;
  readonly comment?: Comment;
  readonly review?: Review;
  readonly changes?: Readonly<Record<string, unknown>>;
  readonly push?: { readonly ref: string; readonly before: string; readonly after: string };
}

export interface Ground {
  readonly world: World;
  readonly tell: (told: Told) => void;
  /** A new version of the item, stamped now. */
  readonly change: (repo: Repo, number: number, patch: Partial<Item>) => Item;
  readonly note: (
    repo: Repo,
    number: number,
    event: Happening['event'],
    actor: Account,
    more?: Partial<Happening>,
  ) => void;
  /** Tells of an issue or of a pull request, whichever the item is. */
  readonly tellItem: (
    repo: Repo,
    actor: Account,
    item: Item,
    action: string,
    more?: Partial<Told>,
  ) => void;
  /** Every `#7` in a text leaves a cross-reference at that issue. */
  readonly crossReference: (repo: Repo, actor: Account, from: Item) => void;
}

export type Acts = IssueActs & PullActs;

export function createActs(world: World, emit: (told: Told) => void): Acts {
  const tell = (told: Told) => {
    world.changed();
    emit(told);
  };
  const note: Ground['note'] = (repo, number, event, actor, more = {}) => {
    const events = repo.timeline.get(number) ?? [];
    events.push({ id: world.nextId(), event, actor, at: world.stamp(), ...more });
    repo.timeline.set(number, events);
  };
  const ground: Ground = {
    world,
    tell,
    note,
    change: (repo, number, patch) =>
      put(world, repo, { ...itemNumbered(repo, number), ...patch, updatedAt: world.stamp() }),
    tellItem: (repo, actor, item, action, more = {}) =>
      tell({ event: item.pull ? 'pull_request' : 'issues', action, repo, actor, item, ...more }),
    crossReference(repo, actor, from) {
      const numbers = (from.body ?? '').matchAll(/(?<![\w/])#(\d+)\b/g);
      for (const number of new Set([...numbers].map((match) => Number(match[1])))) {
        const known = repo.timeline
          .get(number)
          ?.some((one) => one.source?.repo === repo && one.source.number === from.number);
        if (number === from.number || !repo.items.has(number) || known === true) continue;
        note(repo, number, 'cross-referenced', actor, { source: { repo, number: from.number } });
      }
    },
  };
  const issueActs = createIssueActs(ground);
  return { ...issueActs, ...createPullActs(ground, issueActs) };
}
