// The named verbs of a store, on top of `change` and `changeAll`. Nothing here knows which store it is.

import type { BaseStore } from '../core/base-store.ts';
import { answer, ask, whose } from '../core/decide/ask.ts';
import { linkPull, setBudget } from '../core/decide/budget.ts';
import { cancel } from '../core/decide/cancel.ts';
import { complete } from '../core/decide/complete.ts';
import { expire, open, promote } from '../core/decide/expire.ts';
import { fail } from '../core/decide/fail.ts';
import { heartbeat } from '../core/decide/heartbeat.ts';
import { mirror } from '../core/decide/mirror.ts';
import { noteIssue } from '../core/decide/note-issue.ts';
import {
  labels,
  retryWrites,
  settleWrite,
  takeWrites,
  touchLabels,
} from '../core/decide/outbox.ts';
import { markAnswered } from '../core/decide/recall.ts';
import { refuse } from '../core/decide/refuse.ts';
import { release, unlock } from '../core/decide/release.ts';
import { prioritize, requeue } from '../core/decide/requeue.ts';
import { type IssueRef, issueOfWrite } from '../core/rows/ledger-row.ts';
import type { Outbox, Store, SweepInput, SweepResult, TaskVerbs } from '../core/store.ts';

async function sweep(store: BaseStore, input: SweepInput): Promise<SweepResult> {
  const { limit, maxAttempts, limits, ledger, deadLedger } = input;
  const rules = { maxAttempts, ledger, deadLedger, ...(limits === undefined ? {} : { limits }) };
  const count = (answers: readonly boolean[]) => answers.filter((done) => done).length;

  const leases = await store.due('lease', limit);
  const lapsed = leases.ids.map((taskId) => ({ taskId, ...rules }));
  const expired = lapsed.length === 0 ? [] : await store.changeAll(expire, lapsed);

  const delayed = await store.due('delayed', limit);
  const ready = delayed.ids.map((taskId) => ({ taskId }));
  const promoted = ready.length === 0 ? [] : await store.changeAll(promote, ready);

  // Asked last: a task that has just become ready may be reserved.
  const opening = await store.due('opening', limit);
  const ours = opening.ids.map((taskId) => ({ taskId }));
  const opened = ours.length === 0 ? [] : await store.changeAll(open, ours);

  const moreToForget = await store.forget(input);
  const all = [leases, delayed, opening];
  const instants = all.flatMap(({ nextAt }) => nextAt ?? []);
  return {
    expired: count(expired),
    promoted: count(promoted),
    opened: count(opened),
    more: moreToForget || all.some(({ ids }) => ids.length >= limit),
    nextDueAt: instants.length === 0 ? null : Math.min(...instants),
  };
}

/** Write ids by the issue they belong to: one step for each. */
function byIssue(ids: readonly string[]): { issue: IssueRef; ids: string[] }[] {
  const groups = new Map<string, { issue: IssueRef; ids: string[] }>();
  for (const id of ids) {
    const issue = issueOfWrite(id);
    if (issue === null) continue;
    const key = `${issue.repository}#${issue.number}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { issue, ids: [id] });
    else group.ids.push(id);
  }
  return [...groups.values()];
}

/** Far enough ahead that no write waits longer. */
const ANY_TIME_MS = 30 * 86_400_000;

function createOutbox(store: BaseStore): Outbox {
  return {
    async takeWrites(limit, lockMs) {
      const { ids } = await store.due('write', limit);
      const inputs = byIssue(ids).map((group) => ({ ...group, lockMs }));
      if (inputs.length === 0) return [];
      return (await store.changeAll(takeWrites, inputs)).flat();
    },
    labels: (repository, number) => store.change(labels, { issue: { repository, number } }),
    async settleWrite({ id, version }, settlement) {
      const issue = issueOfWrite(id);
      if (issue !== null) await store.change(settleWrite, { issue, id, version, settlement });
    },
    async retryWrites(limit) {
      const { ids } = await store.due('write', limit, ANY_TIME_MS);
      const inputs = byIssue(ids);
      if (inputs.length === 0) return 0;
      return (await store.changeAll(retryWrites, inputs)).reduce((sum, count) => sum + count, 0);
    },
    touchLabels: (repository, number) =>
      store.change(touchLabels, { issue: { repository, number } }),
  };
}

type Named = Omit<TaskVerbs, 'claim' | 'recall' | 'learn'> & Outbox;

function createVerbs(store: BaseStore): Named {
  return {
    async mirror(entries, holds = () => true) {
      const decide: typeof mirror.decide = (found, entry, at) =>
        holds() ? mirror.decide(found, entry, at) : { answer: undefined };
      if (entries.length > 0) await store.changeAll({ ...mirror, decide }, entries);
    },
    markAnswered: (input) => store.change(markAnswered, input),
    heartbeat: (input) => store.change(heartbeat, input),
    complete: (input) => store.change(complete, input),
    fail: (input) => store.change(fail, input),
    release: (input) => store.change(release, input),
    refuse: (input) => store.change(refuse, input),
    sweep: (input) => sweep(store, input),
    whose: (input) => store.change(whose, input),
    ask: (input) => store.change(ask, input),
    answer: (input) => store.change(answer, input),
    setBudget: (input) => store.change(setBudget, input),
    noteIssue: (input) => store.change(noteIssue, input),
    linkPull: (input) => store.change(linkPull, input),
    prioritize: (input) => store.change(prioritize, input),
    requeue: (input) => store.change(requeue, input),
    unlock: (input) => store.change(unlock, input),
    cancel: (input) => store.change(cancel, input),
    ...createOutbox(store),
  };
}

export function withVerbs<Base extends BaseStore>(store: Base): Base & Store {
  return { ...store, ...createVerbs(store) };
}
