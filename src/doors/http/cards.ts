// GET /cards: what the board shows, in one answer; or the few tasks that have just changed.

import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { Broker, ListedTask } from '../../broker/broker.ts';
import type { TaskState } from '../../core/task.ts';
import { CardsAnswer, CardsQuery } from '../schema/cards.ts';
import { cardView } from '../views/card.ts';
import { eventView } from '../views/event.ts';
import { describe } from './describe.ts';
import type { Door } from './door.ts';
import type { App } from './server.ts';

/** Short steps: whoever asks for work meanwhile must not wait for the page. */
const PAGE = 250;
const MOST_CARDS = 20_000;
const MOST_ENDED = 200;
const LISTED: readonly TaskState[] = ['leased', 'dead', 'ready', 'held', 'delayed'];

type Reads = Pick<Broker, 'tasks' | 'tasksNamed' | 'activity' | 'lastSeq'>;

/** Unfinished tasks are listed; those that ended, of which there may be very many, are known from the facts. */
async function everything(
  broker: Reads,
  ready: CardsQuery['ready'],
): Promise<{ tasks: ListedTask[]; truncated: boolean }> {
  const found = new Map<string, ListedTask>();
  let truncated = false;
  for (const state of LISTED) {
    if (ready !== undefined && (ready === 'only') !== (state === 'ready')) continue;
    let cursor: string | null = null;
    let pages = 0;
    do {
      pages += 1;
      const page: Awaited<ReturnType<Broker['tasks']>> = await broker.tasks({
        state,
        limit: PAGE,
        ...(cursor === null ? {} : { cursor }),
      });
      for (const listed of page.tasks) found.set(listed.task.id, listed);
      cursor = page.nextCursor;
      // The embedded store answers at once: without a pause nobody else would get a turn.
      await yieldTurn();
    } while (cursor !== null && pages * PAGE < MOST_CARDS);
    truncated ||= cursor !== null;
  }
  if (ready === 'only') return { tasks: [...found.values()], truncated };
  const { ended, approved } = await broker.activity();
  const recent = new Set([
    ...ended.done.slice(0, MOST_ENDED),
    ...ended.cancelled.slice(0, MOST_ENDED),
    // An approved change whose issue is still open waits for a person, however old it is.
    ...approved,
  ]);
  for (const listed of await broker.tasksNamed([...recent])) found.set(listed.task.id, listed);
  return { tasks: [...found.values()], truncated };
}

export function routeCards(app: App, { broker, observe }: Door): void {
  const schema = describe({
    tag: 'tasks',
    summary: 'Unfinished tasks and those that ended last, each in few words, in one answer',
    querystring: CardsQuery,
    answer: CardsAnswer,
  });
  app.get('/cards', { config: { access: 'read' }, schema }, async ({ query }) => {
    // Read first: what changes while we read comes again as an event.
    const seq = await broker.lastSeq();
    const { task_ids, ready } = query;
    const { tasks, truncated } = await observe('cards', async () =>
      task_ids === undefined
        ? everything(broker, ready)
        : { tasks: await broker.tasksNamed(task_ids.split(',')), truncated: false },
    );
    const activity = await broker.activity();
    return {
      seq,
      latest: task_ids === undefined ? activity.recent.map(eventView) : [],
      cards: tasks.map((listed) => cardView(listed, activity)),
      truncated,
    };
  });
}
