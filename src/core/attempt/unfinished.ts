// What a request means for the task that its agent still holds.

import type { TaskKind } from '../task.ts';

export const ON_UNFINISHED = ['complete', 'resume', 'release'] as const;
export type OnUnfinished = (typeof ON_UNFINISHED)[number];

export type MeetsUnfinished =
  /** The agent never heard of it: this request is answered with it. */
  | 'answer'
  | 'resume'
  | 'release'
  | 'complete'
  /** A review without a verdict is no review: an attempt, and then somebody else. */
  | 'fail';

/**
 * Only a lease whose answer was given to the agent may end by asking for another task. Everything else
 * would report work as finished, or given back, that nobody ever heard of.
 */
export function meetUnfinished(
  { answered, kind }: { readonly answered: boolean; readonly kind: TaskKind },
  onUnfinished: OnUnfinished,
): MeetsUnfinished {
  if (!answered) return 'answer';
  if (onUnfinished !== 'complete') return onUnfinished;
  return kind === 'review' ? 'fail' : 'complete';
}
