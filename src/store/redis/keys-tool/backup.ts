// Backup and restore of one namespace: what DUMP says of each key, with the instant at which it expires.
// A backup of a namespace that is at work shows its keys at slightly different moments, and says so.

import { existsSync } from 'node:fs';
import { BantoError } from '../../../core/errors.ts';
import { productOf } from '../connection/check.ts';
import type { Client } from '../connection/connect.ts';
import { piped } from '../connection/piped.ts';
import type { Keys } from '../keys.ts';
import { type BackupEntry, readBackupFile, writeBackupFile } from './backup-file.ts';
import { type HeldLock, holdLock } from './hold-lock.ts';
import type { NamespaceScan, OwnKey } from './namespace-scan.ts';

/** Told how many keys are done, and of how many where that is known. Waited for. */
export type Progress = (done: number, of: number | null) => void | Promise<void>;

const PAGE = 200;
const PAGE_BYTES = 8 << 20;

/** A DUMP ends in the version of its format (two bytes) and a checksum (eight). */
const formatOf = (dump: Buffer): number =>
  dump.length < 10 ? Number.POSITIVE_INFINITY : dump.readUInt16LE(dump.length - 10);

export function createBackups(client: Client, keys: Keys, scan: NamespaceScan) {
  const locks = keys.at.lock_process.slice(keys.prefix.length);
  const isLock = (key: OwnKey): boolean => key.startsWith(locks);
  const meta = keys.at.meta.slice(keys.prefix.length);
  const namespace = keys.prefix.slice(0, -1);

  /** Every step of Banto counts here, so that a moment can be told from the next. */
  const moment = () => client.hget(keys.at.meta, 'steps');

  async function read(page: readonly OwnKey[]): Promise<BackupEntry[]> {
    const replies = await piped(client, (pipe) => {
      for (const key of page) {
        const name = scan.full(key);
        pipe.type(name).pexpiretime(name).dumpBuffer(name);
      }
    });
    return page.flatMap((key, index) => {
      const [type, expiry, dump] = replies.slice(index * 3, index * 3 + 3);
      // It went away between two replies.
      if (!Buffer.isBuffer(dump) || expiry === -2) return [];
      const expiresAt = expiry === -1 ? null : Number(expiry);
      return [{ key, type: String(type), expiresAt, dump }];
    });
  }

  async function* entries(lock: HeldLock, progress: Progress): AsyncGenerator<BackupEntry> {
    let done = 0;
    for await (const found of scan.pages(null)) {
      for (let at = 0; at < found.length; at += PAGE) {
        lock.check();
        const page = found.slice(at, at + PAGE).filter((key) => !isLock(key));
        yield* await read(page);
        done += page.length;
        await progress(done, null);
      }
    }
  }

  async function empty(lock: HeldLock): Promise<number> {
    let removed = 0;
    for await (const page of scan.pages(null)) {
      lock.check();
      const gone = page.filter((key) => !isLock(key));
      if (gone.length > 0) removed += await client.unlink(gone.map(scan.full));
    }
    return removed;
  }

  /** Reads the whole file first: nothing is written from one that is cut off, damaged or not ours. */
  async function verify(path: string, newest: number) {
    let all = 0;
    let first: BackupEntry | null = null;
    for await (const { head, entry } of readBackupFile(path)) {
      all += 1;
      if (entry.key === meta) first = entry;
      if (formatOf(entry.dump) <= newest) continue;
      throw new BantoError(
        'conflict',
        `${path} was made on Redis ${head.redis_version}, whose format this older server cannot read.`,
      );
    }
    return { all, first };
  }

  async function requireQuiet(): Promise<void> {
    const held = (await scan.under(keys.at.lock_process)).map((key) => key.slice(locks.length));
    const others = held.filter((name) => name !== 'restore');
    if (others.length === 0) return;
    throw new BantoError(
      'conflict',
      `The namespace ${namespace} is in use (lock: ${others.join(', ')}). Stop every Banto on it and try again a few seconds later.`,
    );
  }

  async function requireEmpty(): Promise<void> {
    for await (const page of scan.pages(null)) {
      if (page.every(isLock)) continue;
      throw new BantoError(
        'conflict',
        `The namespace ${namespace} is not empty. Restore into another one (--namespace), or replace everything in it (--replace).`,
      );
    }
  }

  /**
   * The meta hash comes first, with a mark: whatever happens next, the first Banto that finds it begins a new
   * generation and hands out nothing that may still be leased.
   */
  async function begin({ key, dump }: BackupEntry): Promise<void> {
    await piped(client, (pipe) => {
      const name = scan.full(key);
      pipe.restore(name, 0, dump, 'REPLACE').hset(name, 'restored', new Date().toISOString());
    });
  }

  async function fill(path: string, lock: HeldLock, of: number, progress: Progress) {
    const now = Date.now();
    let page: BackupEntry[] = [];
    let bytes = 0;
    let done = 0;
    const flush = async () => {
      lock.check();
      await piped(client, (pipe) => {
        for (const { key, expiresAt, dump } of page) {
          pipe.restore(scan.full(key), expiresAt ?? 0, dump, 'REPLACE', 'ABSTTL');
        }
      });
      done += page.length;
      await progress(done, of);
      page = [];
      bytes = 0;
    };
    for await (const { entry } of readBackupFile(path)) {
      if (entry.key === meta) continue;
      if (entry.expiresAt !== null && entry.expiresAt <= now) continue;
      page.push(entry);
      bytes += entry.dump.length;
      if (page.length >= PAGE || bytes >= PAGE_BYTES) await flush();
    }
    await flush();
    return done;
  }

  return {
    async backup(path: string, progress: Progress) {
      if (existsSync(path)) {
        throw new BantoError('conflict', `${path} is there already; choose another name.`);
      }
      const lock = await holdLock(client, `${keys.at.lock_process}backup`, 'backup');
      try {
        const { version } = await productOf(client);
        const before = await moment();
        const isExact = async () => (await moment()) === before;
        const head = { namespace, redis_version: version };
        return await writeBackupFile(path, head, entries(lock, progress), isExact);
      } finally {
        await lock.release();
      }
    },
    /** `removed`: keys that were there before. `expired`: keys of the backup whose time had run out. */
    async restore(path: string, replace: boolean, progress: Progress) {
      const lock = await holdLock(client, `${keys.at.lock_process}restore`, 'restore');
      try {
        // The lock itself shows which format this server writes, and so can read.
        const probe = await client.dumpBuffer(`${keys.at.lock_process}restore`);
        const { all, first } = await verify(path, formatOf(probe));
        await requireQuiet();
        if (!replace) await requireEmpty();
        const removed = replace ? await empty(lock) : 0;
        // Missing where no Banto ever ran.
        if (first !== null) await begin(first);
        const restored = (await fill(path, lock, all, progress)) + (first === null ? 0 : 1);
        return { keys: restored, expired: all - restored, removed };
      } finally {
        await lock.release();
      }
    },
  };
}
