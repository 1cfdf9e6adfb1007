// The one step: changes and claims that are asked for in one turn of the event loop share one round trip.

import { leasedFact } from '../../../core/decide/claim.ts';
import { busy } from '../../../core/errors.ts';
import type { Fact, FactBody } from '../../../core/facts.ts';
import { createArguments } from '../connection/arguments.ts';
import type { Link, Reply } from '../connection/link.ts';
import type { StoreClock } from '../connection/store-clock.ts';
import type { Keys } from '../keys.ts';
import { type CountedFact, leaseShift } from './fact-lines.ts';
import {
  type Change,
  type ClaimAsked,
  MOST_CHANGES,
  spellChanges,
  spellClaims,
} from './step-arguments.ts';
import { decodeLeased, nameOfTask, type Unfolded } from './work.ts';

/** A task that was leased, with all the work on its issue. */
export interface Leased extends Unfolded {
  readonly word: 'leased';
  readonly seenAt: string;
}

/** What became of a claim: a task, or another word and what belongs to it. */
export type ClaimReply = Leased | { readonly word: string; readonly detail: string };

export const isLeasedReply = (reply: ClaimReply): reply is Leased => reply.word === 'leased';

function readClaims(flat: readonly string[]): ClaimReply[] {
  const replies: ClaimReply[] = [];
  for (let at = 0; at < flat.length; at += 4) {
    const word = flat[at] as string;
    const detail = flat[at + 1] as string;
    if (word === 'leased') {
      const unfolded = decodeLeased(nameOfTask(detail), flat[at + 2] as string);
      replies.push({ word, ...unfolded, seenAt: flat[at + 3] as string });
    } else replies.push({ word, detail });
  }
  return replies;
}

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

type FactListener = (facts: readonly Fact[], counted: readonly CountedFact[]) => void;

export type Applied = 'ok' | 'stale';

export interface Steps {
  change(change: Change): Promise<Applied>;
  claim(asked: ClaimAsked): Promise<ClaimReply>;
  /** Facts of this instance's own steps, as they come back. */
  onFacts(listener: FactListener): void;
  /** A step that changes nothing: what the clock says. */
  look(): Promise<void>;
  registryVersion(): number;
}

/** One step keeps everybody else waiting: it does at most this much. */
const MOST_ROWS = 200;
const MOST_CLAIMS = 32;
/** Fewer are not worth a step of their own; and changes of one call keep their order within a step. */
const LEAST_CHANGES = 8;
const LEAST_CLAIMS = 2;
/** How much older than the step a decision may be. */
const MOST_LATE_MS = 1000;

