// What a board shows, in pages: first a little of everything, the ready tasks in the order of the queue; then the
// rest. Those that ended, of which there may be very many, are known from the facts.

import { setImmediate as yieldTurn } from 'node:timers/promises';
import { BantoError } from '../../core/errors.ts';
import type { MirroredIssue } from '../../core/store.ts';
import type { TaskState } from '../../core/task.ts';
import type { Broker, ListedTask } from '../broker.ts';
import type { Context } from '../context.ts';
import type { Look } from './look.ts';

const FIRST = 200;
const FIRST_ENDED = 40;
const MOST_ENDED = 200;
/** Short steps: whoever asks for work meanwhile must not wait for the page. */
const PAGE = 500;
const MOST_APPROVED = 1000;

const LISTED = ['leased', 'dead', 'held', 'delayed', 'ready'] as const satisfies TaskState[];
const STAGES = [...LISTED, 'ended'] as const;
type Stage = (typeof STAGES)[number];
type Place = { readonly stage: Stage; readonly cursor?: string };
type Page = Awaited<ReturnType<Broker['board']>>;

/** `ready.250`: the state, and where its list goes on. */
function readPlace(text: string): Place {
  const [, stage, cursor] = /^([a-z]+)(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  if (stage === undefined || !STAGES.includes(stage as Stage)) {
    throw new BantoError('invalid_request', 'The cursor is not one that this list gave out.');
  }
  return { stage: stage as Stage, ...(cursor === undefined ? {} : { cursor }) };
}

const approvalOf = ({ tasks }: MirroredIssue) =>
  tasks.find(({ state, result }) => state === 'done' && result?.verdict === 'approve');

export function createBoard(
  { store, forge }: Context,
  look: Pick<Look, 'tasks' | 'tasksNamed' | 'listed'>,
  { activity }: Pick<Broker, 'activity'>,
): Pick<Broker, 'board'> {
  let scanned: { readonly generation: string; readonly ids: Promise<string[]> } | null = null;

  /** Approved changes of open issues from before the facts that are kept in mind: looked for once. */
  async function scan(): Promise<string[]> {
    const found: string[] = [];
    for (const repository of forge.repositories) {
      for (let after = 0; found.length < MOST_APPROVED; ) {
        const page = await store.openIssues(repository, after, PAGE);
        found.push(...page.flatMap((issue) => approvalOf(issue)?.id ?? []));
        const last = page.at(-1)?.issue.number;
        if (last === undefined) break;
        after = last;
        await yieldTurn();
      }
    }
    return found;
  }

  function approvedBefore(): Promise<string[]> {
    const generation = store.generation();
    if (scanned?.generation !== generation) {
      const ids = scan().catch((error: unknown) => {
        scanned = null;
        throw error;
      });
      scanned = { generation, ids };
    }
    return scanned.ids;
  }

  async function first(): Promise<Page> {
    const found: ListedTask[] = [];
    let more: Stage = 'ended';
    const ready = await store.firstReady(FIRST);
    found.push(...(await look.listed(ready)));
    if (ready.length === FIRST) more = 'ready';
    for (const state of LISTED.filter((name) => name !== 'ready').toReversed()) {
      const page = await look.tasks({ state, limit: FIRST });
      found.push(...page.tasks);
      if (page.nextCursor !== null) more = state;
      // The embedded store answers at once: without a pause nobody else would get a turn.
      await yieldTurn();
    }
    const { ended } = await activity();
    const recent = [...ended.done.slice(0, FIRST_ENDED), ...ended.cancelled.slice(0, FIRST_ENDED)];
    found.push(...(await look.tasksNamed(recent)));
    return { tasks: found, nextCursor: more };
  }

  async function endedTasks(): Promise<Page> {
    const { ended, approved } = await activity();
    const ids = new Set([
      ...ended.done.slice(0, MOST_ENDED),
      ...ended.cancelled.slice(0, MOST_ENDED),
      // An approved change whose issue is still open waits for a person, however old it is.
      ...approved,
      ...(await approvedBefore()),
    ]);
    return { tasks: await look.tasksNamed([...ids]), nextCursor: null };
  }

  return {
    async board(from) {
      if (from === null) return first();
      const { stage, cursor } = readPlace(from);
      if (stage === 'ended') return endedTasks();
      const page = await look.tasks({
        state: stage,
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const next = STAGES[STAGES.indexOf(stage) + 1] ?? 'ended';
      return {
        tasks: page.tasks,
        nextCursor: page.nextCursor === null ? next : `${stage}.${page.nextCursor}`,
      };
    },
  };
}
