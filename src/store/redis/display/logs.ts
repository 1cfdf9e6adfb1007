// Logs of attempts in Redis: one hash for each task, a field for each piece: `{fence}:{offset}:{bytes}`. Setting
// the same piece again changes nothing, so that a repeated call is harmless.

import {
  LOG_SEGMENT_BYTES,
  LOG_SEGMENTS_KEPT,
  type LogStore,
} from '../../../core/attempt/log-store.ts';
import type { Link } from '../connection/link.ts';

const MOST_BYTES = LOG_SEGMENT_BYTES * LOG_SEGMENTS_KEPT;

interface Field {
  readonly name: string;
  readonly fence: number;
  readonly from: number;
  readonly to: number;
}

function fieldOf(name: string): Field {
  const [fence = 0, from = 0, bytes = 0] = name.split(':').map(Number);
  return { name, fence, from, to: from + bytes };
}

function endOf(fields: readonly Field[]): number {
  return fields.reduce((end, { to }) => Math.max(end, to), 0);
}

export function createLogs(
  link: Pick<Link, 'send'>,
  keyOf: (taskId: string) => string,
  ttlSeconds: number,
): LogStore {
  async function fieldsOf(taskId: string): Promise<Field[]> {
    const names = await link.send<string[]>('HKEYS', keyOf(taskId));
    return names.map(fieldOf).sort((a, b) => a.fence - b.fence || a.from - b.from || b.to - a.to);
  }

  return {
    async append(taskId, fence, offset, bytes) {
      const key = keyOf(taskId);
      const text = Buffer.from(bytes).toString('utf8');
      if (bytes.length > 0) {
        await link.send('HSET', key, `${fence}:${offset}:${bytes.length}`, text);
        await link.send('EXPIRE', key, ttlSeconds);
      }
      const fields = (await fieldsOf(taskId)).filter((field) => field.fence === fence);
      const end = endOf(fields);
      const old = fields.filter(({ to }) => to <= end - MOST_BYTES).map(({ name }) => name);
      if (old.length > 0) await link.send('HDEL', key, ...old);
      return end;
    },
    async read(taskId, fence, offset, limit) {
      const fields = (await fieldsOf(taskId)).filter((field) => field.fence === fence);
      if (fields.length === 0) return null;
      const size = endOf(fields);
      const parts: Buffer[] = [];
      let at = Math.min(size, Math.max(offset, fields[0]?.from ?? 0));
      let begin = at;
      let room = limit;
      for (const { name, from, to } of fields) {
        if (room <= 0 || to <= at) continue;
        const text = await link.send<string | null>('HGET', keyOf(taskId), name);
        if (text === null) continue;
        // A piece that never came leaves a gap: a page ends before it, and the next one begins after it.
        if (from > at && parts.length > 0) break;
        if (from > at) begin = from;
        at = Math.max(at, from);
        const part = Buffer.from(text, 'utf8').subarray(at - from, at - from + room);
        parts.push(part);
        at += part.length;
        room -= part.length;
      }
      return { offset: begin, bytes: Buffer.concat(parts), size };
    },
    async fences(taskId) {
      return [...new Set((await fieldsOf(taskId)).map(({ fence }) => fence))];
    },
    // Its time to live does that.
    forget: async () => undefined,
  };
}
