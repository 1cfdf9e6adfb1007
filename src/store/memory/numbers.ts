// Issues in order of their number, and which of them wait for which.

import { issueKey } from '../../core/issue.ts';
import type { IssueRow } from '../../core/rows/issue-row.ts';

export interface Numbers {
  add(issue: IssueRow): void;
  remove(issue: IssueRow): void;
  /** Numbers of a repository above this one, rising. */
  above(repository: string, number: number): Generator<number>;
  /** Open issues that wait for this one, rising. */
  waitingFor(repository: string, number: number): number[];
}

export function createNumbers(): Numbers {
  const sorted = new Map<string, number[]>();
  const waiting = new Map<string, Set<number>>();

  /** The first place whose number is higher. */
  function placeAbove(numbers: readonly number[], number: number): number {
    let low = 0;
    let high = numbers.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((numbers[middle] ?? 0) <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function listOf(repository: string): number[] {
    const list = sorted.get(repository) ?? [];
    sorted.set(repository, list);
    return list;
  }

  return {
    add({ repository, number, state, dependsOn }) {
      const list = listOf(repository);
      list.splice(placeAbove(list, number), 0, number);
      if (state !== 'open') return;
      for (const other of dependsOn) {
        const key = issueKey(repository, other);
        waiting.set(key, (waiting.get(key) ?? new Set()).add(number));
      }
    },
    remove({ repository, number, dependsOn }) {
      const list = listOf(repository);
      const at = placeAbove(list, number) - 1;
      if (list[at] === number) list.splice(at, 1);
      for (const other of dependsOn) {
        const key = issueKey(repository, other);
        const own = waiting.get(key);
        own?.delete(number);
        if (own?.size === 0) waiting.delete(key);
      }
    },
    *above(repository, number) {
      const list = listOf(repository);
      for (let at = placeAbove(list, number); at < list.length; at += 1) yield list[at] as number;
    },
    waitingFor: (repository, number) =>
      [...(waiting.get(issueKey(repository, number)) ?? [])].sort((a, b) => a - b),
  };
}
