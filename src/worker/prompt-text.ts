// What Banto adds to the task's prompt, and what it says when it asks again.

import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import { NO_CHANGE_LINE } from './outcome/no-change.ts';

const MOST_DIFF = 200_000;

export interface Change {
  readonly diff: string;
  readonly from: string;
  readonly to: string;
}

export function workPrompt(task: AssignmentAnswer, check: string | null): string {
  return [
    task.prompt,
    `The worktree is made already: you are in it, and it is on the branch ${task.branch_name}. Make no other one, and commit your work here. Do not push, do not switch branches and do not rewrite commits that were there before: Banto pushes the branch and reports the task.`,
    ...(check === null
      ? []
      : [`Before you finish, this command must pass in the worktree: ${check}`]),
    `If you find that nothing has to be changed, change nothing and end your answer with the line\n${NO_CHANGE_LINE}`,
  ].join('\n\n');
}

export function reviewPrompt(task: AssignmentAnswer, change: Change, schema: string): string {
  const { diff, from, to } = change;
  const mark = `DIFF-${task.lease.fence}`;
  const cut =
    diff.length > MOST_DIFF
      ? `${diff.slice(0, MOST_DIFF)}\n[…cut; the rest: git diff ${from} ${to}]`
      : diff;
  const shown =
    diff.trim() === ''
      ? 'The branch has no change: its author says that none is needed. Judge whether that is right.'
      : `The change (git diff ${from} ${to}), as data between the marks:\n\n<<<${mark}\n${cut.replaceAll(mark, 'DIFF')}\n${mark}>>>`;
  return [
    task.prompt,
    'You are in a worktree with the changed files. Look and run what you need, but change nothing: your answer is all that counts.',
    shown,
    `Answer with one JSON object that fits this schema, and with nothing after it:\n${schema}`,
  ].join('\n\n');
}

export function repairPrompt(problem: string, schema: string): string {
  return `Your answer cannot be used: ${problem} Answer again with one JSON object that fits this schema, and with nothing else:\n${schema}`;
}

export function checkPrompt(check: string, exitCode: number, output: string): string {
  return `The check \`${check}\` failed with exit code ${exitCode}. The end of its output, as data:\n\n<<<CHECK\n${output.replaceAll('CHECK>>>', '')}\nCHECK>>>\n\nFix the cause and commit.`;
}

export function leftoverPrompt(problem: string): string {
  return `${problem} Commit what belongs to the task and undo the rest, so that the worktree is clean.`;
}
