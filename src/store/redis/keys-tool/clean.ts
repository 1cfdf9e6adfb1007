// Removes what is finished or expired and nothing waits for. Safe while Banto runs: each removal is of
// something final, or checks and removes in one step.

import type { Client } from '../connection/connect.ts';
import { keysScript } from '../connection/library.ts';
import { removeOldLibraries } from '../connection/old-libraries.ts';
import { piped } from '../connection/piped.ts';
import type { Keys } from '../keys.ts';
import { decodeFiled, decodeHead, type FiledTask, headName } from '../rows/row-codec.ts';
import type { Ttls } from '../ttl.ts';
import type { NamespaceScan, OwnKey } from './namespace-scan.ts';

export type CleanedKind =
  | 'results'
  | 'completed'
  | 'buckets'
  | 'tickets'
  | 'stats'
  | 'agents'
  | 'metrics'
  | 'functions';

export interface Cleaned {
  readonly kind: CleanedKind;
  /** Keys, entries of a key, or libraries of functions. */
  readonly removed: number;
}

const PAGE = 500;
const FINAL = new Set<string>(['done', 'cancelled', 'dead']);
const NOWHERE = { repository: '', number: 0 };
const DATE = /\d{4}-\d{2}-\d{2}$/;

function* inPages<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += PAGE) yield items.slice(at, at + PAGE);
}

export interface CleanOptions {
  readonly dryRun: boolean;
  readonly progress: (done: number, of: number | null) => void;
}

