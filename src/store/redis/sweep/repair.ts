// The sweep's look at rows and lists, a few at a time. Rows are right; a list that says something else, because a
// command failed or a key was removed by hand, is made right from them.

import { isLeased, type LeasedRow } from '../../../core/rows/task-row.ts';
import type { Parts } from '../parts.ts';
import type { Changes } from '../rows/change.ts';
import { type ListChange, listsOnly } from '../rows/step-arguments.ts';
import { decodeWork, type FiledTask, issueOf, nameOfTask, type Work } from '../rows/work.ts';
import { createSlices } from './slices.ts';

const PER_LOOK = 300;
const PER_QUEUE = 50;
const BUCKETS_PER_LOOK = 20;
/** One step keeps everybody else waiting: it does at most this much. */
const HEADS_PER_STEP = 100;

export type Repair = () => Promise<void>;

/** An entry of a list that a row asks for. */
interface Entry {
  readonly work: Work;
  readonly entry: ListChange;
}

interface Wanted extends Entry {
  /** Its score counts, too. */
  readonly exact: boolean;
}

const isReady = (task: FiledTask): boolean => task.open && task.row.state === 'ready';

/** A list that is no list, because somebody wrote something else there, has no entries. */
async function orNone<T>(asked: Promise<T>, none: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Error && error.message.includes('WRONGTYPE')) return none;
    throw error;
  }
}