export function createSteps(
  link: Link,
  keys: Keys,
  clock: StoreClock,
  publish: (facts: readonly CountedFact[]) => void,
  tell: { readonly failed: (what: string[]) => void; readonly setAside: (ids: string[]) => void },
): Steps {
  const listeners = new Set<FactListener>();
  let changes: Waiting<Change, Applied>[] = [];
  let claims: Waiting<ClaimAsked, ClaimReply>[] = [];
  let scheduled = false;
  /** Changes and claims that Redis has not answered yet. */
  let underWay = 0;
  let version = 0;
  const writeArguments = createArguments();

  function tellFacts(counted: readonly CountedFact[]): void {
    if (counted.length === 0) return;
    const facts = counted.map(({ fact }) => fact);
    link.sawSeq(facts.at(-1)?.seq ?? 0);
    for (const listener of listeners) listener(facts, counted);
    publish(counted);
  }

  function factsOf(
    asked: readonly Change[],
    words: readonly string[],
    answers: readonly ClaimReply[],
    before: number,
    at: number,
  ): CountedFact[] {
    const facts: CountedFact[] = [];
    const numbered = (fact: FactBody): Fact => ({ seq: before + 1 + facts.length, at, ...fact });
    asked.forEach((change, index) => {
      if (words[index] !== 'ok') return;
      for (const { fact, moved: shift, body } of change.facts) {
        const id = 'taskId' in fact ? fact.taskId : null;
        const left = change.left?.find(({ row }) => row.id === id);
        facts.push({ fact: numbered(fact), shift, body, left });
      }
    });
    for (const answer of answers) {
      if (!isLeasedReply(answer)) continue;
      const { row, before } = answer;
      const left = { row, before, leased: true };
      facts.push({ fact: numbered(leasedFact(row)), shift: leaseShift(row.priority), left });
    }
    return facts;
  }

  async function step(
    asked: readonly Change[],
    claiming: readonly ClaimAsked[],
  ): Promise<{ words: string[]; answers: ClaimReply[] }> {
    const timed = asked.some((change) => change.timed);
    const told = writeArguments((to) => {
      spellChanges(asked, keys.at, to);
      spellClaims(claiming, to);
    });
    const decidedAt = timed ? String(clock.now()) : '';
    const reply: Reply = await link.run('step', [decidedAt, String(MOST_LATE_MS)], told);
    const [word, at, offset, seq, place, registry] = reply as string[];
    clock.told(Number(at), Number(offset), Number(place));
    if (word === 'clock') {
      return {
        words: asked.map(() => 'stale'),
        answers: claiming.map(() => ({ word: 'again', detail: '' })),
      };
    }
    const [words, failed, corrupt, flat] = reply.slice(6) as string[][];
    version = Number(registry);
    const answers = readClaims(flat ?? []);
    if (failed !== undefined && failed.length > 0) tell.failed(failed);
    if (corrupt !== undefined && corrupt.length > 0) tell.setAside(corrupt);
    tellFacts(factsOf(asked, words ?? [], answers, Number(seq), Number(at)));
    return { words: words ?? [], answers };
  }

  /** As many as one step may do, in order. A row is compared once in a step: who names it again comes with the next. */
  function nextChanges(most: number): Waiting<Change, Applied>[] {
    const named = new Set<string>();
    let rows = 0;
    let count = 0;
    for (const { asked } of changes) {
      rows += asked.rows.length + asked.lists.length / 2;
      if (count === MOST_CHANGES || count === most) break;
      if (count > 0 && (rows > MOST_ROWS || asked.rows.some(([name]) => named.has(name)))) break;
      for (const [name] of asked.rows) named.add(name);
      count += 1;
    }
    return changes.splice(0, count);
  }

  function flush(): void {
    // Half of all: Redis works on it while the other half is decided and answered here.
    const most = Math.ceil((underWay + changes.length + claims.length) / 2);
    const changing = nextChanges(Math.max(LEAST_CHANGES, most));
    // Claims come after the changes that were asked for before them.
    const room = changes.length > 0 ? 0 : Math.max(LEAST_CLAIMS, most) - changing.length;
    const claiming = claims.splice(0, Math.max(0, Math.min(MOST_CLAIMS, room)));
    const together = changing.length + claiming.length;
    underWay += together;
    scheduled = changes.length > 0 || claims.length > 0;
    if (scheduled) setImmediate(flush);
    const stepped = step(
      changing.map(({ asked }) => asked),
      claiming.map(({ asked }) => asked),
    ).finally(() => {
      underWay -= together;
    });
    stepped.then(
      ({ words, answers }) => {
        changing.forEach(({ resolve }, index) => resolve(words[index] === 'ok' ? 'ok' : 'stale'));
        claiming.forEach((waiting, index) => {
          const answer = answers[index];
          if (answer === undefined) waiting.reject(busy(new Error('A claim without an answer.')));
          else waiting.resolve(answer);
        });
        return words;
      },
      (error: unknown) => {
        for (const { reject } of [...changing, ...claiming]) reject(error);
      },
    );
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    change: (asked) =>
      new Promise((resolve, reject) => {
        changes.push({ asked, resolve, reject });
        schedule();
      }),
    claim: (asked) =>
      new Promise((resolve, reject) => {
        claims.push({ asked, resolve, reject });
        schedule();
      }),
    onFacts: (listener) => void listeners.add(listener),
    look: async () => void (await step([], [])),
    registryVersion: () => version,
  };
}
