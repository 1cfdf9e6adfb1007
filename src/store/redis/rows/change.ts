// `change`: reads what a verb needs, asks it, and has the step apply the decision if nobody was faster. Changes of one
// issue from this process wait for each other; those that have waited are decided one after the other, and applied
// together.

import type { BaseStore } from '../../../core/base-store.ts';
import { changesNothing, type Decision, type Found, type Verb } from '../../../core/decide/verb.ts';
import { busy } from '../../../core/errors.ts';
import type { AgentNote } from '../../../core/rows/agent-row.ts';
import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { TaskRow } from '../../../core/rows/task-row.ts';
import type { StoreClock } from '../connection/store-clock.ts';
import { createPrepare, type Decided, type Prepared, type Preparing } from './prepare.ts';
import type { Steps } from './steps.ts';
import { decodeWork, findTask, issueName, issueOf, type Work } from './work.ts';
import type { Works } from './works.ts';

const MOST_TRIES = 50;
const MOST_TOGETHER = 50;
const NOWHERE: Work = decodeWork('', '');
const NOTHING: Decision<unknown> = { answer: null };

interface Changing extends Preparing {
  readonly works: Works;
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
  readonly ref: IssueRef | null;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}
type Outcome = { readonly answer: unknown } | { readonly error: unknown };

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
  const { works, steps, clock, buckets } = env;
  const prepare = createPrepare(env);
  /** Who waits for the change of an issue that is under way. */
  const lanes = new Map<string, Asked[]>();

  /** What a verb is shown, as it is now. */
  async function look(ref: IssueRef | null): Promise<Work> {
    return ref === null ? NOWHERE : ((await works.get([ref]))[0] ?? NOWHERE);
  }

  /** Decisions on one issue, each on what those before it leave; one that throws leaves nothing. */
  function deciding(work: Work) {
    const moment = clock.moment();
    let all: Decision<unknown> | null = null;
    return {
      decide({ verb, input }: Pick<Asked, 'verb' | 'input'>): Outcome {
        const { tasks, issue, ledger = work.ledger } = all ?? NOTHING;
        const found: Found = {
          task: (id) => tasks?.find((row) => row.id === id) ?? findTask(work, id)?.row,
          get issue() {
            return issue?.row ?? issueOf(work);
          },
          ledger,
        };
        try {
          const decision = verb.decide(found, input, moment);
          all = all === null ? decision : joined(all, decision);
          return { answer: decision.answer };
        } catch (error) {
          return { error };
        }
      },
      decided: (): Decided => ({
        work,
        decision: all ?? NOTHING,
        places: moment.places(),
        now: moment.now,
      }),
    };
  }

  async function apply({ work, decision, now }: Decided, prepared: Prepared): Promise<boolean> {
    const word = await steps.change(prepared.change);
    // What is leased will be asked for again, by heartbeats and at its end.
    const next = word === 'ok' ? prepared.next : null;
    if (next?.tasks.some((task) => task.open && task.row.lease !== null)) works.remember(next);
    else works.forget(work.name);
    if (word !== 'ok') return false;
    for (const about of decision.agents ?? []) env.note(about, now);
    return true;
  }

  const applyOne = async (decided: Decided): Promise<boolean> =>
    apply(decided, await prepare(decided));

  async function together(
    name: string,
    asked: readonly Asked[],
    freshAtFirst: boolean,
  ): Promise<Outcome[]> {
    let fresh = freshAtFirst;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const known = fresh || name === '' ? undefined : works.remembered(name);
      const made = deciding(known ?? (await look(asked[0]?.ref ?? null)));
      const outcomes = asked.map(made.decide);
      const decided = made.decided();
      if (changesNothing(decided.decision)) {
        // A refusal, or a repeat, that was decided from what is remembered may be out of date.
        if (known === undefined) return outcomes;
      } else if (await applyOne(decided)) return outcomes;
      else if (tries > 0) await buckets.filing(true);
      fresh = true;
    }
    throw busy(new Error(`${asked[0]?.verb.name} was overtaken ${MOST_TRIES} times.`));
  }

  async function runLane(lane: string, first: Asked, fresh: boolean): Promise<void> {
    for (let asked = [first]; asked.length > 0; ) {
      try {
        const outcomes = await together(lane, asked, fresh);
        asked.forEach(({ resolve, reject }, index) => {
          const outcome = outcomes[index] as Outcome;
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.answer as never);
        });
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
    const { issue: ref } = verb.needs(input);
    const lane = ref === null ? '' : issueName(ref);
    return new Promise((resolve, reject) => {
      const asked = { verb: verb as Verb<unknown, unknown>, input, ref, resolve, reject };
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
      const works = await Promise.all(inputs.map((input) => look(verb.needs(input).issue)));
      const issues = new Map<string, ReturnType<typeof deciding>>();
      // In this order, also where an issue comes again: so do the places in line. All are decided before the first is
      // applied: one that throws changes nothing.
      const answers: unknown[] = inputs.map((input, index) => {
        const work = works[index] ?? NOWHERE;
        const made = issues.get(work.name) ?? deciding(work);
        issues.set(work.name, made);
        const outcome = made.decide({ verb, input });
        if ('error' in outcome) throw outcome.error;
        return outcome.answer;
      });
      const changing = [...issues.values()]
        .map((made) => made.decided())
        .filter(({ decision }) => !changesNothing(decision));
      const prepared = await Promise.all(changing.map(prepare));
      const applied = await Promise.all(
        prepared.map((one, index) => apply(changing[index] as Decided, one)),
      );
      const overtaken = new Set(
        changing.filter((_, index) => applied[index] === false).map(({ work }) => work.name),
      );
      for (const [index, input] of inputs.entries()) {
        const { name } = works[index] ?? NOWHERE;
        if (overtaken.has(name)) answers[index] = await change(verb, input, true);
      }
      return answers as never;
    },
    async refile(ref) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const work = await look(ref);
        const ready = work.tasks.filter((task) => task.open && task.row.state === 'ready');
        if (ready.length === 0) return;
        const decision: Decision<null> = { tasks: ready.map(({ row }) => row), answer: null };
        if (await applyOne({ work, decision, places: null, now: clock.now() })) return;
        await buckets.filing(true);
      }
    },
  };
}
