// The log of the work on issues that live: a text is appended whenever it changes, and the last one of an issue
// holds. So a turn fills few pages, wherever its issues are. Texts that are outdated are deleted later, in the order
// in which they lie there, so that pages empty as a whole.

import type { DatabaseSync } from 'node:sqlite';
import type { Changes } from '../memory/archive.ts';
import { inBatches, loadStatements } from './statements.ts';

/** So many outdated texts are gathered before they are deleted, some in each turn. */
const GATHERED = 2000;

export interface WorkLog {
  /** Reads where everything is, and what is there: the text of every issue that lives. */
  read(): Map<number, string>;
  textOf(issue: { readonly seq: number; readonly work: string | null }): string;
  /** A part of a transaction; holds from `kept` on. */
  write(changes: Pick<Changes, 'issues' | 'work'>): void;
  kept(): void;
}

export function createWorkLog(db: DatabaseSync): WorkLog {
  const sql = loadStatements(db, 'work', ['all', 'one', 'append', 'closed', 'outdated']);
  const append = inBatches(db, sql.append);
  /** Where the text of each issue is that lives. */
  const places = new Map<number, number>();
  let last = 0;
  let outdated: number[] = [];
  /** In order; being deleted from its end. */
  let deleting: number[] = [];
  /** What the transaction under way makes of them. */
  let next: { places: [number, number | null][]; deleted: number } = { places: [], deleted: 0 };

  function deleteOutdated(atMost: number): void {
    if (deleting.length === 0 && outdated.length >= GATHERED) {
      deleting = outdated.sort((a, b) => b - a);
      outdated = [];
    }
    next.deleted = Math.min(atMost, deleting.length);
    const end = deleting.length - next.deleted;
    for (let at = deleting.length - 1; at >= end; at -= 1) {
      const first = deleting[at] ?? 0;
      let last = first;
      // What was written together is outdated together.
      for (; at > end && deleting[at - 1] === last + 1; at -= 1) last += 1;
      sql.outdated.run(first, last);
    }
  }

  return {
    read() {
      const texts = new Map<number, string>();
      [outdated, deleting] = [[], []];
      places.clear();
      for (const row of sql.all.iterate()) {
        const { seq, issue, text } = row as { seq: number; issue: number; text: string };
        const before = places.get(issue);
        if (before !== undefined) outdated.push(before);
        places.set(issue, seq);
        texts.set(issue, text);
        last = seq;
      }
      return texts;
    },
    textOf({ seq, work }) {
      if (work !== null) return work;
      const found = sql.one.get(places.get(seq) ?? 0) as { text: string } | undefined;
      if (found === undefined) throw new Error(`The work on issue ${seq} is missing.`);
      return found.text;
    },
    write({ issues, work }) {
      next = { places: [], deleted: 0 };
      const lives = new Map(issues.map(({ seq, closedAt }) => [seq, closedAt === null]));
      const values: (number | string)[] = [];
      let place = last;
      for (const [issue, text] of work) {
        const living = lives.get(issue) ?? places.has(issue);
        if (living) values.push((place += 1), issue, text);
        else sql.closed.run(text, issue);
        next.places.push([issue, living ? place : null]);
      }
      append(values);
      deleteOutdated(2 * work.length);
    },
    kept() {
      for (const [issue, place] of next.places) {
        const before = places.get(issue);
        if (before !== undefined) outdated.push(before);
        if (place === null) places.delete(issue);
        else {
          places.set(issue, place);
          last = Math.max(last, place);
        }
      }
      deleting.length -= next.deleted;
      next = { places: [], deleted: 0 };
    },
  };
}
