// Replaces a file in one step, and never the edit of a person who saves at the same instant.

import { randomUUID } from 'node:crypto';
import { constants, readFileSync, renameSync } from 'node:fs';
import { type FileHandle, link, open, readdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { busy } from '../../../core/errors.ts';

const TEMPORARY = /^\.banto-.*\.tmp$/;
const LEFTOVER_AGE_MS = 60_000;
const TRIES = 50;
const SETTLE_MS = 20;

export function temporaryPath(folder: string): string {
  return join(folder, `.banto-${process.pid}-${randomUUID()}.tmp`);
}

/** Removes what a crash left behind. Young ones may belong to another process that is at work. */
export async function removeLeftovers(folder: string, nowMs: number): Promise<void> {
  for (const name of (await orNull(readdir(folder))) ?? []) {
    if (!TEMPORARY.test(name)) continue;
    const path = join(folder, name);
    const found = await orNull(stat(path));
    // In a folder that is read-only it stays, and does no harm: nothing takes it for an issue.
    if (found === null || nowMs - found.mtimeMs < LEFTOVER_AGE_MS) continue;
    await orNull(unlink(path)).catch(ignorePermission);
  }
}

/**
 * Replaces the file by what `edit` makes of its bytes; the same bytes back mean that nothing is written.
 * When the file changed meanwhile, `edit` is asked again about what is there now.
 */
export async function replaceFile(path: string, edit: (bytes: Buffer) => Buffer): Promise<void> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      if (await replaceOnce(path, handle, edit)) return;
    } finally {
      await handle.close();
    }
    await delay(Math.min(5 * attempt, 100));
  }
  throw busy(new Error(`${path} was changed each time it was to be written`));
}

async function replaceOnce(
  path: string,
  handle: FileHandle,
  edit: (bytes: Buffer) => Buffer,
): Promise<boolean> {
  const bytes = await readAll(handle);
  const edited = edit(bytes);
  if (edited.equals(bytes)) return true;
  const owner = await handle.stat();
  const temporary = await writeTemporary(dirname(path), edited, owner);
  if (!renameIfSame(temporary, path, bytes)) {
    await orNull(unlink(temporary));
    return false;
  }
  await syncFolder(dirname(path));
  await carryLateWrites(path, handle, { before: bytes, after: edited, edit, owner });
  return true;
}

interface Replaced {
  readonly before: Buffer;
  readonly after: Buffer;
  readonly edit: (bytes: Buffer) => Buffer;
  readonly owner: Owner;
}

/**
 * An editor that opened the old file before the rename writes into what no longer has a name.
 * What it wrote is still there to be read through our handle, and is carried over.
 */
async function carryLateWrites(path: string, handle: FileHandle, done: Replaced): Promise<void> {
  let late = await readAll(handle);
  if (late.equals(done.before)) return;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    await delay(SETTLE_MS);
    const later = await readAll(handle);
    const isSettled = later.length > 0 && later.equals(late);
    late = later;
    if (!isSettled) continue;
    const current = readFileSync(path);
    const carried = mergeLate(late, current, done);
    if (carried === null) return;
    const temporary = await writeTemporary(dirname(path), carried, done.owner);
    if (renameIfSame(temporary, path, current)) return;
    await orNull(unlink(temporary));
  }
}

/** Null where a newer save has replaced everything: then that one counts. */
function mergeLate(
  late: Buffer,
  current: Buffer,
  { before, after, edit }: Replaced,
): Buffer | null {
  const rest = startsWith(current, after) ? current.subarray(after.length) : null;
  if (rest !== null && startsWith(late, before)) {
    return Buffer.concat([after, late.subarray(before.length), rest]);
  }
  if (rest === null || rest.length > 0) return null;
  try {
    return edit(late);
  } catch {
    // What was saved cannot be edited. It stays as it was saved, and the next look reports it.
    return late;
  }
}

function startsWith(bytes: Buffer, head: Buffer): boolean {
  return bytes.subarray(0, head.length).equals(head);
}

/** Compare and rename without giving way to anything else in this process. */
function renameIfSame(temporary: string, path: string, expected: Buffer): boolean {
  try {
    if (!readFileSync(path).equals(expected)) return false;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  renameSync(temporary, path);
  return true;
}

/** Creates a file that must not exist yet, whole from its first instant; false when the name is taken. */
export async function createFile(path: string, bytes: Buffer): Promise<boolean> {
  const temporary = await writeTemporary(dirname(path), bytes, null);
  try {
    await link(temporary, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await orNull(unlink(temporary));
  }
  await syncFolder(dirname(path));
  return true;
}

interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

async function writeTemporary(folder: string, bytes: Buffer, owner: Owner | null): Promise<string> {
  const path = temporaryPath(folder);
  const handle = await open(path, 'wx', 0o666);
  try {
    if (owner !== null) {
      const mine = await handle.stat();
      const differs = mine.uid !== owner.uid || mine.gid !== owner.gid;
      // Only root may give a file away; for everyone else the file becomes theirs, as with any editor.
      if (differs) await handle.chown(owner.uid, owner.gid).catch(ignorePermission);
      await handle.chmod(owner.mode & 0o7777);
    }
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await orNull(unlink(path));
    throw error;
  } finally {
    await handle.close();
  }
  return path;
}

async function readAll(handle: FileHandle): Promise<Buffer> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(size + 1);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  return buffer.subarray(0, bytesRead);
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function isPermission(error: unknown): boolean {
  return ['EPERM', 'EACCES', 'EROFS'].includes(codeOf(error) ?? '');
}

function ignorePermission(error: unknown): void {
  if (!isPermission(error)) throw error;
}

export function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** Null where the file or folder is not there. */
export async function orNull<Value>(promise: Promise<Value>): Promise<Value | null> {
  try {
    return await promise;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
