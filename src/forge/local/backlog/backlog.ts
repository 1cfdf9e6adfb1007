// What the backlog folder holds, kept up to date by scans that read only the files whose fingerprint changed.

import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Issue } from '../../../core/issue.ts';
import { listFolder, readIssue } from '../issue-file/read-issue.ts';
import { orNull, removeLeftovers } from '../issue-file/replace-file.ts';

export interface LocalLog {
  warn(fields: object, message: string): void;
}

export interface BacklogOptions {
  readonly folder: string;
  readonly repository: string;
  readonly log: LocalLog;
  readonly now: () => number;
  /**
   * How long a file must be missing to be gone: editors and git take files away for an instant,
   * and a task whose issue is gone is cancelled.
   */
  readonly graceMs: number;
  /** Numbers whose files are on the default branch only, because another one is checked out; null: not known now. */
  readonly elsewhere: () => Promise<ReadonlySet<number> | null>;
  /** Told after every scan. */
  readonly onScanned: () => Promise<void>;
}

interface Entry {
  readonly print: string;
  /** Written so shortly before it was read that a second write could carry the same time stamp. */
  readonly racy: boolean;
  readonly issue: Issue;
  readonly seq: number;
  readonly missingAt: number | null;
  /** Its file is on the default branch, which is not checked out. */
  readonly away: boolean;
}

export interface Backlog {
  /** Looks once. Concurrent calls share a scan, but never one that began before they asked. */
  scan(): Promise<void>;
  /** Looks, and once more where something was missing, so that what is gone is gone for sure. */
  scanForGone(): Promise<void>;
  issues(): Issue[];
  /** The issue as it was last seen, where its file is on another branch now. */
  away(number: number): Issue | null;
  highest(): number;
  seq(): number;
  since(seq: number): { issues: Issue[]; gone: number[] };
  hasMissing(): boolean;
  /** How the file looks now, for `distrust`. */
  print(number: number): Promise<string>;
  /** The file as it was printed cannot be written: the issue shows this problem until the file changes. */
  distrust(number: number, print: string, problem: string): Promise<void>;
  /** The issue with the instant of creation that was first seen for its number. */
  withBirth(issue: Issue): Issue;
  strays(): readonly string[];
}

const AT_ONCE = 64;
const RACY_MS = 100;