export function createRepair(env: Parts & Pick<Changes, 'refile'>): Repair {
  const { link, keys, works, steps, indexes, buckets } = env;
  const { at } = keys;
  let cursor = '0';
  let holdsCursor = '0';
  const audited = new Map<string, number>();
  const someBuckets = createSlices(BUCKETS_PER_LOOK);
  const someHeads = createSlices(HEADS_PER_STEP);

  /** If the work is still as it was looked at. */
  async function fix(
    { name, stamp }: Pick<Work, 'name' | 'stamp'>,
    lists: readonly ListChange[],
    touched: readonly string[] = [],
  ): Promise<void> {
    if (lists.length === 0) return;
    await steps.change({ ...listsOnly(lists, touched), rows: [[name, stamp, '=']] });
  }

  /** The work that a task would be part of. */
  async function lookAt(id: string): Promise<Pick<Work, 'name' | 'stamp'>> {
    const name = nameOfTask(id);
    const [text = ''] = await works.read([name]);
    return { name, stamp: text === '' ? '' : text.slice(0, text.indexOf('\n') + 1) };
  }

  /** What a row that nobody knew would put into lists of issues and of tasks. */
  function wantedOf(work: Work, now: number): Wanted[] {
    const ofIssue: ListChange[] = [];
    const nothing = decodeWork(work.name, '');
    indexes.moveIssue(nothing, work, now, () => true, ofIssue);
    indexes.moveLedger(work.name, nothing.ledger, work.ledger, ofIssue);
    const ofTasks: ListChange[] = [];
    for (const task of work.tasks) if (task.open) indexes.moveTask(undefined, task, ofTasks);
    const wanted = (lists: readonly ListChange[], exact: boolean): Wanted[] =>
      lists
        .filter(([verb]) => verb === 'ZADD' || verb === 'SADD')
        .map((entry) => ({ work, entry, exact }));
    return [...wanted(ofIssue, false), ...wanted(ofTasks, true)];
  }

  /** Those that are not there, asked by one command for each list. */
  async function missing(wanted: readonly Wanted[]): Promise<Wanted[]> {
    const lists = Map.groupBy(wanted, ({ entry: [verb, key] }) => `${verb} ${key}`);
    const gone = await Promise.all(
      [...lists.values()].map(async (list) => {
        const [verb, key = ''] = list[0]?.entry ?? [''];
        const isSet = verb === 'SADD';
        const members = list.map(({ entry: [, , first = '', second = ''] }) =>
          isSet ? first : second,
        );
        const asked = link.send<(string | number | null)[]>(
          isSet ? 'SMISMEMBER' : 'ZMSCORE',
          key,
          ...members,
        );
        const found = await orNone(asked, []);
        return list.filter(({ entry, exact }, index) => {
          const there = found[index] ?? null;
          if (isSet) return there !== 1;
          return there === null || (exact && Number(there) !== Number(entry[2]));
        });
      }),
    );
    return gone.flat();
  }

  /** Leases that nobody is said to hold. */
  async function unheld(leased: readonly { work: Work; row: LeasedRow }[]): Promise<Entry[]> {
    if (leased.length === 0) return [];
    const agents = leased.map(({ row }) => row.lease.agentId);
    const asked = link.send<(string | null)[]>('HMGET', at.process_holds, ...agents);
    const held = await orNone(asked, []);
    return leased
      .filter(({ row }, index) => !(held[index] ?? '').split(' ').includes(row.id))
      .map(({ work, row }) => ({ work, entry: ['HOLD', row.lease.agentId, row.id, '+'] }));
  }

  /** Lists of issues (open ones, those that carry a label, that wait for another, that have writes) and of tasks. */
  async function checkLists(works: readonly Work[]): Promise<void> {
    const now = await env.now();
    const leased = works.flatMap((work) =>
      work.tasks.flatMap(({ open, row }) => (open && isLeased(row) ? [{ work, row }] : [])),
    );
    const gone: Entry[] = [
      ...(await missing(works.flatMap((work) => wantedOf(work, now)))),
      ...(await unheld(leased)),
    ];
    const byWork = Map.groupBy(gone, ({ work }) => work);
    await Promise.all(
      [...byWork].map(([work, entries]) => {
        const touched = work.tasks.filter(isReady).map(({ bucket }) => bucket);
        const lists = entries.map(({ entry }) => entry);
        return fix(work, lists, [...new Set(touched)]);
      }),
    );
  }

  /** A task that became ready while its labels could not be looked up stands in the wrong bucket. */
  async function checkBuckets(works: readonly Work[]): Promise<void> {
    const ready = works.filter(({ tasks }) => tasks.some(isReady));
    if (ready.length === 0) return;
    const filing = await buckets.filing(true);
    for (const work of ready) {
      const issue = issueOf(work);
      const right = work.tasks.filter(isReady).every(({ row, bucket }) => {
        const name = indexes.bucketOf(row, issue, filing) ?? '';
        return filing.number(name) === bucket;
      });
      if (!right) await env.refile(work);
    }
  }

  async function checkRows(): Promise<void> {
    const page = await link.send('HSCAN', at.rows, cursor, 'COUNT', PER_LOOK);
    const [next, flat] = page as [string, string[]];
    cursor = next;
    const found: Work[] = [];
    for (let index = 0; index < flat.length; index += 2) {
      const name = flat[index] ?? '';
      if (!/^[?:]/.test(name)) found.push(decodeWork(name, flat[index + 1] ?? ''));
    }
    await checkLists(found);
    await checkBuckets(found);
  }

  /** The next members of a list, from where the last look ended. */
  async function nextOf(key: string): Promise<string[]> {
    const from = audited.get(key) ?? 0;
    const members = await link.send<string[]>('ZRANGE', key, from, from + PER_QUEUE - 1);
    audited.set(key, members.length < PER_QUEUE ? 0 : from + members.length);
    return members;
  }

  /** Entries that belong to no task which stands there are set aside. */
  async function checkList(name: string, key: string, touched: readonly string[] = []) {
    const ids = await nextOf(key);
    const found = await works.found(ids);
    const strange = ids.filter((id) => {
      const task = found.get(id)?.task;
      return task === undefined || !indexes.places(task).has(key);
    });
    if (strange.length === 0) return;
    const now = await env.now();
    for (const id of strange) {
      const lists: ListChange[] = [['ZREM', key, id]];
      if (!found.has(id)) lists.push(['HSET', at.queue_corrupt, id, `${name} at ${now}`]);
      // Compared with what was looked at: it may have come to stand there meanwhile.
      await fix(found.get(id)?.work ?? (await lookAt(id)), lists, touched);
    }
    env.setAside(strange);
  }

  /** Leases that are said to be somebody's and are not. */
  async function checkHolds(): Promise<void> {
    const page = await link.send('HSCAN', at.process_holds, holdsCursor, 'COUNT', PER_QUEUE);
    const [next, flat] = page as [string, string[]];
    holdsCursor = next;
    const holds: { agentId: string; id: string }[] = [];
    for (let index = 0; index < flat.length; index += 2) {
      const agentId = flat[index] ?? '';
      for (const id of (flat[index + 1] ?? '').split(' ')) holds.push({ agentId, id });
    }
    const found = await works.found(holds.map(({ id }) => id));
    for (const { agentId, id } of holds) {
      const known = found.get(id);
      if (known?.task.row.lease?.agentId === agentId) continue;
      await fix(known?.work ?? (await lookAt(id)), [['HOLD', agentId, id, '']]);
    }
  }

  /** A few buckets at a time. */
  async function checkBucketLists(): Promise<void> {
    const numbers = [...(await buckets.all()).values()];
    await Promise.all(
      someBuckets(numbers).map((number) =>
        checkList(`bucket ${number}`, `${at.queue_bucket}${number}`, [number]),
      ),
    );
  }

  const sizeOf = (key: string): Promise<number | null> =>
    orNone(link.send<number | null>('ZCARD', key), null);

  /** Which buckets' heads are to be looked at: some, and some that are in the list; all where the list is lost. */
  async function headsToCheck(numbers: readonly string[]): Promise<readonly string[]> {
    const size = await sizeOf(at.queue_heads);
    if (size === null) await link.send('DEL', at.queue_heads);
    else if (size > 0) return [...someHeads(numbers), ...(await nextOf(at.queue_heads))];
    // There is none also where nothing is ready, which is no loss.
    const ready = await Promise.all([at.queue_high, at.queue_normal, at.queue_low].map(sizeOf));
    return ready.some((size) => size !== 0) ? numbers : [];
  }

  async function checkHeads(): Promise<void> {
    const looked = await headsToCheck([...(await buckets.all()).values()]);
    for (let from = 0; from < looked.length; from += HEADS_PER_STEP) {
      await link.run('check_heads', looked.slice(from, from + HEADS_PER_STEP));
    }
  }

  return async () => {
    await checkRows();
    // All at once: what is asked in one turn goes out in one write.
    await Promise.all([
      checkList('queue high', at.queue_high),
      checkList('queue normal', at.queue_normal),
      checkList('queue low', at.queue_low),
      checkList('leases', at.leases),
      checkList('delayed', at.queue_delayed),
      checkList('opening', at.queue_opening),
      checkBucketLists(),
    ]);
    await checkHolds();
    await checkHeads();
  };
}
