// The one step: changes and claims that are asked for in one turn of the event loop share one round trip. What a
// change is made of is spelled out here, list by list, so that Redis runs one command for each list.

import { busy } from '../../core/errors.ts';
import type { Fact, FactBody } from '../../core/facts.ts';
import type { FactLine } from './fact-lines.ts';
import { leaseFact } from './fact-lines.ts';
import type { Link, Reply } from './link.ts';
import type { StoreClock } from './store-clock.ts';

/** A row, by name: the text it must have still (`*`: any) and the next one (`=`: as it is, `-`: none). */
export type RowChange = readonly [name: string, expected: string, next: string];
/** One item of one list: the command, its key (`@`: each item has its own), the values. */
export type ListChange = readonly [verb: string, key: string, ...values: string[]];

export interface Change {
  readonly rows: readonly RowChange[];
  readonly lists: readonly ListChange[];
  readonly facts: readonly FactLine[];
  /** Only while the clock has not reached this. */
  readonly until: number | null;
  /** The first and the last place in line that it gives. */
  readonly places: readonly [number, number] | null;
  /** What the buckets were named by; '' where nothing is filed. */
  readonly filing: string;
  /** Numbers of buckets whose lists change. */
  readonly buckets: readonly string[];
  /** True: the instant it was decided at must be near the clock. */
  readonly timed: boolean;
}

export interface ClaimAsked {
  readonly groups: string;
  readonly version: number;
  readonly holds: string;
  readonly agentId: string;
  readonly token: string;
  readonly seconds: number;
  readonly lockMs: number;
  readonly fenceFloor: number;
  readonly requestId: string | null;
  /** JSON, by kind: implement, review, fix. */
  readonly labels: readonly [string, string, string];
}

/** The word, and what belongs to it. */
export type ClaimReply = readonly [
  word: string,
  id: string,
  task: string,
  ledger: string,
  head: string,
  seenAt: string,
];

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export type Applied = 'ok' | 'stale';

export interface Steps {
  change(change: Change): Promise<Applied>;
  claim(asked: ClaimAsked): Promise<ClaimReply>;
  /** Facts of this instance's own steps, as they come back. */
  onFacts(listener: (facts: readonly Fact[]) => void): void;
  /** A step that changes nothing: what the clock says. */
  look(): Promise<void>;
  registryVersion(): number;
}

/** One step keeps everybody else waiting: it does at most this much. */
const MOST_ROWS = 400;
const MOST_CLAIMS = 64;
/** How much older than the step a decision may be. */
const MOST_LATE_MS = 1000;

/** What limits a key comes after whatever fills it, in whichever order a change names them. */
const LAST = new Set(['EXPIRE', 'LTRIM']);
const byTurn = ([one = '']: string[], [other = '']: string[]): number =>
  Number(LAST.has(one)) - Number(LAST.has(other));

function spellChanges(changes: readonly Change[], args: string[]): void {
  if (changes.length === 0) {
    args.push('0', '0');
    return;
  }
  const facts: string[] = [];
  const buckets = new Set<string>();
  const lists = new Map<string, string[]>();
  const rows = changes.reduce((sum, change) => sum + change.rows.length, 0);
  args.push(String(changes.length), String(rows));
  for (const { until, places, filing } of changes) {
    args.push(until === null ? '' : String(until));
    args.push(...(places === null ? ['', ''] : places.map(String)), filing);
  }
  for (const [index, change] of changes.entries()) {
    const c = String(index + 1);
    for (const [name, expected, next] of change.rows) args.push(c, name, expected, next);
    for (const { shift, body } of change.facts) facts.push(c, shift, body);
    for (const bucket of change.buckets) buckets.add(bucket);
    for (const [verb, key, ...values] of change.lists) {
      const name = `${verb} ${key} ${values.length}`;
      const list = lists.get(name);
      if (list === undefined) {
        lists.set(name, [verb, key, String(values.length), '1', c, ...values]);
      } else {
        list[3] = String(Number(list[3]) + 1);
        list.push(c, ...values);
      }
    }
  }
  args.push(String(facts.length / 3));
  for (const text of facts) args.push(text);
  args.push(String(buckets.size), ...buckets, String(lists.size));
  for (const list of [...lists.values()].sort(byTurn)) for (const text of list) args.push(text);
}

