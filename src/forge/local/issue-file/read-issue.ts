// One issue of the backlog folder, from its file name to its text. Whatever is wrong with it becomes its `problem`.

import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BantoError } from '../../../core/errors.ts';
import type { Issue } from '../../../core/issue.ts';
import { Malformed } from './front-matter.ts';
import { decodeFile, MAX_FILE_BYTES, readIssueText } from './issue-file.ts';
import { codeOf, isPermission, orNull } from './replace-file.ts';

const ISSUE_NAME = /^0*([1-9]\d{0,14})(?!\d).*\.md$/i;
const MARKDOWN_NAME = /^(?!\.).*\.md$/i;
const README = /^readme\.md$/i;

export interface Listing {
  /** The file names of each number; more than one is a problem of that issue. */
  readonly numbered: ReadonlyMap<number, readonly string[]>;
  /** Markdown files that cannot be issues, having no usable number. */
  readonly strays: readonly string[];
}

/** A folder that is away (another branch is checked out) is no proof that its issues are gone: that throws. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    const message = `The backlog folder ${folder} cannot be read (${codeOf(cause)}).`;
    throw new BantoError('unreachable', message, { cause });
  }
}

/** Null: the name does not begin with a number. */
export function numberOfFile(name: string): number | null {
  const digits = ISSUE_NAME.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}

export async function listFolder(folder: string): Promise<Listing> {
  const numbered = new Map<number, string[]>();
  const strays: string[] = [];
  for (const name of (await namesIn(folder)).sort()) {
    if (!MARKDOWN_NAME.test(name)) continue;
    const number = numberOfFile(name);
    if (number === null) {
      if (!README.test(name)) strays.push(name);
      continue;
    }
    const names = numbered.get(number);
    if (names === undefined) numbered.set(number, [name]);
    else names.push(name);
  }
  return { numbered, strays };
}

/** The file to read and write behind a name: a link may lead about the folder, but not out of it. */
export async function resolveFile(folder: string, names: readonly string[]): Promise<string> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) {
    throw new Malformed(`several files have this number: ${names.join(', ')}`);
  }
  const path = join(folder, name);
  const found = await lstat(path);
  const inside = await realpath(folder);
  if (!found.isSymbolicLink()) {
    if (!found.isFile()) throw new Malformed(`${name} is not a file`);
    return join(inside, name);
  }
  const target = await realpath(path).catch((cause: unknown) => {
    throw new Malformed(`${name} is a link that leads nowhere`, { cause });
  });
  if (!target.startsWith(inside + sep)) {
    throw new Malformed(`${name} is a link that leads out of the backlog folder`);
  }
  if (!(await lstat(target)).isFile()) throw new Malformed(`${name} is not a link to a file`);
  return target;
}

/** Looks at the size before anything is read: a file may be larger than memory. */
export async function refuseLarge(path: string): Promise<void> {
  if ((await lstat(path)).size <= MAX_FILE_BYTES) return;
  throw new Malformed('the file is larger than 1 MiB');
}

async function readText(path: string): Promise<string> {
  await refuseLarge(path);
  try {
    return decodeFile(await readFile(path));
  } catch (cause) {
    if (!isPermission(cause)) throw cause;
    throw new Malformed('the file cannot be read: permission denied', { cause });
  }
}

export interface IssueSource {
  readonly folder: string;
  readonly repository: string;
  readonly number: number;
  readonly names: readonly string[];
  /** The instant before reading begins. */
  readonly readAt: number;
}

function issueWithoutText(source: IssueSource, createdAt: number): Issue {
  const name = source.names[0] ?? '';
  return {
    subject: 'issue',
    repository: source.repository,
    number: source.number,
    title: name.replace(/\.md$/i, ''),
    body: '',
    url: pathToFileURL(join(source.folder, name)).href,
    labels: [],
    state: 'open',
    author: null,
    createdAt,
    updatedAt: source.readAt,
    priority: null,
    blockedBy: [],
    pull: null,
    problem: null,
  };
}

export function issueFromText(source: IssueSource, createdAt: number, text: string): Issue {
  const issue = issueWithoutText(source, createdAt);
  try {
    return { ...issue, ...readIssueText(text) };
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { ...issue, problem: error.message };
  }
}

/** Null when the file went away meanwhile. */
export async function readIssue(source: IssueSource): Promise<Issue | null> {
  const stats = await orNull(lstat(join(source.folder, source.names[0] ?? '')));
  if (stats === null) return null;
  const bornAt = Math.floor(Math.min(stats.birthtimeMs || stats.mtimeMs, stats.mtimeMs));
  try {
    const text = await readText(await resolveFile(source.folder, source.names));
    return issueFromText(source, bornAt, text);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    if (!(error instanceof Malformed)) throw error;
    return { ...issueWithoutText(source, bornAt), problem: error.message };
  }
}
