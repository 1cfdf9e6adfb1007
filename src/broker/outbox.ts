// Ledger writes: branches, labels, comments. Each is an entry committed with the step that wants it;
// here they are carried out, as often as it takes. Every write is idempotent.

import { isNameRefused, ownBranch, wasMadeFor } from '../core/branch-wish.ts';
import { commentText } from '../core/comment.ts';
import { ForgeBusy, ForgeRefused } from '../core/forge.ts';
import { labelChange, waitingLedger } from '../core/ledger.ts';
import { refusedHoldMs, writeDelayMs } from '../core/retry.ts';
import type { HandOut, Settlement, Write } from '../core/store.ts';
import { parseTaskId } from '../core/task.ts';
import type { Context } from './context.ts';
import { createLoop, type Loop } from './loop.ts';
import type { Mirror } from './mirror.ts';

export const WRITE_LOCK_MS = 30_000;
/** How long a hand-out waits for its branch and labels before it answers `pending`. */
const ANSWER_WITHIN_MS = 5000;
const ORDER: readonly Write['type'][] = ['branch', 'labels', 'comment'];
const BATCH = 50;
/** While the forge asks for patience, so few are tried at a time: each try is recorded. */
const BATCH_WHEN_BUSY = 5;
const IDLE_MS = 1000;

type Written = 'written' | 'pending' | 'refused';
const WRITTEN = { written: 'written', retry: 'pending', refused: 'refused' } as const;

export interface OutboxLoop extends Loop {
  /** Carries out the writes of a hand-out; `refused` means that the lease was undone. */
  writeNow(handOut: HandOut): Promise<Written>;
}

export function createOutbox(context: Context, mirror: Pick<Mirror, 'replan'>): OutboxLoop {
  const { store, forge, log, timers } = context;
  const most = forge.rhythm?.writesAtOnce ?? BATCH;
  let batch = most;
  let busyUntil = 0;

  async function carryOut(write: Write): Promise<readonly string[] | null> {
    const { repository, number } = write;
    if (write.type === 'branch') {
      if (write.branch !== null) await createBranch(write, write.branch);
      return null;
    }
    if (write.type === 'labels') {
      const [known] = await store.issuesNumbered(repository, [number]);
      if (known === undefined) return [];
      const change = labelChange(known.issue.wanted, known.issue.written, known.matchLabels);
      if (change.add.length > 0 || change.remove.length > 0) {
        await forge.setLabels(repository, number, change);
      }
      return known.issue.wanted;
    }
    const detail = write.taskId === null ? null : await store.task(write.taskId);
    if (detail !== null && write.event !== null) {
      const key = `${write.event}:${detail.task.id}`;
      await forge.comment(repository, number, key, commentText(detail));
    }
    return null;
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
    const delayMs =
      error instanceof ForgeBusy
        ? error.retryAfterMs
        : writeDelayMs(write.attempts + 1, context.random());
    return { outcome: 'retry', delayMs, error: message };
  }

  interface Performed {
    readonly settlement: Settlement;
    /** Recorded while the next write is under way; whoever performs waits for it in the end. */
    readonly settled: Promise<void>;
  }

  function settle(write: Write, settlement: Settlement): Performed {
    const settled = store.settleWrite(write, settlement);
    // It may fail before anybody waits for it; whoever waits in the end still hears of it.
    settled.catch(() => undefined);
    return { settlement, settled };
  }

  async function perform(write: Write): Promise<Performed> {
    try {
      const labels = await carryOut(write);
      context.reached(write.type === 'branch' ? 'after_branch' : 'after_labels');
      return settle(write, { outcome: 'written', labels });
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
      if (error instanceof ForgeBusy) {
        log.debug(about, 'a ledger write has to wait');
        busyUntil = Math.max(busyUntil, (await store.now()) + error.retryAfterMs);
      } else log.warn(about, 'a ledger write failed');
      if (error instanceof ForgeRefused) await undo(write, error);
      return settle(write, settlement);
    }
  }

  /** Branch before labels, which wait for it; a comment waits for nothing. */
  async function performInOrder(writes: readonly Write[]): Promise<Written> {
    const inOrder = writes.toSorted((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
    const settling: Promise<void>[] = [];
    let branch: Settlement | null = null;
    let written: Written = 'written';
    try {
      for (const write of inOrder) {
        if (write.type === 'labels' && branch !== null && branch.outcome !== 'written') {
          // Given back at once: otherwise they would wait for the end of their lock.
          const delayMs = branch.outcome === 'retry' ? branch.delayMs : 0;
          const waits = { outcome: 'retry', delayMs, error: 'The branch comes first.' } as const;
          settling.push(settle(write, waits).settled);
          continue;
        }
        const { settlement, settled } = await perform(write);
        settling.push(settled);
        if (write.type === 'branch') branch = settlement;
        if (written === 'written') written = WRITTEN[settlement.outcome];
      }
      return written;
    } finally {
      await Promise.all(settling);
    }
  }

  async function writeNow(handOut: HandOut): Promise<Written> {
    // What somebody else is writing at this moment is not waited for.
    const others = handOut.unwritten > handOut.writes.length;
    const writing = performInOrder(handOut.writes).then(
      (written): Written => (written === 'written' && others ? 'pending' : written),
    );
    const late = Promise.withResolvers<Written>();
    const cancel = timers.after(ANSWER_WITHIN_MS, () => late.resolve('pending'));
    // A failure of the store itself while settling: the entries stay, the loop finishes them.
    const settled = writing.catch((error: unknown): Written => {
      log.warn({ err: error }, 'could not settle a ledger write');
      return 'pending';
    });
    return Promise.race([settled, late.promise]).finally(cancel);
  }

  async function turn(): Promise<number> {
    const waitMs = busyUntil - (await store.now());
    if (waitMs > 0) return waitMs;
    const writes = await store.takeWrites(batch, WRITE_LOCK_MS);
    const byIssue = Map.groupBy(writes, (write) => `${write.repository}#${write.number}`);
    await Promise.all([...byIssue.values()].map((group) => performInOrder(group)));
    const full = writes.length === batch;
    batch = busyUntil > (await store.now()) ? BATCH_WHEN_BUSY : Math.min(most, batch * 2);
    return full ? 0 : IDLE_MS;
  }

  return { ...createLoop({ name: 'outbox', timers, log, turn, retryMs: IDLE_MS }), writeNow };
}
