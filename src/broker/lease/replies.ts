// What people write on an issue answers the questions of agents. The forge tells that somebody commented; what it
// does not tell is found by looking, as long as a question waits.

import { askedEvent, waitsForAnswer } from '../../core/attempt/question.ts';
import { answersIn } from '../../core/attempt/reply.ts';
import { ForgeBusy, type ForgeChange } from '../../core/forge.ts';
import { commentKey } from '../../core/reporting/comment.ts';
import { OPEN_STATES, parseTaskId, type Task } from '../../core/task.ts';
import type { Context } from '../context.ts';
import { createLoop, type Loop } from '../loop.ts';
import type { FactListener } from '../loops/follow-facts.ts';

const PAGE = 200;

function issueOf(taskId: string): string {
  const name = parseTaskId(taskId);
  return name === null ? '' : `${name.repository}#${name.number}`;
}

export interface Replies extends Loop {
  /** Somebody commented: looked at soon, whichever instance was told. */
  hint(change: Pick<ForgeChange, 'repository' | 'commented'>): void;
  readonly heard: FactListener;
  /** Tasks as they stand: a question of a lease that has ended may be older than this instance. */
  saw(tasks: readonly Task[], now: number): void;
}

export function createReplies(context: Context, leads: () => boolean, pollMs: number): Replies {
  const { store, forge, log, timers } = context;
  const { replies } = forge;
  /** Tasks that may have a question without an answer; every instance hears of them. */
  const asking = new Set<string>();
  const hinted = new Set<string>();
  let listedIn: string | null = null;
  let polledAt = Number.NEGATIVE_INFINITY;

  /** Questions of a lease that ended count too: the next agent is told the answer. */
  function waiting(task: Task, now: number) {
    if (!OPEN_STATES.includes(task.state)) return [];
    const askMs = context.policy().askSeconds * 1000;
    return task.questions.filter((question) => waitsForAnswer(question, askMs, now));
  }

  async function look(task: Task, now: number): Promise<void> {
    const open = waiting(task, now);
    if (open.length === 0) asking.delete(task.id);
    if (open.length === 0 || replies === undefined) return;
    const keyOf = (questionId: string) => commentKey(askedEvent(questionId), task.id);
    const keys = task.questions.map(({ id }) => keyOf(id));
    const sinceAt = Math.min(...open.map(({ askedAt }) => askedAt));
    const found = await replies.read(task.repository, task.number, keys, sinceAt);
    for (const { by, ...answer } of answersIn(task.questions, keyOf, found)) {
      const { outcome } = await store.answer({
        taskId: task.id,
        ...answer,
        ...(by === null ? {} : { by }),
      });
      const about = { task_id: task.id, question_id: answer.questionId, by };
      if (outcome === 'ok') log.info(about, 'a question was answered on the issue');
    }
  }

  async function lookAt(taskId: string, now: number): Promise<void> {
    try {
      const detail = await store.task(taskId);
      if (detail === null) asking.delete(taskId);
      else await look(detail.task, now);
    } catch (error) {
      if (error instanceof ForgeBusy) throw error;
      const about = { err: error, task_id: taskId };
      log.warn(about, 'could not look for an answer on the issue; it is looked for again');
    }
  }

  function saw(tasks: readonly Task[], now: number): void {
    for (const task of tasks) if (waiting(task, now).length > 0) asking.add(task.id);
  }

  /** What was asked before this instance began to listen, where somebody waits for the answer. */
  async function listAsking(now: number): Promise<void> {
    let cursor: string | undefined;
    do {
      const page = await store.tasks({
        state: 'leased',
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      saw(page.tasks, now);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** The tasks to look at now: where somebody commented, and, from time to time, all. */
  function due(now: number): string[] {
    const all = leads() && now - polledAt >= pollMs;
    if (all) polledAt = now;
    const tasks = [...asking].filter((taskId) => all || hinted.has(issueOf(taskId)));
    hinted.clear();
    return tasks;
  }

  const loop = createLoop({
    name: 'replies',
    timers,
    log,
    retryMs: pollMs,
    async turn() {
      if (replies === undefined) return null;
      const now = await store.now();
      if (listedIn !== store.generation()) await listAsking(now);
      listedIn = store.generation();
      for (const taskId of due(now)) await lookAt(taskId, now);
      return leads() ? Math.max(1, polledAt + pollMs - now) : pollMs;
    },
  });

  return {
    ...loop,
    hint({ repository, commented = [] }) {
      for (const number of commented) hinted.add(`${repository}#${number}`);
      if (commented.length > 0 && asking.size > 0) loop.kick();
    },
    heard(facts) {
      for (const fact of facts) if (fact.type === 'asked') asking.add(fact.taskId);
    },
    saw,
  };
}
