// What a store has to provide. It decides nothing: verbs come from `decide/`, and a store applies a decision if
// what it was made from still holds. `withVerbs` puts the named verbs of `Store` on top.

import type { Verb } from './decide/verb.ts';
import type {
  ClaimInput,
  ClaimResult,
  HandOut,
  Instances,
  RecallInput,
  Settings,
  Store,
  SweepInput,
  TaskReads,
} from './store.ts';

export type Due = 'lease' | 'delayed' | 'opening' | 'write';

export interface Steps {
  /**
   * One atomic step: reads what the verb needs, asks it, applies the decision with its facts and answers.
   * Somebody else was faster: asks again with what is there now. Throws `busy` when nothing was written, or
   * when nobody can say; every verb may be repeated.
   */
  change<Input, Answer>(verb: Verb<Input, Answer>, input: Input): Promise<Answer>;
  /**
   * Many of the same, in this order, each a step of its own. One that throws while deciding fails all of the
   * call, and none of it is applied.
   */
  changeAll<Input, Answer>(verb: Verb<Input, Answer>, inputs: readonly Input[]): Promise<Answer[]>;
  /** Chooses and leases in one step: the only choice that a store makes. The rest is `decide/claim.ts`. */
  claim(input: ClaimInput): Promise<ClaimResult>;
  /** The living lease of a request; null: there is none. Which one is `recalled`, what it means `recallTask`. */
  recall(input: RecallInput): Promise<HandOut | null>;
  /** Makes these labels relevant: ready tasks that carry them are filed under them from now on. */
  learn(labels: readonly string[]): Promise<void>;
  /**
   * What is due now: ids of tasks by `compareDue`, or of writes, oldest first. `nextAt` is when the next one
   * falls due that is not among these; null: nothing waits.
   */
  due(
    what: Due,
    limit: number,
    /** Counts what falls due within this time as due. */
    aheadMs?: number,
  ): Promise<{ readonly ids: string[]; readonly nextAt: number | null }>;
  /** Drops what is old: facts, results, closed issues, idle agents, empty buckets. True: there is more. */
  forget(input: Pick<SweepInput, 'limit' | 'factsKeptMs' | 'resultsKeptMs'>): Promise<boolean>;
}

type About = Pick<
  Store,
  'kind' | 'tickets' | 'logs' | 'openPace' | 'generation' | 'now' | 'ping' | 'subscribe' | 'close'
>;

export interface BaseStore extends Steps, TaskReads, Settings, Instances, About {}
