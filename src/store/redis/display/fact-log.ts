// The facts as a log: read by number, from wherever somebody stopped.

import type { Fact } from '../../../core/facts.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { type CountedFact, readEntry } from '../rows/fact-lines.ts';

/** Each entry is all the facts of one step. */
const ENTRIES = 100;

export interface FactLog {
  /** Those of the next entries, with what they change of counts. */
  next(seq: number): Promise<CountedFact[]>;
  after(seq: number, limit: number): Promise<Fact[]>;
  /** The facts with these numbers that are still there. */
  numbered(seqs: readonly number[]): Promise<Fact[]>;
  lastSeq(): Promise<number>;
}

export function createFactLog(link: Link, { at }: Keys): FactLog {
  async function entries(from: number, count: number): Promise<CountedFact[]> {
    const reply = await link.send('XRANGE', at.facts, `0-${from}`, '+', 'COUNT', count);
    return (reply as [string, string[]][]).flatMap(readEntry);
  }

  async function next(seq: number): Promise<CountedFact[]> {
    return (await entries(seq + 1, ENTRIES)).filter(({ fact }) => fact.seq > seq);
  }

  return {
    next,
    async after(seq, limit) {
      const found: Fact[] = [];
      while (found.length < limit) {
        const facts = await next(found.at(-1)?.seq ?? seq);
        if (facts.length === 0) break;
        for (const { fact } of facts) found.push(fact);
      }
      return found.slice(0, Math.max(0, limit));
    },
    async numbered(seqs) {
      const found = await Promise.all(seqs.map((seq) => entries(seq, 1)));
      return found.flatMap((facts, index) =>
        facts.filter(({ fact }) => fact.seq === seqs[index]).map(({ fact }) => fact),
      );
    },
    async lastSeq() {
      return Number((await link.send('HGET', at.meta, 'seq')) ?? 0);
    },
  };
}
