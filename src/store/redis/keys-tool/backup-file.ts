// The file of a backup: one JSON object a line, a head, one line for each key, and an end with a checksum
// over every byte before it. docs/redis-keys.md describes it.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { BantoError } from '../../../core/errors.ts';

const FORMAT = 'banto-keys';
const VERSION = 1;

interface BackupHead {
  readonly format: string;
  readonly version: number;
  readonly namespace: string;
  readonly redis_version: string;
  readonly started_at: string;
}

export interface BackupEntry {
  /** Bytes as latin1, without the namespace. */
  readonly key: string;
  readonly type: string;
  /** Milliseconds since 1970; null: it does not expire. */
  readonly expiresAt: number | null;
  /** What DUMP said. */
  readonly dump: Buffer;
}

interface BackupEnd {
  readonly keys: number;
  /** True: nothing changed while the backup ran, so that it shows one moment. */
  readonly exact: boolean;
  readonly ended_at: string;
  readonly sha256: string;
}

interface EntryLine {
  readonly key?: string;
  /** Instead of `key` where its bytes are no text. */
  readonly key_base64?: string;
  readonly type: string;
  readonly expires_at: number | null;
  readonly dump: string;
}

function spelled(key: Buffer): Pick<EntryLine, 'key' | 'key_base64'> {
  const text = key.toString('utf8');
  return Buffer.from(text, 'utf8').equals(key)
    ? { key: text }
    : { key_base64: key.toString('base64') };
}

function toLine({ key, type, expiresAt, dump }: BackupEntry): EntryLine {
  const name = spelled(Buffer.from(key, 'latin1'));
  return { ...name, type, expires_at: expiresAt, dump: dump.toString('base64') };
}

/**
 * Written beside its place and moved there when it is whole: a file with the name is never half a backup. `isExact` is
 * asked after the last entry.
 */
export async function writeBackupFile(
  path: string,
  head: Pick<BackupHead, 'namespace' | 'redis_version'>,
  entries: AsyncIterable<BackupEntry>,
  isExact: () => Promise<boolean>,
): Promise<{ keys: number; bytes: number; exact: boolean }> {
  const partial = `${path}.partial`;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw new BantoError('conflict', `${partial} cannot be made: ${(error as Error).message}`, {
      cause: error,
    });
  });
  const written = file.createWriteStream({ flush: true });
  let keys = 0;
  let exact = false;

  async function* lines(): AsyncGenerator<string> {
    const hash = createHash('sha256');
    const line = (value: BackupHead | EntryLine): string => {
      const text = `${JSON.stringify(value)}\n`;
      hash.update(text);
      return text;
    };
    yield line({ format: FORMAT, version: VERSION, ...head, started_at: new Date().toISOString() });
    for await (const entry of entries) {
      keys += 1;
      yield line(toLine(entry));
    }
    exact = await isExact();
    const ended_at = new Date().toISOString();
    const end: BackupEnd = { keys, exact, ended_at, sha256: hash.digest('hex') };
    yield `${JSON.stringify(end)}\n`;
  }

  try {
    await pipeline(lines(), written);
    await rename(partial, path);
    return { keys, bytes: written.bytesWritten, exact };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function refuse(path: string, why: string): never {
  throw new BantoError('invalid_request', `${path} is not a whole backup: ${why}.`);
}

function parseLine(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new BantoError('invalid_request', `${path} is not a whole backup: a line is damaged.`, {
      cause: error,
    });
  }
}

function toEntry(path: string, line: Partial<EntryLine>): BackupEntry {
  const { key, key_base64: bytes, type, expires_at: expiresAt, dump } = line;
  const instant = expiresAt === null || Number.isSafeInteger(expiresAt);
  const named = typeof (key ?? bytes) === 'string';
  if (!named || typeof type !== 'string' || typeof dump !== 'string' || !instant) {
    return refuse(path, 'a line is not a key');
  }
  const name = key === undefined ? Buffer.from(bytes ?? '', 'base64') : Buffer.from(key, 'utf8');
  return {
    key: name.toString('latin1'),
    type,
    expiresAt: expiresAt ?? null,
    dump: Buffer.from(dump, 'base64'),
  };
}

async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  try {
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      const parts = (rest + String(chunk)).split('\n');
      rest = parts.pop() ?? '';
      yield* parts;
    }
  } catch (error) {
    if (error instanceof BantoError || !(error instanceof Error && 'syscall' in error)) throw error;
    throw new BantoError('not_found', `${path} cannot be read: ${error.message}`, { cause: error });
  }
  if (rest !== '') yield rest;
}

function toHead(path: string, text: string): BackupHead {
  const head = parseLine(path, text) as Partial<BackupHead> | null;
  if (head?.format !== FORMAT) refuse(path, 'it was not made by banto keys backup');
  if (head.version !== VERSION) refuse(path, `its version is ${String(head.version)}`);
  return head as BackupHead;
}

/** Each key with the head; throws after the last one when the file is cut off or not what was written. */
export async function* readBackupFile(
  path: string,
): AsyncGenerator<{ head: BackupHead; entry: BackupEntry }> {
  const hash = createHash('sha256');
  let head: BackupHead | null = null;
  let end: BackupEnd | null = null;
  let count = 0;
  for await (const text of linesOf(path)) {
    if (end !== null) refuse(path, 'something follows its end');
    if (head === null) head = toHead(path, text);
    else {
      const line = (parseLine(path, text) ?? {}) as Partial<EntryLine & BackupEnd>;
      if (line.sha256 !== undefined) {
        end = line as BackupEnd;
        continue;
      }
      count += 1;
      yield { head, entry: toEntry(path, line) };
    }
    hash.update(`${text}\n`);
  }
  if (head === null) return refuse(path, 'it is empty');
  if (end === null) return refuse(path, 'its end is missing');
  if (end.keys !== count) refuse(path, 'keys are missing');
  if (end.sha256 !== hash.digest('hex')) refuse(path, 'the checksum is another');
}
