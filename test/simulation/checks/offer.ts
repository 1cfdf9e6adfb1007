// Whether what was just handed out may be offered at all, by what the store itself knows of the issue.

import type { Assignment } from '../../../src/broker/broker.ts';
import type { Issue } from '../../../src/core/issue.ts';
import type { Store } from '../../../src/core/store.ts';
import { REPOSITORY } from '../world/remote.ts';

/**
 * What changed while an agent worked counts for the review or fix that follows from the next full pass on: by then there
 * was one, even where the instance that leads was cut off for a while.
 */
const PLANNED_WITHIN_MS = 600_000;

/** A sentence that says what speaks against it; null: nothing, or that may not be known yet. */
export async function offerProblem(
  store: Store,
  given: Assignment,
  now: number,
): Promise<string | null> {
  const { task, issue } = given;
  const isOld = ({ updatedAt }: Issue) => updatedAt < now - PLANNED_WITHIN_MS;
  const handedOut = `${task.id} was handed out`;
  // What the store has been shown of the issue itself counts at once, also for what follows a completion.
  if (issue.labels.includes('blocked')) return `${handedOut}, and it is labelled blocked`;
  if (!isOld(issue)) return null;
  if (task.kind === 'implement' && !issue.body.includes('## Deliverables')) {
    return `${handedOut}, and nobody said what to deliver`;
  }
  const awaited = await store.issuesNumbered(REPOSITORY, issue.blockedBy);
  const open = awaited.find((entry) => entry.issue.state === 'open' && isOld(entry.issue));
  return open === undefined ? null : `${handedOut}, and #${open.issue.number} is open`;
}
