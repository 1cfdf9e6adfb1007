// What a run amounts to. Pure: the tool's own last word, what git shows, the check and what stopped it are
// weighed here and nowhere else. An exit code of 0 alone is never a success.

import type { Quota, ToolResult } from '../presets/preset.ts';
import type { Halt } from '../run/halt.ts';
import { faultIn } from './quota.ts';
import type { BadVerdict, Verdict } from './verdict.ts';

export interface Evidence {
  readonly kind: 'implement' | 'review' | 'fix';
  readonly exitCode: number;
  readonly signal: string | null;
  /** Why it was stopped from outside; null: it ended by itself. */
  readonly halt: Halt | null;
  readonly startError: string | null;
  /** The tool writes a result at its end. */
  readonly hasResult: boolean;
  readonly result: ToolResult | null;
  readonly quota: Quota | null;
  readonly fault: string | null;
  readonly denials: readonly string[];
  readonly branch: string;
  /** New on the branch since the attempt began. */
  readonly commits: number;
  readonly rewritten: boolean;
  readonly elsewhere: string | null;
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** The agent said that nothing has to be changed, and why. */
  readonly noChange: string | null;
  /** Null: there is none, or it was not run. */
  readonly check: { readonly command: string; readonly passed: boolean } | null;
  readonly verdict: Verdict | BadVerdict | null;
  readonly now: number;
}

export type Outcome =
  | { readonly do: 'complete'; readonly how: 'changed' | 'no_change' | 'reviewed' }
  | { readonly do: 'fail'; readonly reason: string }
  | { readonly do: 'release'; readonly reason: string; readonly delaySeconds: number | null }
  /** Given back, and the worker itself ends: the next task would end the same way. */
  | { readonly do: 'fault'; readonly reason: string }
  /** The lease is somebody else's: nothing is reported, nothing is pushed. */
  | { readonly do: 'abandon' };

const QUOTA_DELAY_SECONDS = 900;
const LEAST_DELAY_SECONDS = 30;
const MOST_DELAY_SECONDS = 2_592_000;

function refusal(halt: Halt | null): string {
  const why = halt?.by === 'refused' ? halt.why : 'no reason given';
  return `The tool's model was not reached: ${why}`;
}

/** Null: nothing outside the task explains the end. */
function fromOutside(evidence: Evidence): Outcome | null {
  const { halt, quota, fault, startError, now } = evidence;
  if (halt?.by === 'lease_lost') return { do: 'abandon' };
  if (halt?.by === 'budget') {
    return { do: 'release', reason: `budget: ${halt.detail}`, delaySeconds: null };
  }
  if (halt?.by === 'shutdown') {
    return { do: 'release', reason: 'The worker was stopped.', delaySeconds: null };
  }
  if (quota === null && halt?.by === 'refused' && faultIn(halt.why) !== null) {
    return { do: 'fault', reason: refusal(halt) };
  }
  if (quota !== null || halt?.by === 'refused') {
    const returnsAt = quota?.returnsAt ?? now + QUOTA_DELAY_SECONDS * 1000;
    const seconds = Math.ceil((returnsAt - now) / 1000);
    return {
      do: 'release',
      reason: quota === null ? refusal(halt) : `quota: ${quota.message}`,
      delaySeconds: Math.min(MOST_DELAY_SECONDS, Math.max(LEAST_DELAY_SECONDS, seconds)),
    };
  }
  if (startError !== null) return { do: 'fault', reason: `It could not be started: ${startError}` };
  return fault === null ? null : { do: 'fault', reason: fault };
}

/** Null: the tool itself has nothing to complain about. */
function toolProblem(evidence: Evidence): string | null {
  const { halt, signal, exitCode, hasResult, result } = evidence;
  if (halt?.by === 'stall') {
    return `It stalled: no output and no change in the worktree for ${halt.seconds} s.`;
  }
  if (halt?.by === 'timeout') return `It ran longer than the ${halt.seconds} s it may take.`;
  if (signal !== null) return `It was killed by ${signal}.`;
  if (result !== null && !result.ok) return `It reported an error: ${result.error ?? 'no message'}`;
  if (exitCode !== 0) return `It ended with exit code ${exitCode}.`;
  if (hasResult && result === null)
    return 'It ended without a result, as if it had been interrupted.';
  return null;
}

function some(files: readonly string[]): string {
  const more = files.length > 5 ? ` and ${files.length - 5} more` : '';
  return `${files.slice(0, 5).join(', ')}${more}`;
}

/** Null: the change is on the branch, whole. */
export function changeProblem(
  evidence: Pick<
    Evidence,
    'branch' | 'commits' | 'rewritten' | 'elsewhere' | 'changed' | 'untracked' | 'denials'
  >,
): string | null {
  const { branch, commits, rewritten, elsewhere, changed, untracked, denials } = evidence;
  if (rewritten) return `The history of ${branch} was rewritten; only new commits can be taken.`;
  if (commits === 0 && elsewhere !== null) {
    return `The commits are on ${elsewhere}, not on the branch ${branch}.`;
  }
  const refused = denials.length === 0 ? '' : ` It was not allowed to: ${some(denials)}.`;
  if (changed.length > 0 || (commits === 0 && untracked.length > 0)) {
    return `Changes were left uncommitted: ${some([...changed, ...untracked])}.${refused}`;
  }
  if (commits > 0) return null;
  return `It said it was done, but there is no new commit on ${branch} and nobody said that no change is needed.${refused}`;
}

const failure = (reason: string): Outcome => ({ do: 'fail', reason });

export function judge(evidence: Evidence): Outcome {
  const outside = fromOutside(evidence);
  if (outside !== null) return outside;
  const wrong = toolProblem(evidence);
  if (wrong !== null) return failure(wrong);
  if (evidence.kind === 'review') {
    const { verdict } = evidence;
    if (verdict !== null && 'verdict' in verdict) return { do: 'complete', how: 'reviewed' };
    return failure(`It gave no usable verdict: ${verdict?.problem ?? 'no answer'}`);
  }
  const idle = evidence.commits === 0 && evidence.changed.length + evidence.untracked.length === 0;
  if (idle && evidence.noChange !== null && evidence.elsewhere === null && !evidence.rewritten) {
    return { do: 'complete', how: 'no_change' };
  }
  const missing = changeProblem(evidence);
  if (missing !== null) return failure(missing);
  if (evidence.check !== null && !evidence.check.passed) {
    return failure(`The check \`${evidence.check.command}\` does not pass.`);
  }
  return { do: 'complete', how: 'changed' };
}
