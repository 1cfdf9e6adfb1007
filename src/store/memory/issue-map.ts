// By repository and number, without building a text for every look.

import type { IssueRef } from '../../core/rows/ledger-row.ts';

export interface IssueMap<Value> {
  get(ref: IssueRef): Value | undefined;
  has(ref: IssueRef): boolean;
  set(ref: IssueRef, value: Value): void;
  /** False: it was not there. */
  delete(ref: IssueRef): boolean;
  values(): Value[];
  clear(): void;
}

export function createIssueMap<Value>(): IssueMap<Value> {
  const repositories = new Map<string, Map<number, Value>>();
  return {
    get: ({ repository, number }) => repositories.get(repository)?.get(number),
    has: ({ repository, number }) => repositories.get(repository)?.has(number) ?? false,
    set({ repository, number }, value) {
      const issues = repositories.get(repository);
      if (issues === undefined) repositories.set(repository, new Map([[number, value]]));
      else issues.set(number, value);
    },
    delete: ({ repository, number }) => repositories.get(repository)?.delete(number) ?? false,
    values: () => [...repositories.values()].flatMap((issues) => [...issues.values()]),
    clear: () => repositories.clear(),
  };
}
