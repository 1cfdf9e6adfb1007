// Removes what is finished or expired and nothing waits for. Safe while Banto runs: each removal is of
// something final, or checks and removes in one step.

import type { Client } from '../connection/connect.ts';
import { scriptOf } from '../connection/library.ts';
import { removeOldLibraries } from '../connection/old-libraries.ts';
import { piped } from '../connection/piped.ts';
import type { Keys } from '../keys.ts';
import { decodeWork, findTask, isOpenWork, nameOfTask } from '../rows/work.ts';
import { firstHourKept, type Ttls } from '../ttl.ts';
import type { NamespaceScan, OwnKey } from './namespace-scan.ts';

const PAGE = 500;
const DATE = /\d{4}-\d{2}-\d{2}$/;

function* inPages<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += PAGE) yield items.slice(at, at + PAGE);
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export interface CleanOptions {
  /** Only counts. */
  readonly dryRun: boolean;
  readonly progress: (done: number, of: number | null) => void;
}

export function createClean(client: Client, keys: Keys, ttls: Ttls, scan: NamespaceScan) {
  const { at } = keys;
  const unlink = (found: readonly OwnKey[]): Promise<number> => client.unlink(found.map(scan.full));

  /** Of tasks that are over, on issues on which nothing is left to do: a review still wants to know. */
  async function oldResults(): Promise<string[]> {
    const start = at.task_result.length - keys.prefix.length;
    const old: string[] = [];
    for (const page of inPages(await scan.under(at.task_result))) {
      const ids = page.map((key) => key.slice(start));
      const texts = await client.hmget(at.rows, ...ids.map(nameOfTask));
      const over = ids.filter((id, index) => {
        const work = decodeWork(nameOfTask(id), texts[index] ?? '');
        return findTask(work, id) === undefined || !isOpenWork(work);
      });
      old.push(...over);
    }
    return old;
  }

  async function dropResults(ids: readonly string[]): Promise<number> {
    await client.unlink(ids.map((id) => `${at.task_result}${id}`));
    await client.zrem(at.tasks_results, ...ids);
    return ids.length;
  }

  /** Keys that end in a day before this one. */
  async function datedBefore(start: string, date: string): Promise<OwnKey[]> {
    return (await scan.under(start)).filter((key) => (DATE.exec(key)?.[0] ?? date) < date);
  }

  async function oldHours(now: number): Promise<string[]> {
    const first = firstHourKept(ttls, now);
    return (await client.hkeys(at.stats_hourly)).filter((field) => field < first);
  }

  async function emptyBuckets(): Promise<[name: string, number: string][]> {
    const all = Object.entries(await client.hgetall(at.queue_buckets));
    const filled = await piped(client, (pipe) => {
      for (const [, number] of all) pipe.exists(`${at.queue_bucket}${number}`);
    });
    return all.filter((_, index) => filled[index] === 0);
  }

  async function dropBuckets(buckets: readonly [string, string][]): Promise<number> {
    const script = scriptOf('dropBucket');
    let dropped = 0;
    for (const [name, number] of buckets) {
      const names = [`${at.queue_bucket}${number}`, at.queue_buckets, at.meta];
      dropped += Number(await client.eval(script, names.length, ...names, name, number));
    }
    return dropped;
  }

  /** As the next bulk read would do it: ids without data leave the index and pending. */
  async function staleTickets(): Promise<string[]> {
    const index = await client.smembers(at.tickets_index);
    const pending = await client.zrange(at.tickets_pending, '0', '-1');
    const stale: string[] = [];
    for (const page of inPages([...new Set([...index, ...pending])])) {
      const data = await client.mget(...page.map((id) => `${at.ticket_data}${id}`));
      stale.push(...page.filter((_, place) => data[place] === null));
    }
    return stale;
  }

  async function dropTickets(ids: readonly string[]): Promise<number> {
    await client.srem(at.tickets_index, ...ids);
    await client.zrem(at.tickets_pending, ...ids);
    return ids.length;
  }

  /** Silent for longer than a heartbeat lives. */
  const silentAgents = (now: number): Promise<string[]> =>
    client.zrangebyscore(at.processes_active, '-inf', `(${now - ttls.heartbeat * 1000}`);

  async function unknownZombies(): Promise<string[]> {
    const zombies = await client.smembers(at.processes_zombies);
    const known = await piped(client, (pipe) => {
      for (const id of zombies) pipe.exists(`${at.process_info}${id}`);
    });
    return zombies.filter((_, index) => known[index] === 0);
  }

  async function goneInstances(now: number): Promise<string[]> {
    const oldest = now - ttls.temp_data * 1000;
    return Object.entries(await client.hgetall(at.metrics_cpu))
      .filter(([, json]) => Number(/"at":(\d+)/.exec(json)?.[1] ?? 0) < oldest)
      .map(([instance]) => instance);
  }

  /** How much was removed of each kind: keys, entries of a key, or libraries of functions. */
  return async ({ dryRun, progress }: CleanOptions) => {
    const [seconds] = await client.time();
    const now = Number(seconds) * 1000;
    const lastDay = dayOf(now - ttls.stats * 1000);

    async function remove<T>(
      found: readonly T[],
      drop: (page: T[]) => Promise<number>,
    ): Promise<number> {
      if (dryRun) return found.length;
      let removed = 0;
      for (const page of inPages(found)) removed += await drop(page);
      return removed;
    }

    const steps: Record<string, () => Promise<number>> = {
      results: async () => remove(await oldResults(), dropResults),
      completed: async () => remove(await datedBefore(at.issues_completed, dayOf(now)), unlink),
      buckets: async () => remove(await emptyBuckets(), dropBuckets),
      tickets: async () => remove(await staleTickets(), dropTickets),
      stats: async () =>
        (await remove(await datedBefore(at.stats_daily, lastDay), unlink)) +
        (await remove(await oldHours(now), (page) => client.hdel(at.stats_hourly, ...page))),
      agents: async () =>
        (await remove(await silentAgents(now), (ids) => client.zrem(at.processes_active, ...ids))) +
        (await remove(await unknownZombies(), (ids) => client.srem(at.processes_zombies, ...ids))),
      metrics: async () =>
        remove(await goneInstances(now), (page) => client.hdel(at.metrics_cpu, ...page)),
      functions: () => removeOldLibraries(client, keys, ttls, dryRun),
    };
    const cleaned: { kind: string; removed: number }[] = [];
    const all = Object.entries(steps);
    for (const [kind, step] of all) {
      cleaned.push({ kind, removed: await step() });
      progress(cleaned.length, all.length);
    }
    return cleaned;
  };
}
