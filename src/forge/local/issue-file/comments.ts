// Comments of the local forge: a Markdown file beside the backlog, one marked block for each key.
// What people write around the blocks stays.

import { lstat, mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ForgeRefused } from '../../../core/forge.ts';
import { decodeFile } from './issue-file.ts';
import { createFile, orNull, replaceFile } from './replace-file.ts';

const MOST_BYTES = 1_000_000;
const END = '<!-- /banto -->';
const BLOCK = /^<!-- banto (\S+) -->\r?\n((?:(?!<!-- banto )[\s\S])*?)\r?\n?<!-- \/banto -->/gm;

/** Keys become one word without `--`, which would end an HTML comment. */
function wordOf(key: string): string {
  return encodeURIComponent(key.toWellFormed()).replaceAll('--', '%2D%2D');
}

/** Without `<!--` no text can pretend to be a marker. */
function tame(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, '\n').replaceAll('<!--', '&lt;!--').trim();
}

/** The text of the sidecar with this comment in it, in the place of the earlier one with the same key. */
function putComment(file: string, key: string, text: string): string {
  const word = wordOf(key);
  const block = `<!-- banto ${word} -->\n${tame(text)}\n${END}`;
  for (const match of file.matchAll(BLOCK)) {
    if (match[1] !== word) continue;
    return file.slice(0, match.index) + block + file.slice(match.index + match[0].length);
  }
  const gap = file === '' || file.endsWith('\n\n') ? '' : file.endsWith('\n') ? '\n' : '\n\n';
  return `${file}${gap}${block}\n`;
}

/** The texts of the comments in a sidecar, in their order. */
export function readComments(file: string): string[] {
  return [...file.matchAll(BLOCK)].map((match) => (match[2] ?? '').replaceAll('&lt;!--', '<!--'));
}

/** What people wrote below each block, up to the next one. */
export function readReplies(
  file: string,
  keys: readonly string[],
): { readonly below: string; readonly after: readonly string[]; readonly text: string }[] {
  const keyOf = new Map(keys.map((key) => [wordOf(key), key]));
  const blocks = [...file.matchAll(BLOCK)];
  const after: string[] = [];
  return blocks.flatMap((block, index) => {
    const below = keyOf.get(block[1] ?? '');
    if (below === undefined) return [];
    after.push(below);
    const text = file.slice(block.index + block[0].length, blocks[index + 1]?.index).trim();
    return text === '' ? [] : [{ below, after: [...after], text }];
  });
}

/** Null: nobody commented yet. Somebody who still writes is left alone. */
export async function readCommentsFile(
  folder: string,
  number: number,
): Promise<{ readonly text: string; readonly changedAt: number } | null> {
  const path = commentsPath(folder, number);
  const entry = await orNull(lstat(path));
  if (entry === null || !entry.isFile() || entry.size > MOST_BYTES) return null;
  return { text: decodeFile(await readFile(path)), changedAt: entry.mtimeMs };
}

function commentsPath(folder: string, number: number): string {
  return join(folder, 'comments', `${String(number).padStart(4, '0')}.md`);
}

export async function writeComment(
  folder: string,
  number: number,
  key: string,
  text: string,
): Promise<void> {
  const inside = join(await realpath(folder), 'comments');
  await mkdir(inside, { recursive: true });
  const path = commentsPath(await realpath(folder), number);
  if ((await realpath(inside)) !== inside || (await orNull(lstat(path)))?.isFile() === false) {
    throw new ForgeRefused('malformed', `${path} is not a file in the backlog folder.`);
  }
  const head = `# Comments on issue ${number}\n\n`;
  if (await orNull(lstat(path))) {
    await replaceFile(path, (bytes) => Buffer.from(putComment(decodeFile(bytes), key, text)));
  } else if (!(await createFile(path, Buffer.from(putComment(head, key, text))))) {
    await writeComment(folder, number, key, text);
  }
}
