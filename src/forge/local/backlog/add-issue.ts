// Adds a file to the backlog folder under the next free number, also when several people add at once.

import { mkdir, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { BantoError } from '../../../core/errors.ts';
import { listFolder } from '../issue-file/read-issue.ts';
import { codeOf, createFile, orNull } from '../issue-file/replace-file.ts';
import type { Numbers } from './numbers.ts';

export interface NewIssue {
  readonly title: string;
  readonly labels?: readonly string[];
  readonly priority?: 'high' | 'normal' | 'low' | null;
  /** Without one, a template with a deliverables section, so that the task can be offered. */
  readonly body?: string | null;
  readonly blockedBy?: readonly number[];
}

const SLUG_LENGTH = 50;
const TITLE_READ = 300;
const TRIES = 10_000;

/** ASCII words of the title; `issue` where there are none. Cut before it is taken apart: a title has no limit. */
function slugOf(title: string): string {
  const words = title
    .slice(0, TITLE_READ)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-');
  return words.slice(0, SLUG_LENGTH).replace(/-$/, '') || 'issue';
}

function contentOf(issue: NewIssue): string {
  const title = issue.title.replaceAll(/\s+/g, ' ').trim();
  if (title === '') throw new BantoError('invalid_request', 'An issue needs a title.');
  const fields = {
    labels: [...(issue.labels ?? [])],
    ...(issue.priority ? { priority: issue.priority } : {}),
    ...(issue.blockedBy?.length ? { blocked_by: [...issue.blockedBy] } : {}),
  };
  const front = Object.entries(fields)
    .map(([name, value]) => `${name}: ${flowOf(value)}\n`)
    .join('');
  const body = issue.body?.trim() ? issue.body : `## Deliverables\n\n- ${title}\n`;
  return `---\n${front}---\n# ${title}\n\n${body}${body.endsWith('\n') ? '' : '\n'}`;
}

function flowOf(value: unknown): string {
  return stringify(value, {
    collectionStyle: 'flow',
    lineWidth: 0,
    flowCollectionPadding: false,
  }).trim();
}

/**
 * The number is reserved by a file of its own before the folder is read, because two titles give two
 * file names: creating the issue file alone would let both have the number.
 */
async function withNumber<Value>(
  folder: string,
  number: number,
  work: () => Promise<Value>,
): Promise<Value | null> {
  const reservation = join(folder, `.banto-number-${number}.tmp`);
  try {
    await (await open(reservation, 'wx')).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return null;
    throw error;
  }
  try {
    return (await listFolder(folder)).numbered.has(number) ? null : await work();
  } finally {
    await orNull(unlink(reservation));
  }
}

export async function addIssue(
  folder: string,
  issue: NewIssue,
  numbers: Numbers,
): Promise<{ number: number; path: string }> {
  const bytes = Buffer.from(contentOf(issue));
  await mkdir(folder, { recursive: true });
  let number = await numbers.highest();
  for (const taken of (await listFolder(folder)).numbered.keys()) number = Math.max(number, taken);
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    number += 1;
    const name = `${String(number).padStart(4, '0')}-${slugOf(issue.title)}.md`;
    const path = join(folder, name);
    // Noted first: a number that was noted and not used is lost, which costs nothing.
    await numbers.note(number);
    const isMade = await withNumber(folder, number, () => createFile(path, bytes));
    if (isMade === true) return { number, path };
  }
  throw new BantoError('conflict', `No free number was found in ${folder}.`);
}
