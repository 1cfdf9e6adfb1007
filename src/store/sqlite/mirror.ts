// Mirror: records issues as the forge shows them and applies their plans, a batch in one step.

import type { MirrorEntry, TaskVerbs } from '../../core/store.ts';
import type { CancelTask } from './cancel.ts';
import type { Step } from './commit.ts';
import type { Kit } from './kit.ts';
import { createPlanStep } from './mirror-plan.ts';
import type { TaskRow } from './rows.ts';
import { all, first, loadStatements } from './statements.ts';

interface Known {
  id: number;
  state: string;
  updated_at: number;
  match_labels: string;
}

export function createMirror(kit: Kit, cancelTask: CancelTask): TaskVerbs['mirror'] {
  const { shelf } = kit;
  const sql = loadStatements(kit.db, 'mirror', [
    'known',
    'record',
    'picture',
    'labels',
    'unlabel',
    'label',
    'independ',
    'depend',
    'ready',
    'plan',
    'planLeased',
  ]);
  const applyPlan = createPlanStep(kit, sql, cancelTask);

  function record({ issue, matchLabels, dependsOn }: MirrorEntry, now: number): number {
    const { repository, number, state } = issue;
    const match_labels = JSON.stringify(matchLabels);
    const values = { repository, number, state, updated_at: issue.updatedAt, match_labels, now };
    const id = first<{ id: number }>(sql.record, values)?.id ?? 0;
    sql.picture.run({ issue_id: id, picture: JSON.stringify(issue) });
    sql.independ.run({ repository, number });
    for (const depends_on of dependsOn) sql.depend.run({ repository, depends_on, number });
    return id;
  }

  /** Adds and removes only what differs: the counts that hang on labels follow by trigger. */
  function label(issueId: number, { issue, matchLabels }: MirrorEntry): void {
    const wanted = new Map([
      ...issue.labels.map((name): [string, number] => [name.toLowerCase(), 0]),
      ...matchLabels.map((name): [string, number] => [name, 1]),
    ]);
    for (const row of all<{ label: string; matching: number }>(sql.labels, { issue_id: issueId })) {
      if (wanted.get(row.label) === row.matching) wanted.delete(row.label);
      else sql.unlabel.run({ issue_id: issueId, label: row.label });
    }
    for (const [name, matching] of wanted) {
      sql.label.run({ issue_id: issueId, label: name, matching });
    }
  }

  function mirror(entry: MirrorEntry, step: Step): void {
    const { now } = step;
    const { repository, number } = entry.issue;
    const known = first<Known>(sql.known, { repository, number });
    if (known !== undefined && entry.issue.updatedAt < known.updated_at) return;
    const issueId = record(entry, now);
    label(issueId, entry);
    if (known !== undefined && known.match_labels !== JSON.stringify(entry.matchLabels)) {
      for (const row of all<TaskRow>(sql.ready, { issue_id: issueId })) shelf.refile(row, now);
    }
    const reopened = known?.state === 'closed' && entry.issue.state === 'open';
    for (const plan of entry.plans) {
      const found = shelf.find(plan.id);
      if (found !== undefined) applyPlan.meet(found, plan, reopened, step);
      else if (plan.create) applyPlan.make(issueId, plan, step);
    }
    if (entry.adopt !== undefined) kit.ledger.adopt(issueId, entry.adopt, now);
    if (entry.ledger !== undefined) kit.ledger.want(issueId, entry.ledger, now);
  }

  return (entries) =>
    kit.write((step) => {
      for (const entry of entries) mirror(entry, step);
    });
}
