// Ledger writes: branches, labels, comments. Each is an entry committed with the step that wants it;
// here they are carried out, as often as it takes. Every write is idempotent.

import { refusedHoldMs, writeDelayMs } from '../core/attempt/retry.ts';
import { ForgeBusy, ForgeRefused } from '../core/forge.ts';
import { labelChange, waitingLedger } from '../core/ledger.ts';
import { isNameRefused, ownBranch, wasMadeFor } from '../core/plan/branch-wish.ts';
import { reviewAfter } from '../core/plan/follow-up.ts';
import { commentKey, commentText } from '../core/reporting/comment.ts';
import type { HandOut, Settlement, Write } from '../core/store.ts';
import { parseTaskId, type Task } from '../core/task.ts';
import type { Context } from './context.ts';
import { createLoop, type Loop } from './loop.ts';
import type { Mirror } from './mirror.ts';

export const WRITE_LOCK_MS = 30_000;
/** How long a hand-out waits for its branch and labels before it answers `pending`. */
const ANSWER_WITHIN_MS = 5000;
const ORDER: readonly Write['type'][] = ['branch', 'labels', 'pull', 'comment'];
const BATCH = 50;
/** While the forge asks for patience, so few are tried at a time: each try is recorded. */
const BATCH_WHEN_BUSY = 5;
const IDLE_MS = 1000;

type Written = 'written' | 'pending' | 'refused';
const WRITTEN = {
  written: 'written',
  retry: 'pending',
  later: 'pending',
  refused: 'refused',
} as const;

export interface OutboxLoop extends Loop {
  /** Carries out the writes of a hand-out; `refused` means that the lease was undone. */
  writeNow(handOut: HandOut): Promise<Written>;
}

