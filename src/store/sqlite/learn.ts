// Learn: labels become relevant, and the ready tasks that carry them are filed under them. Once per label.

import { bucketKey, parseBucketKey } from '../../core/match.ts';
import type { TaskVerbs } from '../../core/store.ts';
import type { Kit } from './kit.ts';
import { all, first, loadStatements } from './statements.ts';

export function createLearn(kit: Kit): TaskVerbs['learn'] {
  const sql = loadStatements(kit.db, 'learn', ['known', 'learn', 'affected', 'refile']);

  function learn(label: string, now: number): void {
    if (first(sql.known, { label }) !== undefined) return;
    sql.learn.run({ label });
    for (const { bucket: from } of all<{ bucket: string }>(sql.affected, { label })) {
      const bucket = parseBucketKey(from);
      const to = bucketKey({ ...bucket, labels: [...bucket.labels, label] });
      sql.refile.run({ from, to, label, now });
    }
  }

  return (labels) =>
    kit.write((step) => {
      for (const label of new Set(labels)) learn(label, step.now);
    });
}
