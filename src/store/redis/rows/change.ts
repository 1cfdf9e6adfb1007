// `change`: reads what a verb needs, asks it, and has the step apply the decision if nobody was faster. Changes of one
// issue from this process wait for each other; those that have waited are decided one after the other, and applied
// together.

import type { BaseStore } from '../../../core/base-store.ts';
import {
  changesNothing,
  type Decision,
  type Found,
  type Needs,
  type Verb,
} from '../../../core/decide/verb.ts';
import { busy } from '../../../core/errors.ts';
import type { AgentNote } from '../../../core/rows/agent-row.ts';
import { type IssueRef, noLedger } from '../../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { StoreClock } from '../connection/store-clock.ts';
import {
  createPrepare,
  type Decided,
  type Prepared,
  type Preparing,
  type Seen,
} from './prepare.ts';
import {
  type FiledTask,
  headName,
  type IssueHead,
  issueName,
  type Ledger,
  ledgerName,
} from './row-codec.ts';
import { type Steps } from './steps.ts';

const MOST_TRIES = 50;
const MOST_TOGETHER = 50;
const NOWHERE: IssueRef = { repository: '', number: 0 };

export interface Changing extends Preparing {
  readonly steps: Steps;
  readonly clock: StoreClock;
  readonly note: (note: AgentNote, now: number) => void;
}

export interface Changes extends Pick<BaseStore, 'change' | 'changeAll'> {
  /** Files ready tasks of an issue by what counts now; a task that has just changed is left alone. */
  refile(ref: IssueRef): Promise<void>;
}

/** Somebody who waits for an answer, or for what went wrong while it was decided. */
interface Asked {
  readonly verb: Verb<unknown, unknown>;
  readonly input: unknown;
  readonly needs: Needs;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}
type Outcome = { readonly answer: unknown } | { readonly error: unknown };

function needsOf(asked: readonly Asked[]): Needs {
  const [first] = asked;
  if (first === undefined || asked.length === 1) return first?.needs ?? { tasks: [], issue: null };
  return { tasks: asked.flatMap(({ needs }) => needs.tasks), issue: first.needs.issue };
}

/** Two decisions, the second made on what the first one leaves. */
function joined(one: Decision<unknown>, other: Decision<unknown>): Decision<unknown> {
  const tasks = new Map<string, TaskRow>();
  for (const row of [...(one.tasks ?? []), ...(other.tasks ?? [])]) tasks.set(row.id, row);
  const issue = other.issue ?? one.issue;
  const ledger = other.ledger ?? one.ledger;
  const until = Math.min(one.until ?? Infinity, other.until ?? Infinity);
  return {
    tasks: [...tasks.values()],
    ...(issue === undefined ? {} : { issue }),
    ...(ledger === undefined ? {} : { ledger }),
    ...(until === Infinity ? {} : { until }),
    agents: [...(one.agents ?? []), ...(other.agents ?? [])],
    facts: [...(one.facts ?? []), ...(other.facts ?? [])],
    answer: null,
  };
}

