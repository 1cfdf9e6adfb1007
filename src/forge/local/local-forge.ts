// The embedded forge: a git repository with a backlog folder. People own the files; Banto only writes labels,
// branches and its comments.

import { randomUUID } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from '../../core/attempt/reply.ts';
import { BantoError } from '../../core/errors.ts';
import { type Forge, type ForgeChange, ForgeRefused, type LabelChange } from '../../core/forge.ts';
import type { Issue } from '../../core/issue.ts';
import { createBacklog, type LocalLog } from './backlog/backlog.ts';
import { createEditableBacklog } from './backlog/editable-backlog.ts';
import { createElsewhere } from './backlog/elsewhere.ts';
import { check } from './backlog/examine.ts';
import { NO_NUMBERS, openNumbers } from './backlog/numbers.ts';
import { watchFolder } from './backlog/watch-folder.ts';
import { createBranches } from './git/branches.ts';
import { gitIn } from './git/git.ts';
import { identify, repositoryName } from './git/identity.ts';
import { readCommentsFile, readReplies, writeComment } from './issue-file/comments.ts';
import { listFolder, readIssue } from './issue-file/read-issue.ts';
import { gone, refusalOf, writeLabels } from './issue-file/write-labels.ts';

export interface LocalForgeOptions {
  readonly repoDir: string;
  /** Relative to the repository. */
  readonly backlogDir: string;
  /** Where it is written down which repository this is; without it the folder's name counts. */
  readonly dataDir?: string;
  /** Nothing is written down (a command that only looks). */
  readonly readOnly?: boolean;
  readonly log?: LocalLog;
  /** How often the folder is looked at even when the system reports no change. */
  readonly pollMs?: number;
  /** How long a file must be missing before its issue counts as gone. */
  readonly graceMs?: number;
  readonly now?: () => number;
}

export interface FileProblem {
  readonly file: string;
  /** Null where the file has no number and so is no issue at all. */
  readonly number: number | null;
  readonly problem: string;
}

export interface LocalForge extends Forge {
  readonly kind: 'local';
  /** What people have to fix in the backlog folder. */
  problems(): Promise<FileProblem[]>;
}

const PAGE = 100;
const POLL_MS = 5000;
const GRACE_MS = 250;
/** A file that was not touched for so long is written to its end. */
const WRITTEN_MS = 2000;
const HOW_TO_REPLY = 'write below this text, in the same file, after the line with `/banto`';
const SILENT: LocalLog = { warn: () => undefined };

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

