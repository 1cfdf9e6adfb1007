// Logs of attempts beside the SQLite file: one small file for each segment, named by task, attempt and segment.

import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  LOG_SEGMENT_BYTES,
  LOG_SEGMENTS_KEPT,
  type LogPage,
  type LogStore,
  pageOf,
  piecesOf,
} from '../../core/attempt/log-store.ts';

const NAME = /^(\d+)\.(\d+)$/;

/** The page of a log whose segments are so long; `slice` reads bytes of one of them. */
export async function readLogPage(
  lengths: ReadonlyMap<number, number>,
  offset: number,
  limit: number,
  slice: (segment: number, from: number, length: number) => Buffer | Promise<Buffer>,
): Promise<LogPage | null> {
  const page = pageOf(lengths, offset, limit);
  if (page === null) return null;
  const parts: Buffer[] = [];
  for (let place = page.from; place < page.to; ) {
    const segment = Math.floor(place / LOG_SEGMENT_BYTES);
    const begin = segment * LOG_SEGMENT_BYTES;
    const end = Math.min(page.to, begin + LOG_SEGMENT_BYTES);
    parts.push(await slice(segment, place - begin, end - place));
    place = end;
  }
  return { offset: page.from, bytes: Buffer.concat(parts), size: page.size };
}

export function createLogFiles(folder: string, now: () => number): LogStore {
  // A task's id has no slash and begins with a letter or digit of its repository.
  const folderOf = (taskId: string) => join(folder, `task-${taskId}`);

  async function names(taskId: string): Promise<{ fence: number; segment: number }[]> {
    const files = await readdir(folderOf(taskId)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return files.flatMap((file) => {
      const [, fence, segment] = NAME.exec(file) ?? [];
      return segment === undefined ? [] : [{ fence: Number(fence), segment: Number(segment) }];
    });
  }

  const pathOf = (taskId: string, fence: number, segment: number) =>
    join(folderOf(taskId), `${fence}.${segment}`);

  async function lengthsOf(taskId: string, meant: number): Promise<Map<number, number>> {
    const lengths = new Map<number, number>();
    for (const { fence, segment } of await names(taskId)) {
      if (fence !== meant) continue;
      lengths.set(segment, (await stat(pathOf(taskId, fence, segment))).size);
    }
    return lengths;
  }

  return {
    async append(taskId, fence, offset, bytes) {
      await mkdir(folderOf(taskId), { recursive: true, mode: 0o700 });
      const pieces = piecesOf(offset, bytes);
      for (const piece of pieces) {
        // Opened for writing at a place: neither cut nor appended to.
        const file = await openAt(pathOf(taskId, fence, piece.segment));
        try {
          await file.write(piece.bytes, 0, piece.bytes.length, piece.at);
        } finally {
          await file.close();
        }
      }
      const last = pieces.at(-1)?.segment ?? 0;
      for (const { fence: other, segment } of await names(taskId)) {
        if (other === fence && segment <= last - LOG_SEGMENTS_KEPT) {
          await rm(pathOf(taskId, fence, segment), { force: true });
        }
      }
      return pageOf(await lengthsOf(taskId, fence), 0, 0)?.size ?? 0;
    },
    read: async (taskId, fence, offset, limit) =>
      readLogPage(await lengthsOf(taskId, fence), offset, limit, (segment, from, length) =>
        slice(pathOf(taskId, fence, segment), from, length),
      ),
    async fences(taskId) {
      const all = (await names(taskId)).map(({ fence }) => fence);
      return [...new Set(all)].sort((a, b) => a - b);
    },
    async forget(keptMs) {
      const tasks = await readdir(folder).catch(() => []);
      for (const name of tasks) {
        const { mtimeMs } = await stat(join(folder, name));
        const files = await readdir(join(folder, name));
        const times = files.map(async (file) => (await stat(join(folder, name, file))).mtimeMs);
        const newest = Math.max(mtimeMs, ...(await Promise.all(times)));
        if (newest < now() - keptMs) await rm(join(folder, name), { recursive: true, force: true });
      }
    },
  };
}

async function openAt(path: string) {
  try {
    return await open(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return open(path, 'w+', 0o600);
  }
}

async function slice(path: string, from: number, length: number): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return Buffer.alloc(0);
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await file.read(bytes, 0, length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
