// Writes labels into the file of an issue, and tells what will never succeed from what may in a moment.

import { lstat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ForgeRefused, type LabelChange } from '../../../core/forge.ts';
import { editLabels } from './edit-labels.ts';
import { Malformed } from './front-matter.ts';
import { decodeFile, MAX_FILE_BYTES } from './issue-file.ts';
import { listFolder, refuseLarge, resolveFile } from './read-issue.ts';
import { codeOf, isPermission, replaceFile } from './replace-file.ts';

/** A file that was saved this shortly ago may still be in the middle of being saved. */
const SAVING_MS = 2000;
const TRIES = 8;
const RETRY_MS = 60;

export async function writeLabels(
  folder: string,
  number: number,
  change: LabelChange,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (await writeOnce(folder, number, change)) return;
      if (attempt >= TRIES) throw gone(number);
    } catch (error) {
      const maySettle = error instanceof Malformed && (await isBeingSaved(folder, number));
      if (attempt >= TRIES || !maySettle) throw refusalOf(error, number);
    }
    await delay(RETRY_MS);
  }
}

/** False when there is no file with this number now. */
async function writeOnce(folder: string, number: number, change: LabelChange): Promise<boolean> {
  const names = (await listFolder(folder)).numbered.get(number);
  if (names === undefined) return false;
  try {
    const path = await resolveFile(folder, names);
    await refuseLarge(path);
    await replaceFile(path, (bytes) => {
      const edited = Buffer.from(editLabels(decodeFile(bytes), change));
      if (edited.length <= MAX_FILE_BYTES) return edited;
      throw new Malformed('with these labels the file would be larger than 1 MiB');
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function isBeingSaved(folder: string, number: number): Promise<boolean> {
  const names = (await listFolder(folder)).numbered.get(number) ?? [];
  // Two files of one number, or none: a rename may be on its way.
  if (names.length !== 1) return true;
  try {
    const path = await resolveFile(folder, names);
    return Date.now() - (await lstat(path)).mtimeMs < SAVING_MS;
  } catch (error) {
    if (error instanceof Malformed) return false;
    if (codeOf(error) === 'ENOENT') return true;
    throw error;
  }
}

export function gone(number: number): ForgeRefused {
  return new ForgeRefused('gone', `Issue ${number} has no file in the backlog any more.`);
}

/** What will never succeed becomes a refusal; everything else is tried again by the caller. */
export function refusalOf(error: unknown, number: number): unknown {
  if (error instanceof Malformed) {
    const message = `The file of issue ${number} must be corrected by hand: ${error.message}.`;
    return new ForgeRefused('malformed', message, { cause: error });
  }
  if (isPermission(error)) {
    const message = `The file of issue ${number} cannot be written: permission denied.`;
    return new ForgeRefused('no_permission', message, { cause: error });
  }
  return error;
}