export function createBacklog(options: BacklogOptions): Backlog {
  const { folder, repository, log, now, graceMs } = options;
  const entries = new Map<number, Entry>();
  const tombs = new Map<number, number>();
  const births = new Map<number, number>();
  let strays: readonly string[] = [];
  let seq = 0;
  let scannedAt = 0;
  let running: Promise<void> | null = null;
  let queued: Promise<void> | null = null;

  async function look(number: number, names: readonly string[], readAt: number): Promise<boolean> {
    const known = entries.get(number);
    const seen = await fingerprint(folder, names);
    if (seen === null) return false;
    if (known !== undefined && known.print === seen.print && !known.racy) {
      if (known.missingAt !== null || known.away) {
        entries.set(number, { ...known, missingAt: null, away: false });
      }
      return true;
    }
    const read = await readIssue({ folder, repository, number, names, readAt });
    if (read === null) return false;
    const issue = withBirth(read);
    const racy = readAt - seen.changedAt < RACY_MS;
    const same =
      known !== undefined &&
      isDeepStrictEqual({ ...issue, updatedAt: 0 }, { ...known.issue, updatedAt: 0 });
    if (!same) {
      seq += 1;
      if (issue.problem !== null)
        log.warn({ file: names[0], problem: issue.problem }, 'malformed issue file: it is held');
    }
    tombs.delete(number);
    entries.set(number, {
      print: seen.print,
      racy,
      issue,
      seq: same ? known.seq : seq,
      missingAt: null,
      away: false,
    });
    return true;
  }

  /** Replacing a file gives it a new birth: the first one seen is the one that counts. */
  function withBirth(issue: Issue): Issue {
    const createdAt = births.get(issue.number) ?? issue.createdAt;
    births.set(issue.number, createdAt);
    return { ...issue, createdAt };
  }

  const isOverdue = ({ missingAt }: Entry) =>
    missingAt !== null && performance.now() - missingAt >= graceMs;

  async function missAll(missing: readonly (readonly [number, Entry])[]): Promise<void> {
    const doubtful = missing.some(([, entry]) => entry.away || isOverdue(entry));
    const away = doubtful ? await options.elsewhere() : new Set<number>();
    if (away === null) return;
    for (const [number, entry] of missing) {
      if (away.has(number)) entries.set(number, { ...entry, missingAt: null, away: true });
      else miss(number, entry);
    }
  }

  function miss(number: number, entry: Entry): void {
    if (entry.missingAt === null) {
      entries.set(number, { ...entry, missingAt: performance.now(), away: false });
    } else if (isOverdue(entry)) {
      seq += 1;
      entries.delete(number);
      births.delete(number);
      tombs.set(number, seq);
    }
  }

  async function scanOnce(): Promise<void> {
    const readAt = now();
    const listing = await listFolder(folder);
    await removeLeftovers(folder, Date.now());
    for (const stray of listing.strays) {
      if (strays.includes(stray)) continue;
      log.warn({ file: stray }, 'no issue: the file name does not begin with a number');
    }
    strays = listing.strays;
    const present = new Set<number>();
    const numbers = [...listing.numbered];
    for (let at = 0; at < numbers.length; at += AT_ONCE) {
      await Promise.all(
        numbers.slice(at, at + AT_ONCE).map(async ([number, names]) => {
          if (await look(number, names, readAt)) present.add(number);
        }),
      );
    }
    await missAll([...entries].filter(([number]) => !present.has(number)));
    scannedAt = readAt;
    await options.onScanned();
  }

  function scan(): Promise<void> {
    if (queued !== null) return queued;
    if (running === null) return begin();
    queued = running
      .catch(() => undefined)
      .then(() => {
        queued = null;
        return begin();
      });
    return queued;
  }

  function begin(): Promise<void> {
    const mine = scanOnce().finally(() => {
      if (running === mine) running = null;
    });
    running = mine;
    return mine;
  }

  const fresh = ({ issue }: Entry): Issue => ({ ...issue, updatedAt: scannedAt });
  const hasMissing = () => [...entries.values()].some((entry) => entry.missingAt !== null);

  return {
    scan,
    scanForGone: async () => {
      await scan();
      if (!hasMissing()) return;
      // Timers may come a moment early.
      await delay(graceMs + 5);
      await scan();
    },
    issues: () => [...entries.values()].map(fresh).sort((a, b) => a.number - b.number),
    away: (number) => {
      const entry = entries.get(number);
      return entry?.away === true ? fresh(entry) : null;
    },
    highest: () => [...entries.keys()].reduce((most, number) => Math.max(most, number), 0),
    seq: () => seq,
    since: (from) => ({
      issues: [...entries.values()]
        .filter((entry) => entry.seq > from)
        .map(fresh)
        .sort((a, b) => a.number - b.number),
      gone: [...tombs].filter(([, at]) => at > from).map(([number]) => number),
    }),
    hasMissing,
    print: async (number) => {
      const names = (await listFolder(folder)).numbered.get(number) ?? [];
      return (await fingerprint(folder, names))?.print ?? '';
    },
    distrust: async (number, print, problem) => {
      const entry = entries.get(number);
      if (entry === undefined) return;
      seq += 1;
      const issue = { ...entry.issue, problem };
      entries.set(number, { ...entry, print, racy: false, issue, seq });
      await options.onScanned();
    },
    withBirth,
    strays: () => strays,
  };
}

async function fingerprint(
  folder: string,
  names: readonly string[],
): Promise<{ print: string; changedAt: number } | null> {
  const parts: string[] = [];
  let changedAt = 0;
  for (const name of names) {
    const path = join(folder, name);
    const own = await orNull(lstat(path, { bigint: true }));
    if (own === null) return null;
    // A link that leads nowhere, or in a circle, still has a fingerprint: its own.
    const seen = own.isSymbolicLink() ? await stat(path, { bigint: true }).catch(() => own) : own;
    parts.push(`${name}/${own.ino}/${seen.ino}/${seen.size}/${seen.mtimeNs}/${seen.ctimeNs}`);
    changedAt = Math.max(changedAt, Number(seen.ctimeNs / 1_000_000n));
  }
  return { print: parts.join('|'), changedAt };
}
