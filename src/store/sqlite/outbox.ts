// The outbox: ledger writes that are due, locked by whoever does them, settled by their version.

import type { Outbox, Settlement, Write } from '../../core/store.ts';
import type { Step } from './commit.ts';
import type { Kit } from './kit.ts';
import { strings, type WriteRow } from './rows.ts';
import { all, first, loadStatements } from './statements.ts';

export function createOutbox(kit: Kit): Outbox {
  const { ledger } = kit;
  const take = loadStatements(kit.db, 'take-writes', ['abandon', 'due']);
  take.abandon.run();
  const settle = loadStatements(kit.db, 'settle-write', [
    'remove',
    'retry',
    'unlock',
    'issue',
    'written',
  ]);
  const touch = loadStatements(kit.db, 'touch-labels', ['known']);

  /** What was written stands on the issue, whatever has been wanted since. */
  function recordLabels(row: WriteRow, labels: readonly string[], step: Step): void {
    const { repository, number } = row;
    const issue = first<{ id: number; written: string }>(settle.issue, { repository, number });
    if (issue === undefined) return;
    settle.written.run({ id: issue.id, written: JSON.stringify(labels), now: step.now });
    step.append({ type: 'ledger_written', repository, number, labels });
  }

  /**
   * A late word on a version that nobody holds any more. Its labels may still have reached the issue,
   * so that a later write must know to take them off.
   */
  function rememberLate(row: WriteRow, labels: readonly string[], now: number): void {
    const { repository, number } = row;
    const issue = first<{ id: number; written: string }>(settle.issue, { repository, number });
    if (issue === undefined) return;
    const written = [...new Set([...strings(issue.written), ...labels])];
    settle.written.run({ id: issue.id, written: JSON.stringify(written), now });
  }

  function settleRow(row: WriteRow, version: number, settlement: Settlement, step: Step): void {
    const { repository, number } = row;
    const current = row.version === version;
    if (!current && row.locked_version !== version) {
      if (settlement.outcome === 'written' && settlement.labels !== null) {
        rememberLate(row, settlement.labels, step.now);
      }
      return;
    }
    if (settlement.outcome === 'written') {
      if (settlement.labels !== null) recordLabels(row, settlement.labels, step);
    } else {
      const { error } = settlement;
      const final = current && settlement.outcome === 'refused';
      step.append({ type: 'ledger_failed', repository, number, error, final });
    }
    if (!current) settle.unlock.run({ id: row.id, now: step.now });
    else if (settlement.outcome === 'retry') {
      const { error, delayMs } = settlement;
      settle.retry.run({ id: row.id, error, at: step.now + delayMs });
    } else settle.remove.run({ id: row.id });
  }

  return {
    takeWrites: (limit, lockMs) =>
      kit.write(({ now }) =>
        all<WriteRow>(take.due, { now, limit }).map((row): Write => ledger.lock(row, now + lockMs)),
      ),
    settleWrite: (write, settlement) =>
      kit.write((step) => {
        const row = ledger.find(write.id);
        if (row !== undefined) settleRow(row, write.version, settlement, step);
      }),
    touchLabels: (repository, number) =>
      kit.write(({ now }) => {
        const known = first(touch.known, { repository, number }) !== undefined;
        if (known) ledger.touchLabels({ repository, number }, now);
      }),
  };
}
