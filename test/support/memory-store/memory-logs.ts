// Logs of attempts in memory: for simulations and tests.

import {
  LOG_SEGMENTS_KEPT,
  type LogStore,
  pageOf,
  piecesOf,
} from '../../../src/core/attempt/log-store.ts';
import { readLogPage } from '../../../src/store/sqlite/log-files.ts';

const lengthsOf = (segments: ReadonlyMap<number, Buffer>) =>
  new Map(Array.from(segments, ([segment, { length }]) => [segment, length]));

export function createMemoryLogs(): LogStore {
  const logs = new Map<string, Map<number, Map<number, Buffer>>>();

  return {
    async append(taskId, fence, offset, bytes) {
      const ofTask = logs.get(taskId) ?? new Map<number, Map<number, Buffer>>();
      const segments = ofTask.get(fence) ?? new Map<number, Buffer>();
      logs.set(taskId, ofTask.set(fence, segments));
      for (const piece of piecesOf(offset, bytes)) {
        const before = segments.get(piece.segment) ?? Buffer.alloc(0);
        const size = Math.max(before.length, piece.at + piece.bytes.length);
        const after = Buffer.alloc(size);
        before.copy(after);
        after.set(piece.bytes, piece.at);
        segments.set(piece.segment, after);
        segments.delete(piece.segment - LOG_SEGMENTS_KEPT);
      }
      return pageOf(lengthsOf(segments), 0, 0)?.size ?? 0;
    },
    async read(taskId, fence, offset, limit) {
      const segments = logs.get(taskId)?.get(fence);
      if (segments === undefined) return null;
      return readLogPage(lengthsOf(segments), offset, limit, (segment, from, length) =>
        (segments.get(segment) ?? Buffer.alloc(0)).subarray(from, from + length),
      );
    },
    fences: async (taskId) => [...(logs.get(taskId)?.keys() ?? [])].sort((a, b) => a - b),
    forget: async () => undefined,
  };
}
