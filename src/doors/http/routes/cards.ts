// GET /cards: what the board shows, page by page; or the few tasks that have just changed.

import { CardsAnswer, CardsQuery } from '../../schema/cards.ts';
import { cardView } from '../../views/card.ts';
import { eventView } from '../../views/event.ts';
import { instant } from '../../views/instant.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

export function routeCards(app: App, { broker, observe }: Door): void {
  const schema = describe({
    tag: 'tasks',
    summary: 'Unfinished tasks and those that ended last, each in few words',
    description:
      'Without a cursor: a little of every state, the ready tasks in the order of the queue. The pages after that bring all the others; some tasks come twice.',
    querystring: CardsQuery,
    answer: CardsAnswer,
  });
  app.get('/cards', { config: { access: 'read' }, schema }, async ({ query }) => {
    // Read first: what changes while we read comes again as an event.
    const seq = await broker.lastSeq();
    const { task_ids, cursor = null } = query;
    const { tasks, nextCursor } = await observe('cards', async () =>
      task_ids === undefined
        ? broker.board(cursor)
        : { tasks: await broker.tasksNamed(task_ids.split(',')), nextCursor: null },
    );
    const activity = await broker.activity();
    const isFirst = task_ids === undefined && cursor === null;
    const { ledgerFailure } = activity;
    return {
      seq,
      cards: tasks.map((listed) => cardView(listed, activity)),
      next_cursor: nextCursor,
      latest: isFirst ? activity.recent.map(eventView) : [],
      ledger_failure:
        ledgerFailure === null
          ? null
          : { error: ledgerFailure.error, at: instant(ledgerFailure.at) },
    };
  });
}
