// Tasks of one issue lie side by side: their ids begin alike, so that no index by issue is needed.

import type { IssueRef } from '../../core/rows/ledger-row.ts';
import { taskId } from '../../core/task.ts';

/** What the ids of an issue's tasks begin with. */
export function idsOf({ repository, number }: IssueRef): { from: string; to: string } {
  const id = taskId({ repository, number, kind: 'fix', round: 1 });
  const start = id.slice(0, id.lastIndexOf('~') + 1);
  // No kind has a character as high as this.
  return { from: start, to: `${start}~` };
}