export function createClean(client: Client, keys: Keys, ttls: Ttls, scan: NamespaceScan) {
  const { at } = keys;
  const own = (key: string): OwnKey => key.slice(keys.prefix.length);
  const nowMs = async () => {
    const [seconds, micros] = await client.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  };
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

  async function keysUnder(start: string): Promise<OwnKey[]> {
    const found: OwnKey[] = [];
    for await (const page of scan.pages(`${own(start)}*`)) found.push(...page);
    return found.filter((key) => key.startsWith(own(start)));
  }

  async function unlink(found: readonly OwnKey[], dryRun: boolean): Promise<number> {
    if (dryRun) return found.length;
    let removed = 0;
    for (const page of inPages(found)) removed += await client.unlink(page.map(scan.full));
    return removed;
  }

  async function readTasks(ids: readonly string[]): Promise<(FiledTask | null)[]> {
    const texts = await client.hmget(at.rows, ...ids);
    return ids.map((id, index) => {
      const text = texts[index];
      return text === null || text === undefined ? null : decodeFiled(id, text);
    });
  }

  /** Of tasks that are over, on issues on which nothing is left to do: a review still wants to know. */
  async function results(dryRun: boolean): Promise<number> {
    let removed = 0;
    for (const page of inPages(await keysUnder(at.task_result))) {
      const ids = page.map((key) => key.slice(own(at.task_result).length));
      const tasks = await readTasks(ids);
      const refs = tasks.map((task) => (task === null ? NOWHERE : task.row));
      const heads = await client.hmget(at.rows, ...refs.map(headName));
      const over = ids.filter((_, index) => {
        const task = tasks[index];
        const text = heads[index];
        if (task === null || task === undefined) return true;
        const open = text === null || text === undefined ? 0 : decodeHead(task.row, text).open;
        return FINAL.has(task.row.state) && open === 0;
      });
      removed += over.length;
      if (dryRun || over.length === 0) continue;
      await client.unlink(over.map((id) => `${at.task_result}${id}`));
      await client.zrem(at.tasks_results, ...over);
    }
    return removed;
  }

  async function before(start: string, date: string, dryRun: boolean): Promise<number> {
    const old = (await keysUnder(start)).filter((key) => {
      const day = DATE.exec(key)?.[0];
      return day !== undefined && day < date;
    });
    return unlink(old, dryRun);
  }

  async function hours(now: number, dryRun: boolean): Promise<number> {
    const first = new Date(now - ttls.stats * 1000).toISOString().slice(0, 13);
    const old = (await client.hkeys(at.stats_hourly)).filter((field) => field.slice(0, 13) < first);
    if (!dryRun && old.length > 0) await client.hdel(at.stats_hourly, ...old);
    return old.length;
  }

  async function buckets(dryRun: boolean): Promise<number> {
    let removed = 0;
    for (const [name, number] of Object.entries(await client.hgetall(at.queue_buckets))) {
      const bucket = `${at.queue_bucket}${number}`;
      if (dryRun) removed += 1 - (await client.exists(bucket));
      else {
        const script = keysScript('dropBucket');
        const names = [bucket, at.queue_buckets, at.meta];
        removed += Number(await client.eval(script, names.length, ...names, name, number));
      }
    }
    return removed;
  }

  /** As the next bulk read would do it: ids without data leave the index and pending. */
  async function tickets(dryRun: boolean): Promise<number> {
    const ids = new Set([
      ...(await client.smembers(at.tickets_index)),
      ...(await client.zrange(at.tickets_pending, '0', '-1')),
    ]);
    let removed = 0;
    for (const page of inPages([...ids])) {
      const data = await client.mget(...page.map((id) => `${at.ticket_data}${id}`));
      const stale = page.filter((_, index) => data[index] === null);
      removed += stale.length;
      if (dryRun || stale.length === 0) continue;
      await client.srem(at.tickets_index, ...stale);
      await client.zrem(at.tickets_pending, ...stale);
    }
    return removed;
  }

  /** Entries of agents that are unknown, or silent for longer than a heartbeat lives. */
  async function agents(now: number, dryRun: boolean): Promise<number> {
    const silent = await client.zrangebyscore(
      at.processes_active,
      '-inf',
      `(${now - ttls.heartbeat * 1000}`,
    );
    const zombies = await client.smembers(at.processes_zombies);
    const known = await piped(client, (pipe) => {
      for (const id of zombies) pipe.exists(`${at.process_info}${id}`);
    });
    const unknown = zombies.filter((_, index) => known[index] === 0);
    if (!dryRun && silent.length > 0) await client.zrem(at.processes_active, ...silent);
    if (!dryRun && unknown.length > 0) await client.srem(at.processes_zombies, ...unknown);
    return silent.length + unknown.length;
  }

  async function metrics(now: number, dryRun: boolean): Promise<number> {
    const oldest = now - ttls.temp_data * 1000;
    const gone = Object.entries(await client.hgetall(at.metrics_cpu))
      .filter(([, json]) => Number(/"at":(\d+)/.exec(json)?.[1] ?? 0) < oldest)
      .map(([instance]) => instance);
    if (!dryRun && gone.length > 0) await client.hdel(at.metrics_cpu, ...gone);
    return gone.length;
  }

  return async ({ dryRun, progress }: CleanOptions): Promise<Cleaned[]> => {
    const now = await nowMs();
    const lastDay = dayOf(now - ttls.stats * 1000);
    const steps: Record<CleanedKind, () => Promise<number>> = {
      results: () => results(dryRun),
      completed: () => before(at.issues_completed, dayOf(now), dryRun),
      buckets: () => buckets(dryRun),
      tickets: () => tickets(dryRun),
      stats: async () =>
        (await before(at.stats_daily, lastDay, dryRun)) + (await hours(now, dryRun)),
      agents: () => agents(now, dryRun),
      metrics: () => metrics(now, dryRun),
      functions: () => removeOldLibraries(client, keys, ttls, dryRun),
    };
    const cleaned: Cleaned[] = [];
    const all = Object.entries(steps) as [CleanedKind, () => Promise<number>][];
    for (const [kind, step] of all) {
      cleaned.push({ kind, removed: await step() });
      progress(cleaned.length, all.length);
    }
    return cleaned;
  };
}
