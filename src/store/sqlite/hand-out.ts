// What a claim and a recall answer with.

import type { HandOut } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { isAnswered, type LeasedRow, toIssue, toLease, toTask } from './rows.ts';

export function handOutOf(
  kit: Pick<Kit, 'ledger' | 'issues' | 'attempts'>,
  row: LeasedRow,
  { replay, lockMs, now }: { replay: boolean; lockMs: number | null; now: number },
): HandOut {
  const { writes, unwritten } = kit.ledger.take(row, now, lockMs);
  return {
    task: toTask(row),
    lease: toLease(row),
    issue: toIssue(kit.issues.find(row.issue_id)),
    attempts: kit.attempts(row.id).filter((attempt) => attempt.fence !== row.fence),
    writes,
    unwritten,
    replay,
    answered: isAnswered(row),
  };
}