export async function openLocalForge(options: LocalForgeOptions): Promise<LocalForge> {
  const { log = SILENT, pollMs = POLL_MS, graceMs = GRACE_MS, now = Date.now } = options;
  const repoDir = resolve(options.repoDir);
  const folder = resolve(repoDir, options.backlogDir);
  const instance = randomUUID();
  const git = gitIn(repoDir);
  const branches = createBranches(git);
  const { dataDir } = options;
  const name =
    dataDir === undefined
      ? repositoryName(repoDir, null)
      : await identify({ git, branches, repoDir, dataDir }, options.readOnly !== true);
  const watchers = new Map<(change: ForgeChange) => void, number>();
  const lines = new Map<number, Promise<void>>();
  let stopWatching: (() => Promise<void>) | null = null;
  const { backlogDir } = options;
  const elsewhere = createElsewhere({ git, branches, repoDir, backlogDir, repository: name });
  const numbers =
    dataDir === undefined || options.readOnly === true
      ? NO_NUMBERS
      : openNumbers({ dataDir, git, backlogDir });
  const backlog = createBacklog({
    folder,
    repository: name,
    log,
    now,
    graceMs,
    elsewhere: elsewhere.numbers,
    onScanned: scanned,
  });

  function only(repository: string): void {
    if (repository === name) return;
    throw new BantoError('not_found', `There is no repository ${JSON.stringify(repository)} here.`);
  }

  async function scanned(): Promise<void> {
    await numbers.note(Math.max(0, backlog.highest())).catch((error: unknown) => {
      log.warn({ err: error }, 'the highest number could not be written down');
    });
    notify();
  }

  function notify(): void {
    for (const [listener, seen] of watchers) {
      const change = { repository: name, ...backlog.since(seen) };
      watchers.set(listener, backlog.seq());
      if (change.issues.length === 0 && change.gone.length === 0) continue;
      try {
        listener(change);
      } catch (error) {
        log.warn({ err: error }, 'a listener of the backlog failed');
      }
    }
  }

  /** One after the other for each issue; different issues do not wait for each other. */
  async function inLine(number: number, work: () => Promise<void>): Promise<void> {
    const before = lines.get(number) ?? Promise.resolve();
    const mine = before.then(work, work);
    lines.set(number, mine);
    try {
      await mine;
    } finally {
      if (lines.get(number) === mine) lines.delete(number);
    }
  }

  async function read(repository: string, number: number): Promise<Issue | null> {
    only(repository);
    for (const isLast of [false, true]) {
      const readAt = now();
      const names = (await listFolder(folder)).numbered.get(number);
      const issue = names && (await readIssue({ folder, repository: name, number, names, readAt }));
      if (issue) return backlog.withBirth(issue);
      if (!isLast) await delay(graceMs);
    }
    return backlog.away(number) ?? elsewhere.read(number, now());
  }

  /** What is on another branch for now is written when it is back. */
  async function label(number: number, change: LabelChange): Promise<void> {
    const print = await backlog.print(number);
    try {
      await writeLabels(folder, number, change);
    } catch (error) {
      if (error instanceof ForgeRefused && error.reason === 'malformed') {
        // Nobody may have looked at it since it broke: once it is repaired, that has to be news.
        await backlog.distrust(number, print, messageOf(error.cause));
      }
      const isGone = error instanceof ForgeRefused && error.reason === 'gone';
      if (!isGone || (await read(name, number)) === null) throw error;
      throw new Error(
        `The file of issue ${number} is on the default branch, and another one is checked out.`,
        { cause: error },
      );
    }
  }

  async function comment(number: number, key: string, text: string): Promise<void> {
    if ((await read(name, number)) === null) throw gone(number);
    try {
      await writeComment(folder, number, key, text);
    } catch (error) {
      throw refusalOf(error, number);
    }
  }

  async function replies(
    repository: string,
    number: number,
    keys: readonly string[],
  ): Promise<Reply[]> {
    only(repository);
    const file = await readCommentsFile(folder, number);
    // Somebody may still be writing, or an editor may save in steps.
    if (file === null || now() - file.changedAt < WRITTEN_MS) return [];
    return readReplies(file.text, keys).map((reply) => ({
      ...reply,
      author: null,
      at: file.changedAt,
    }));
  }

  async function changes(repository: string, cursor: string | null) {
    only(repository);
    await backlog.scanForGone();
    // A cursor of another process says nothing about this one's scans: everything may have changed.
    const [from, seq] = cursor === null ? [instance, String(baseline)] : cursor.split('.');
    const change = { repository: name, ...backlog.since(from === instance ? Number(seq) : 0) };
    return { change, cursor: `${instance}.${backlog.seq()}` };
  }

  async function* list(repository: string): AsyncGenerator<Issue[]> {
    only(repository);
    await backlog.scanForGone();
    const open = backlog.issues().filter((issue) => issue.state === 'open');
    for (let at = 0; at < open.length; at += PAGE) yield open.slice(at, at + PAGE);
  }

  function watch(listener: (change: ForgeChange) => void): () => Promise<void> {
    const own = (change: ForgeChange) => listener(change);
    watchers.set(own, backlog.seq());
    const look = async () => {
      await backlog.scan();
      return backlog.hasMissing() ? graceMs : null;
    };
    stopWatching ??= watchFolder({ folder, pollMs, log, look });
    return async () => {
      watchers.delete(own);
      if (watchers.size === 0) await stop();
    };
  }

  async function stop(): Promise<void> {
    const stopping = stopWatching;
    stopWatching = null;
    await stopping?.();
  }

  async function problems(): Promise<FileProblem[]> {
    await backlog.scanForGone();
    const broken = backlog
      .issues()
      .flatMap(({ number, problem, url }) =>
        problem === null ? [] : [{ file: decodeURIComponent(basename(url)), number, problem }],
      );
    const strays = backlog.strays().map((file) => ({
      file,
      number: null,
      problem: 'the file name does not begin with a number, like 0007-fix-login.md',
    }));
    return [...broken, ...strays];
  }

  const editable = createEditableBacklog({ folder, repository: name, now, numbers, inLine });

  // What cannot be looked at yet (no folder, no repository) is `check`'s to report.
  await backlog.scan().catch((error: unknown) => log.warn({ err: error }, 'the first look failed'));
  await branches.defaultBranch().catch((error: unknown) => {
    log.warn({ err: error }, 'the default branch is not known');
  });
  const baseline = backlog.seq();

  return {
    kind: 'local',
    repositories: [name],
    hasPullRequests: false,
    numbersReturn: true,
    list,
    changes,
    watch,
    read,
    hasBranch: async (repository, branch) => {
      only(repository);
      return branches.has(branch);
    },
    createBranch: async (repository, branch) => {
      only(repository);
      return branches.create(branch);
    },
    setLabels: async (repository, number, change) => {
      only(repository);
      await inLine(number, () => label(number, change));
    },
    comment: async (repository, number, key, text) => {
      only(repository);
      await inLine(number, () => comment(number, key, text));
    },
    replies: { how: HOW_TO_REPLY, read: replies },
    check: () => check({ git, branches, repoDir, folder }),
    defaultBranch: async (repository) => {
      only(repository);
      return branches.defaultBranch();
    },
    problems,
    backlog: {
      list: editable.list,
      add: async (issue) => {
        const added = await editable.add(issue);
        await backlog.scan();
        return backlog.withBirth(added);
      },
      edit: async (number, change) => {
        const edited = await editable.edit(number, change);
        await backlog.scan();
        return edited === null ? null : backlog.withBirth(edited);
      },
    },
    close: async () => {
      watchers.clear();
      await stop();
      await Promise.allSettled(lines.values());
    },
  };
}
