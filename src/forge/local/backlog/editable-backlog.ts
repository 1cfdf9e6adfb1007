// The backlog folder for those who list, add and edit issues: the server for its API, and the command line
// where no server runs.

import { BantoError } from '../../../core/errors.ts';
import type { EditableBacklog } from '../../../core/forge.ts';
import type { Issue } from '../../../core/issue.ts';
import { editIssueText } from '../issue-file/edit-issue.ts';
import { Malformed } from '../issue-file/front-matter.ts';
import { decodeFile } from '../issue-file/issue-file.ts';
import { listFolder, readIssue, refuseLarge, resolveFile } from '../issue-file/read-issue.ts';
import { codeOf, replaceFile } from '../issue-file/replace-file.ts';
import { addIssue } from './add-issue.ts';
import type { Numbers } from './numbers.ts';

interface Options {
  readonly folder: string;
  readonly repository: string;
  readonly now: () => number;
  /** So that no number is given twice. */
  readonly numbers: Numbers;
  /** One write after the other for each issue; the ledger writes into the same files. */
  readonly inLine?: (number: number, work: () => Promise<void>) => Promise<void>;
}

export function createEditableBacklog(options: Options): EditableBacklog {
  const { folder, repository, now, numbers } = options;
  const inLine = options.inLine ?? ((_: number, work: () => Promise<void>) => work());

  async function read(number: number): Promise<Issue | null> {
    const names = (await listFolder(folder)).numbered.get(number);
    if (names === undefined) return null;
    return readIssue({ folder, repository, number, names, readAt: now() });
  }

  async function list(): Promise<Issue[]> {
    const { numbered } = await listFolder(folder);
    const issues: Issue[] = [];
    for (const [number, names] of [...numbered].sort(([a], [b]) => a - b)) {
      const issue = await readIssue({ folder, repository, number, names, readAt: now() });
      if (issue !== null) issues.push(issue);
    }
    return issues;
  }

  return {
    list,
    async add(issue) {
      const { number } = await addIssue(folder, issue, numbers);
      const added = await read(number);
      if (added !== null) return added;
      throw new BantoError('conflict', `Issue #${number} was removed as soon as it was added.`);
    },
    async edit(number, change) {
      const names = (await listFolder(folder)).numbered.get(number);
      if (names === undefined) return null;
      try {
        await inLine(number, async () => {
          const path = await resolveFile(folder, names);
          await refuseLarge(path);
          await replaceFile(path, (bytes) => Buffer.from(editIssueText(decodeFile(bytes), change)));
        });
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null;
        if (!(error instanceof Malformed)) throw error;
        throw new BantoError(
          'conflict',
          `The file of issue #${number} must be edited by hand: ${error.message}.`,
          { cause: error },
        );
      }
      return read(number);
    },
  };
}
