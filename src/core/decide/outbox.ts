// The outbox: writes that are due are locked by whoever carries them out, and settled by their version.

import type { FactBody } from '../facts.ts';
import {
  type IssueRef,
  type LedgerRow,
  toWrite,
  type WriteRow,
  writeId,
} from '../rows/ledger-row.ts';
import type { LabelsOfIssue, Settlement, Write } from '../store.ts';
import type { Found, Verb } from './verb.ts';
import {
  adopt,
  isSameWrite,
  join,
  ledgerIfChanged,
  lock,
  replaceWrite,
  retryFailed,
  touch,
} from './wants.ts';

interface OneIssue {
  readonly issue: IssueRef;
}

const needs = ({ issue }: OneIssue) => ({ tasks: [], issue });

export interface TakeInput extends OneIssue {
  readonly ids: readonly string[];
  readonly lockMs: number;
}

/** Those of these entries that are still due; they are the caller's for `lockMs`. */
export const takeWrites: Verb<TakeInput, readonly Write[]> = {
  name: 'takeWrites',
  needs,
  decide({ ledger: before }, { ids, lockMs }, { now }) {
    const due = before.writes.filter(
      (write) => write.availableAt <= now && ids.includes(writeId(before, write)),
    );
    const ledger = due.reduce((row, write) => lock(row, write, now + lockMs), before);
    return {
      ...ledgerIfChanged(before, ledger),
      answer: due.map((write) => toWrite(before, write)),
    };
  },
};

export interface SettleInput extends OneIssue {
  readonly id: string;
  readonly version: number;
  readonly settlement: Settlement;
}

function withoutWrite(ledger: LedgerRow, write: WriteRow): LedgerRow {
  return { ...ledger, writes: ledger.writes.filter((other) => !isSameWrite(other, write)) };
}

function written(
  { ledger }: Found,
  labels: readonly string[],
  now: number,
): { ledger: LedgerRow; fact: FactBody } {
  const { repository, number } = ledger;
  return {
    ledger: { ...ledger, written: labels, writtenAt: now },
    fact: { type: 'ledger_written', repository, number, labels },
  };
}

/**
 * What the issue may show by this is Banto's to take off again, unless it is wanted. A store that knows of no write at
 * all has lost its data: what such an issue shows is adopted with its grace, when agents are known by name again.
 */
function arrivedLate(before: LedgerRow, labels: readonly string[], now: number): LedgerRow {
  if (before.writtenAt === null) return before;
  const known = labels.every((label) => before.written.includes(label));
  return known ? before : adopt(before, labels, now);
}

/**
 * Somebody who had other labels to write, and died before saying so, may have them on their way: what these bring is
 * taken off when they must have arrived. Null: nobody has.
 */
function lateAfter({ late }: WriteRow, version: number, now: number): number | null {
  return late === null || late.version === version || late.until <= now ? null : late.until;
}

export const settleWrite: Verb<SettleInput, void> = {
  name: 'settleWrite',
  needs,
  decide(found, { id, version, settlement }, { now }) {
    const before = found.ledger;
    const { repository, number } = before;
    const write = before.writes.find((entry) => writeId(before, entry) === id);
    const labels = settlement.outcome === 'written' ? settlement.labels : null;
    if (write === undefined) {
      // Its lock ran out and somebody else wrote the entry; then this write arrived, perhaps after the other one.
      const late = labels === null ? before : arrivedLate(before, labels, now);
      return { ...ledgerIfChanged(before, late), answer: undefined };
    }
    const current = write.version === version;
    if (!current && write.lockedVersion !== version) {
      // A late word on a version that nobody holds any more. Its labels may still have reached the issue, so
      // that a later write must know to take them off.
      if (labels === null) return { answer: undefined };
      const late = { ...before, written: join(before.written, labels), writtenAt: now };
      return { ledger: late, answer: undefined };
    }
    const facts: FactBody[] = [];
    const isWritten = labels !== null && found.issue !== undefined;
    const againAt = isWritten ? lateAfter(write, version, now) : null;
    let ledger = before;
    if (settlement.outcome === 'retry' || settlement.outcome === 'refused') {
      const { error } = settlement;
      const final = current && settlement.outcome === 'refused';
      facts.push({ type: 'ledger_failed', repository, number, error, final });
    } else if (isWritten) {
      // What was written stands on the issue, whatever has been wanted since.
      const recorded = written(found, labels, now);
      ({ ledger } = recorded);
      facts.push(recorded.fact);
      if (againAt !== null) ledger = { ...ledger, written: join(before.written, labels) };
    }
    if (!current) {
      // A later step touched the entry while an older version of it was being written.
      ledger = replaceWrite(ledger, { ...write, availableAt: now, lockedVersion: null });
    } else if (settlement.outcome === 'retry') {
      const { error, delayMs } = settlement;
      const again = { attempts: write.attempts + 1, error, availableAt: now + delayMs };
      ledger = replaceWrite(ledger, { ...write, ...again, lockedVersion: null });
    } else if (settlement.outcome === 'later') {
      const availableAt = now + settlement.delayMs;
      ledger = replaceWrite(ledger, { ...write, availableAt, lockedVersion: null });
    } else if (againAt !== null) {
      const again = { attempts: 0, error: null, availableAt: againAt, lockedVersion: null };
      ledger = replaceWrite(ledger, { ...write, ...again });
    } else {
      ledger = withoutWrite(ledger, write);
    }
    return { ledger, facts, answer: undefined };
  },
};

export interface RetryInput extends OneIssue {
  readonly ids: readonly string[];
}

/** Those of these entries that failed before are due now. Answers how many. */
export const retryWrites: Verb<RetryInput, number> = {
  name: 'retryWrites',
  needs,
  decide({ ledger: before }, { ids }, { now }) {
    const isMeant = (write: WriteRow) => ids.includes(writeId(before, write));
    const ledger = retryFailed(before, isMeant, now);
    const answer = ledger.writes.filter((write, at) => write !== before.writes[at]).length;
    return { ...ledgerIfChanged(before, ledger), answer };
  },
};

/**
 * What a write of labels needs; null: no such issue. What is wanted may have changed since the entry was locked: from
 * here on these labels, too, may stand on the issue, whatever becomes of the writer.
 */
export const labels: Verb<OneIssue, LabelsOfIssue | null> = {
  name: 'labels',
  needs,
  decide({ issue, ledger: before }) {
    if (issue === undefined) return { answer: null };
    const { wanted, written: put } = before;
    const mayStand = join(put, wanted);
    const ledger = mayStand === put ? before : { ...before, written: mayStand };
    const answer = { wanted, written: mayStand, matchLabels: issue.matchLabels };
    return { ...ledgerIfChanged(before, ledger), answer };
  },
};

/** Asks for the labels of an issue to be written again. Already pending, or no such issue: left as it is. */
export const touchLabels: Verb<OneIssue, void> = {
  name: 'touchLabels',
  needs,
  decide(found, _input, { now }) {
    if (found.issue === undefined) return { answer: undefined };
    return { ...ledgerIfChanged(found.ledger, touch(found.ledger, now)), answer: undefined };
  },
};