export function createOutbox(context: Context, mirror: Pick<Mirror, 'replan'>): OutboxLoop {
  const { store, forge, log, timers } = context;
  const most = forge.rhythm?.writesAtOnce ?? BATCH;
  /** Settlements that are on their way to the store. */
  const settling = new Set<Promise<void>>();
  let batch = most;
  let busyUntil = 0;

  async function carryOut(write: Write): Promise<readonly string[] | null> {
    const { repository, number } = write;
    if (write.type === 'branch') {
      if (write.branch !== null) await createBranch(write, write.branch);
      return null;
    }
    if (write.type === 'labels') {
      const labels = await store.labels(repository, number);
      if (labels === null) return [];
      const change = labelChange(labels.wanted, labels.written, labels.matchLabels);
      if (change.add.length > 0 || change.remove.length > 0) {
        await forge.setLabels(repository, number, change);
      }
      return labels.wanted;
    }
    const detail = write.taskId === null ? null : await store.task(write.taskId);
    if (write.type === 'pull') {
      if (detail !== null) await openPull(detail.task);
      return null;
    }
    if (detail !== null && write.event !== null) {
      const key = commentKey(write.event, detail.task.id);
      const text = commentText(detail, write.event, forge.replies?.how ?? null);
      if (text !== null) await forge.comment(repository, number, key, text);
    }
    return null;
  }

  /** Opening it twice finds the first one: a lost answer does no harm. */
  async function openPull(task: Task): Promise<void> {
    const wish = task.result?.pullRequest;
    if (wish === undefined || task.prNumber !== null || forge.openPull === undefined) return;
    const { repository, number } = task;
    const prNumber = await forge.openPull(repository, task.branch, wish);
    const followUpId = reviewAfter(task);
    await store.linkPull({ taskId: task.id, followUpId, prNumber });
    await mirror.replan(repository, number).catch((failure: unknown) => {
      log.warn({ err: failure }, 'could not plan the review yet; the next pass will');
    });
  }

  async function createBranch(write: Write, branch: string): Promise<void> {
    const made = await context.forge.createBranch(write.repository, branch);
    if (made === 'created' || (await mayBeOwn(write, branch))) return;
    throw new ForgeRefused(
      'branch_exists',
      `The branch ${branch} exists and was not made for #${write.number}.`,
    );
  }

  /** A branch that an issue's text asked for must be new, or from an earlier lease. Other names are Banto's own. */
  async function mayBeOwn(write: Write, branch: string): Promise<boolean> {
    const name = write.taskId === null ? null : parseTaskId(write.taskId);
    if (name?.kind !== 'implement' || branch === ownBranch(write.number)) return true;
    // A first try may have made it and lost the answer.
    if (write.attempts > 0) return true;
    const detail = await store.task(write.taskId ?? '');
    const before = (detail?.attempts ?? []).filter(({ fence }) => fence !== write.fence);
    return wasMadeFor(before, branch);
  }

  async function undo(write: Write, error: ForgeRefused): Promise<void> {
    // Only a branch or labels undo a lease: a pull request that is refused is for people to open.
    if (write.type === 'pull' || write.type === 'comment') return;
    if (write.taskId === null || write.fence === null) return;
    const name = parseTaskId(write.taskId);
    if (name === null) return;
    // Another name helps: planned again, the task is offered at once with its own.
    const rename =
      write.type === 'branch' &&
      name.kind === 'implement' &&
      write.branch !== ownBranch(write.number) &&
      isNameRefused(error.reason);
    await store.refuse({
      taskId: write.taskId,
      fence: write.fence,
      reason: error.reason,
      holdMs: rename ? 0 : refusedHoldMs(error.reason),
      ledger: waitingLedger(name.kind),
    });
    if (!rename) return;
    await mirror.replan(write.repository, write.number).catch((failure: unknown) => {
      log.warn({ err: failure }, 'could not plan again with another branch; the next pass will');
    });
  }

  function settlementOf(write: Write, error: unknown): Settlement {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof ForgeRefused) return { outcome: 'refused', error: message };
    const busy = error instanceof ForgeBusy ? error : null;
    if (busy?.isFault === false) return { outcome: 'later', delayMs: busy.retryAfterMs };
    const delayMs = busy?.retryAfterMs ?? writeDelayMs(write.attempts + 1, context.random());
    return { outcome: 'retry', delayMs, error: message };
  }

  /** Recorded while what comes next goes on: an answer does not wait for it, nor does the next write. */
  function settle(write: Write, settlement: Settlement): Settlement {
    const recorded = store.settleWrite(write, settlement).catch((error: unknown) => {
      // The entry stays as it is, and is carried out once more when its lock has ended.
      log.warn({ err: error }, 'could not settle a ledger write');
    });
    settling.add(recorded);
    void recorded.then(() => settling.delete(recorded));
    return settlement;
  }

  /** `later`: a branch that was written is settled with the labels, which then wait for no commit in between. */
  async function perform(write: Write, later: (() => void)[]): Promise<Settlement> {
    try {
      const labels = await carryOut(write);
      context.reached(write.type === 'branch' ? 'after_branch' : 'after_labels');
      const written: Settlement = { outcome: 'written', labels };
      if (write.type !== 'branch') return settle(write, written);
      later.push(() => settle(write, written));
      return written;
    } catch (error) {
      const settlement = settlementOf(write, error);
      const about = {
        err: error,
        write: write.type,
        repository: write.repository,
        issue: write.number,
        ...(write.taskId === null ? {} : { task_id: write.taskId }),
      };
      // Patience is no failure: a forge under its limits asks for it often.
      if (error instanceof ForgeBusy && !error.isFault) {
        log.debug(about, 'a ledger write has to wait');
        busyUntil = Math.max(busyUntil, (await store.now()) + error.retryAfterMs);
      } else log.warn(about, 'a ledger write failed');
      if (error instanceof ForgeRefused) await undo(write, error);
      return settle(write, settlement);
    }
  }

  /** Branch before labels, which wait for it; a comment waits for nothing. */
  async function performInOrder(writes: readonly Write[]): Promise<Written> {
    const later: (() => void)[] = [];
    try {
      return await performEach(writes, later);
    } finally {
      for (const settleIt of later) settleIt();
    }
  }

  async function performEach(writes: readonly Write[], later: (() => void)[]): Promise<Written> {
    const inOrder = writes.toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
    let branch: Settlement | null = null;
    let written: Written = 'written';
    for (const write of inOrder) {
      if (write.type === 'labels' && branch !== null && branch.outcome !== 'written') {
        // Given back at once: otherwise they would wait for the end of their lock.
        settle(
          write,
          branch.outcome !== 'refused'
            ? branch
            : { outcome: 'retry', delayMs: 0, error: 'The branch comes first.' },
        );
        continue;
      }
      const settlement = await perform(write, later);
      if (write.type === 'branch') branch = settlement;
      if (written === 'written') written = WRITTEN[settlement.outcome];
    }
    return written;
  }

  async function writeNow(handOut: HandOut): Promise<Written> {
    // What somebody else is writing at this moment is not waited for.
    const others = handOut.unwritten > handOut.writes.length;
    const writing = performInOrder(handOut.writes).then(
      (written): Written => (written === 'written' && others ? 'pending' : written),
    );
    const late = Promise.withResolvers<Written>();
    const cancel = timers.after(ANSWER_WITHIN_MS, () => late.resolve('pending'));
    // The store itself failed: the entries stay, the loop finishes them.
    const performed = writing.catch((error: unknown): Written => {
      log.warn({ err: error }, 'could not carry out a ledger write');
      return 'pending';
    });
    return Promise.race([performed, late.promise]).finally(cancel);
  }

  async function turn(): Promise<number> {
    const waitMs = busyUntil - (await store.now());
    if (waitMs > 0) return waitMs;
    const writes = await store.takeWrites(batch, WRITE_LOCK_MS);
    const byIssue = Map.groupBy(writes, (write) => `${write.repository}#${write.number}`);
    await Promise.all([...byIssue.values()].map((group) => performInOrder(group)));
    await Promise.all(settling);
    const full = writes.length === batch;
    batch = busyUntil > (await store.now()) ? BATCH_WHEN_BUSY : Math.min(most, batch * 2);
    return full ? 0 : IDLE_MS;
  }

  const loop = createLoop({ name: 'outbox', timers, log, turn, retryMs: IDLE_MS });
  return {
    ...loop,
    async stop() {
      await loop.stop();
      await Promise.all(settling);
    },
    writeNow,
  };
}
