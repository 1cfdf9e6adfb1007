// The file of a backup: one JSON object a line, a head, one line for each key, and an end with a checksum
// over every byte before it. docs/redis-keys.md describes it.

import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { BantoError } from '../../core/errors.ts';

const FORMAT = 'banto-keys';
const VERSION = 1;
const FLUSH_BYTES = 1 << 20;

export interface BackupHead {
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

export interface BackupEnd {
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

export interface BackupWriter {
  add(entry: BackupEntry): Promise<void>;
  /** Puts the finished file in its place. */
  end(exact: boolean): Promise<{ keys: number; bytes: number }>;
  abandon(): Promise<void>;
}

function spelled(key: Buffer): Pick<EntryLine, 'key' | 'key_base64'> {
  const text = key.toString('utf8');
  return Buffer.from(text, 'utf8').equals(key)
    ? { key: text }
    : { key_base64: key.toString('base64') };
}

/** Written beside its place and moved there when it is whole: a file with the name is never half a backup. */
export async function createBackupFile(
  path: string,
  head: Pick<BackupHead, 'namespace' | 'redis_version'>,
): Promise<BackupWriter> {
  const partial = `${path}.partial`;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => {
    throw new BantoError('conflict', `${partial} cannot be made: ${(error as Error).message}`, {
      cause: error,
    });
  });
  const hash = createHash('sha256');
  let waiting: string[] = [];
  let size = 0;
  let bytes = 0;
  let keys = 0;

  async function flush(): Promise<void> {
    const text = waiting.join('');
    waiting = [];
    size = 0;
    bytes += Buffer.byteLength(text);
    await file.write(text);
  }
  function line(value: object, hashed = true): void {
    const text = `${JSON.stringify(value)}\n`;
    if (hashed) hash.update(text);
    waiting.push(text);
    size += text.length;
  }

  const started_at = new Date().toISOString();
  line({ format: FORMAT, version: VERSION, ...head, started_at } satisfies BackupHead);
  return {
    async add({ key, type, expiresAt, dump }) {
      keys += 1;
      const entry: EntryLine = {
        ...spelled(Buffer.from(key, 'latin1')),
        type,
        expires_at: expiresAt,
        dump: dump.toString('base64'),
      };
      line(entry);
      if (size >= FLUSH_BYTES) await flush();
    },
    async end(exact) {
      const ended_at = new Date().toISOString();
      line({ keys, exact, ended_at, sha256: hash.digest('hex') } satisfies BackupEnd, false);
      await flush();
      await file.sync();
      await file.close();
      await rename(partial, path);
      return { keys, bytes };
    },
    async abandon() {
      await file.close();
      await rm(partial, { force: true });
    },
  };
}

function refuse(path: string, why: string): never {
  throw new BantoError('invalid_request', `${path} is not a whole backup: ${why}.`);
}

function parseLine<T>(path: string, text: string): T {
  try {
    return JSON.parse(text) as T;
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

export interface BackupReader {
  readonly head: BackupHead;
  /** Every key; throws after the last one when the checksum is another. */
  entries(): AsyncGenerator<BackupEntry>;
  end(): BackupEnd;
  close(): Promise<void>;
}

async function* linesOf(file: FileHandle): AsyncGenerator<string> {
  const stream = file.createReadStream({ start: 0, autoClose: false, encoding: 'utf8' });
  let rest = '';
  for await (const chunk of stream as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  if (rest !== '') yield rest;
}

export async function openBackupFile(path: string): Promise<BackupReader> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new BantoError('not_found', `${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  });
  try {
    const lines = linesOf(file);
    const first = await lines.next();
    await lines.return(undefined);
    const head = first.done === true ? {} : parseLine<Partial<BackupHead>>(path, first.value);
    if (head.format !== FORMAT) refuse(path, 'it was not made by banto keys backup');
    if (head.version !== VERSION) refuse(path, `its version is ${String(head.version)}`);
    return reader(path, file, head as BackupHead);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function reader(path: string, file: FileHandle, head: BackupHead): BackupReader {
  let end: BackupEnd | null = null;
  return {
    head,
    async *entries() {
      const hash = createHash('sha256');
      let count = 0;
      let first = true;
      end = null;
      for await (const text of linesOf(file)) {
        if (end !== null) refuse(path, 'something follows its end');
        if (!first) {
          const line = parseLine<Partial<EntryLine & BackupEnd>>(path, text);
          if (line.sha256 !== undefined) {
            end = line as BackupEnd;
            continue;
          }
          count += 1;
          yield toEntry(path, line);
        }
        first = false;
        hash.update(`${text}\n`);
      }
      const found = end as BackupEnd | null;
      if (found === null) return refuse(path, 'its end is missing');
      if (found.keys !== count) refuse(path, 'keys are missing');
      if (found.sha256 !== hash.digest('hex')) refuse(path, 'the checksum is another');
    },
    end() {
      if (end === null) throw new Error('The file was not read to its end.');
      return end;
    },
    close: () => file.close(),
  };
}