function spellClaims(claims: readonly ClaimAsked[], args: string[]): void {
  const groups = [...new Set(claims.map((claim) => claim.groups))];
  args.push(String(groups.length), ...groups);
  if (claims.length === 0) return;
  args.push(String(claims.length));
  for (const claim of claims) {
    args.push(
      String(groups.indexOf(claim.groups) + 1),
      String(claim.version),
      claim.holds,
      claim.agentId,
      claim.token,
      String(claim.seconds),
      String(claim.lockMs),
      String(claim.fenceFloor),
      JSON.stringify(claim.requestId),
      ...claim.labels,
    );
  }
}

export function createSteps(
  link: Link,
  clock: StoreClock,
  publish: (facts: readonly Fact[]) => void,
  tell: { readonly failed: (what: string[]) => void; readonly setAside: (ids: string[]) => void },
): Steps {
  const listeners = new Set<(facts: readonly Fact[]) => void>();
  let changes: Waiting<Change, Applied>[] = [];
  let claims: Waiting<ClaimAsked, ClaimReply>[] = [];
  let scheduled = false;
  let version = 0;

  function tellFacts(facts: readonly Fact[]): void {
    if (facts.length === 0) return;
    link.sawSeq(facts.at(-1)?.seq ?? 0);
    for (const listener of listeners) listener(facts);
    publish(facts);
  }

  function factsOf(
    asked: readonly Change[],
    words: readonly string[],
    answers: readonly ClaimReply[],
    seq: number,
    at: number,
  ): Fact[] {
    const bodies: FactBody[] = [];
    for (const [index, change] of asked.entries()) {
      if (words[index] !== 'ok') continue;
      for (const { fact } of change.facts) bodies.push(fact);
    }
    for (const [word, id, text] of answers) {
      if (word === 'leased') bodies.push(leaseFact(id, text));
    }
    return bodies.map((body, index) => ({ seq: seq + 1 + index, at, ...body }));
  }

  async function step(
    asked: readonly Change[],
    claiming: readonly ClaimAsked[],
  ): Promise<{ words: string[]; answers: ClaimReply[] }> {
    const timed = asked.some((change) => change.timed);
    const args = [timed ? String(clock.now()) : '', String(MOST_LATE_MS)];
    spellChanges(asked, args);
    spellClaims(claiming, args);
    const reply: Reply = await link.run('step', args);
    const [word, at, offset, seq, place, registry] = reply as string[];
    clock.told(Number(at), Number(offset), Number(place));
    if (word === 'clock') {
      return {
        words: asked.map(() => 'stale'),
        answers: claiming.map(() => ['again', '', '', '', '', '']),
      };
    }
    const [words, failed, corrupt, flat] = reply.slice(6) as string[][];
    version = Number(registry);
    const answers: ClaimReply[] = [];
    for (let from = 0; from < (flat?.length ?? 0); from += 6) {
      answers.push((flat ?? []).slice(from, from + 6) as unknown as ClaimReply);
    }
    if (failed !== undefined && failed.length > 0) tell.failed(failed);
    if (corrupt !== undefined && corrupt.length > 0) tell.setAside(corrupt);
    tellFacts(factsOf(asked, words ?? [], answers, Number(seq), Number(at)));
    return { words: words ?? [], answers };
  }

  /** As many as one step may do, in order. */
  function nextChanges(): Waiting<Change, Applied>[] {
    let rows = 0;
    let count = 0;
    for (const { asked } of changes) {
      rows += asked.rows.length + asked.lists.length / 2;
      if (count > 0 && rows > MOST_ROWS) break;
      count += 1;
    }
    return changes.splice(0, count);
  }

  function flush(): void {
    const changing = nextChanges();
    const claiming = claims.splice(0, MOST_CLAIMS);
    scheduled = changes.length > 0 || claims.length > 0;
    if (scheduled) setImmediate(flush);
    step(
      changing.map(({ asked }) => asked),
      claiming.map(({ asked }) => asked),
    ).then(
      ({ words, answers }) => {
        for (const [index, { resolve }] of changing.entries()) {
          resolve(words[index] === 'ok' ? 'ok' : 'stale');
        }
        for (const [index, waiting] of claiming.entries()) {
          const answer = answers[index];
          if (answer === undefined) waiting.reject(busy(new Error('A claim without an answer.')));
          else waiting.resolve(answer);
        }
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