export function createChanges(env: Changing): Changes {
  const { rows, steps, clock, buckets } = env;
  const prepare = createPrepare(env);
  /** Who waits for the change of an issue that is under way. */
  const lanes = new Map<string, Asked[]>();

  async function look(needs: Needs, fresh: boolean): Promise<Seen> {
    const ref = needs.issue;
    const ids = needs.tasks.length < 2 ? needs.tasks : [...new Set(needs.tasks)];
    const [tasks, issue] = await Promise.all([
      rows.tasks(ids, fresh),
      ref === null ? null : rows.issue(ref, fresh),
    ]);
    const ledger = issue?.ledger ?? { text: '', row: noLedger(ref ?? NOWHERE) };
    return { tasks, ids, ref, head: issue?.head, ledger };
  }

  /** From memory alone; null: something has to be read. */
  function recall({ tasks: ids, issue: ref }: Needs): Seen | null {
    const [id, ...others] = ids;
    if (id === undefined || others.length > 0 || ref === null) return null;
    const task = rows.remembered(id) as FiledTask | undefined;
    const head = rows.remembered(headName(ref)) as IssueHead | undefined;
    const ledger = rows.remembered(ledgerName(ref)) as Ledger | undefined;
    if (task === undefined || head === undefined || ledger === undefined) return null;
    return { tasks: new Map([[id, task]]), ids, ref, head, ledger };
  }

  /** Each on what those before it leave; one that throws leaves nothing. */
  function decide(
    asked: readonly Pick<Asked, 'verb' | 'input'>[],
    seen: Seen,
  ): { decided: Decided; outcomes: Outcome[] } {
    const moment = clock.moment();
    let all: Decision<unknown> = { answer: null };
    const outcomes = asked.map(({ verb, input }): Outcome => {
      const found: Found = {
        task: (id) => all.tasks?.find((row) => row.id === id) ?? seen.tasks.get(id)?.row,
        issue: all.issue?.row ?? seen.head?.row,
        ledger: all.ledger ?? seen.ledger.row,
      };
      try {
        const decision = verb.decide(found, input, moment);
        all = asked.length === 1 ? decision : joined(all, decision);
        return { answer: decision.answer };
      } catch (error) {
        return { error };
      }
    });
    const decided = { seen, decision: all, places: moment.places(), now: moment.now };
    return { decided, outcomes };
  }

  async function apply({ seen, decision, now }: Decided, prepared: Prepared): Promise<boolean> {
    const word = await steps.change(prepared.change);
    // What is leased will be asked for again, by heartbeats and at its end.
    const leased = word === 'ok' && decision.tasks?.some(({ lease }) => lease !== null);
    if (leased === true) for (const [name, row] of prepared.next) rows.remember(name, row);
    else {
      rows.forget(seen.ids);
      if (seen.ref !== null) rows.forget([headName(seen.ref), ledgerName(seen.ref)]);
    }
    if (word !== 'ok') return false;
    for (const about of decision.agents ?? []) env.note(about, now);
    return true;
  }

  const applyOne = async (decided: Decided): Promise<boolean> =>
    apply(decided, await prepare(decided));

  async function together(asked: readonly Asked[], freshAtFirst: boolean): Promise<Outcome[]> {
    const needs = needsOf(asked);
    let fresh = freshAtFirst;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { decided, outcomes } = decide(
        asked,
        (fresh ? null : recall(needs)) ?? (await look(needs, fresh)),
      );
      if (changesNothing(decided.decision)) {
        // A refusal, or a repeat, that was decided from what is remembered may be out of date.
        if (fresh) return outcomes;
      } else if (await applyOne(decided)) return outcomes;
      else if (tries > 0) await buckets.filing(true);
      fresh = true;
    }
    throw busy(new Error(`${asked[0]?.verb.name} was overtaken ${MOST_TRIES} times.`));
  }

  async function runLane(lane: string, first: Asked, fresh: boolean): Promise<void> {
    for (let asked = [first]; asked.length > 0; ) {
      try {
        const outcomes = await together(asked, fresh);
        for (const [index, { resolve, reject }] of asked.entries()) {
          const outcome = outcomes[index] as Outcome;
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.answer as never);
        }
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
      asked = lanes.get(lane)?.splice(0, MOST_TOGETHER) ?? [];
    }
    lanes.delete(lane);
  }

  function change<Input, Answer>(
    verb: Verb<Input, Answer>,
    input: Input,
    fresh = false,
  ): Promise<Answer> {
    const needs = verb.needs(input);
    const lane = needs.issue === null ? needs.tasks.join() : issueName(needs.issue);
    return new Promise((resolve, reject) => {
      const asked = { verb: verb as Verb<unknown, unknown>, input, needs, resolve, reject };
      const waiting = lanes.get(lane);
      if (waiting !== undefined) waiting.push(asked);
      else {
        lanes.set(lane, []);
        void runLane(lane, asked, fresh);
      }
    });
  }

  return {
    change: (verb, input) => change(verb, input),
    async changeAll(verb, inputs) {
      // All are decided before the first is applied: one that throws changes nothing.
      const all = await Promise.all(inputs.map((input) => look(verb.needs(input), true)));
      const asked = verb as Verb<unknown, unknown>;
      const made = inputs.map((input, index) =>
        decide([{ verb: asked, input }], all[index] as Seen),
      );
      for (const { outcomes } of made) {
        for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
      }
      // In order: places in line rise from one to the next.
      const prepared = await Promise.all(
        made.map(async ({ decided }) =>
          changesNothing(decided.decision) ? null : prepare(decided),
        ),
      );
      const applied = await Promise.all(
        made.map(async ({ decided }, index) => {
          const one = prepared[index];
          return one === null || one === undefined || apply(decided, one);
        }),
      );
      const answers: unknown[] = [];
      for (const [index, input] of inputs.entries()) {
        const done = applied[index] === true;
        answers.push(done ? made[index]?.decided.decision.answer : await change(verb, input, true));
      }
      return answers as never;
    },
    async refile(ref) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const { head } = await rows.issue(ref, true);
        if (head === undefined) return;
        const tasks = await rows.tasks(head.tasks, true);
        const ready = [...tasks.values()].filter(({ row }) => row.state === 'ready');
        if (ready.length === 0) return;
        const seen = await look({ tasks: ready.map(({ row }) => row.id), issue: ref }, true);
        const again = [...seen.tasks.values()].map(({ row }) => row);
        const decision: Decision<null> = { tasks: again, answer: null };
        if (await applyOne({ seen, decision, places: null, now: clock.now() })) return;
        await buckets.filing(true);
      }
    },
  };
}
