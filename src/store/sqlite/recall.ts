// Recall: the hand-out of a request that was claimed for it before. And the mark that its answer was sent.

import type { TaskVerbs } from '../../core/store.ts';
import { handOutOf } from './hand-out.ts';
import type { Kit } from './kit.ts';
import type { LeasedRow } from './rows.ts';
import { first, loadStatements } from './statements.ts';

export function createRecall(kit: Kit): Pick<TaskVerbs, 'recall' | 'markAnswered'> {
  const sql = loadStatements(kit.db, 'recall', ['ofRequest', 'takeOver', 'markAnswered']);
  return {
    recall: ({ agentId, requestId, takeOver, writeLockMs: lockMs }) =>
      kit.write(({ now }) => {
        const values = { agent_id: agentId, request_id: requestId, now };
        const row =
          first<LeasedRow>(sql.ofRequest, values) ??
          (takeOver ? first<LeasedRow>(sql.takeOver, values) : undefined);
        return row === undefined ? null : handOutOf(kit, row, { replay: true, lockMs, now });
      }),
    markAnswered: ({ taskId, token }) =>
      kit.write(() => void sql.markAnswered.run({ id: taskId, token })),
  };
}
