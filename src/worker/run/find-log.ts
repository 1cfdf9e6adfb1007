// The logs that workers on this machine have written for a task, oldest attempt first.

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseTaskId } from '../../core/task.ts';

export interface FoundLog {
  readonly taskId: string;
  readonly fence: number;
  readonly path: string;
  readonly rawPath: string;
}

/** A task's id, or an issue as `7`, `#7` or `owner/repo#7`. */
function matches(taskId: string, wanted: string): boolean {
  if (taskId === wanted) return true;
  const issue = /^(?:([\w.-]+(?:\/[\w.-]+)?)?#)?(\d+)$/.exec(wanted);
  const name = parseTaskId(taskId);
  if (issue === null || name === null) return false;
  const [, repository, number] = issue;
  return name.number === Number(number) && (repository ?? name.repository) === name.repository;
}

export function findLogs(workDir: string, wanted: string): FoundLog[] {
  return globSync(join(workDir, 'agents', '*', 'logs', '*.log'))
    .flatMap((path) => {
      const [, taskId = '', fence = ''] = /^(.+)\.(\d+)\.log$/.exec(basename(path)) ?? [];
      if (!matches(taskId, wanted)) return [];
      const found = { taskId, fence: Number(fence), path, rawPath: path.replace(/log$/, 'raw') };
      return [{ found, at: statSync(path).mtimeMs }];
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ found }) => found);
}

/** All that is left of it. */
export function readLog(path: string): { older: string; newer: string } {
  const older = existsSync(`${path}.old`) ? readFileSync(`${path}.old`, 'utf8') : '';
  return { older, newer: readFileSync(path, 'utf8') };
}

const ENDED = /(?:^|\n)banto: (?:completed|failed|released|abandoned): /;
const TAIL_CHARACTERS = 6000;

/** The last line may carry a summary of many lines. */
export function hasEnded(text: string): boolean {
  return ENDED.test(text.slice(-TAIL_CHARACTERS));
}
