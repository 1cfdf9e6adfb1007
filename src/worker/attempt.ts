// One task from hand-out to report: hold the lease, make the worktree, run hooks and the tool, report, clean up.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AssignmentAnswer } from '../doors/schema/request-task.ts';
import type { Bench, Slot, Workplace } from './bench.ts';
import { WorkerFault } from './fault.ts';
import { holdLease } from './lease.ts';
import { createMeter } from './meter.ts';
import { type HookOptions, runHook } from './place/hooks.ts';
import { issueKey } from './place/layout.ts';
import { endOrphan, endOrphansOf, pruneKept } from './place/leftovers.ts';
import { openMemory, type TaskMemory } from './place/memory.ts';
import {
  BranchBusy,
  keepWorktree,
  openWorktree,
  removeWorktree,
  type Worktree,
} from './place/worktree.ts';
import { type Ended, LOST, type Report, report, reportFailure, reportRelease } from './report.ts';
import { implementRounds, type Rounds, reviewRounds } from './rounds.ts';
import { logName, openAttemptLog } from './run/attempt-log.ts';
import { haltOf } from './run/halt.ts';
import { redactor } from './run/redact.ts';
import { toolEnvironment } from './run/tool-environment.ts';
import type { ToolCall } from './run-tool.ts';

export interface AttemptEnd {
  readonly how: Ended;
  readonly text: string;
  /** The worker itself cannot go on. */
  readonly fault: string | null;
  /** The same task, or the same refusal, would come back at once: wait before asking again. */
  readonly pause: boolean;
  /** Until then this worker's tool does nothing; null: nobody knows. */
  readonly quietUntil: number | null;
}

const GO_ON = { fault: null, pause: false, quietUntil: null } as const;

const BUSY_BRANCH_SECONDS = 300;

function openBench(slot: Slot, task: AssignmentAnswer): Bench {
  const { settings, deps, layout, agentId, graceOver } = slot;
  const key = issueKey(task);
  const scratch = layout.scratch(key);
  mkdirSync(scratch, { recursive: true, mode: 0o700 });
  const redact = redactor([...settings.secrets, task.lease.token]);
  const log = openAttemptLog(layout.logs, logName(task.task_id, task.lease.fence), redact);
  const meter = createMeter(settings.preset, settings.extra, settings.prices);
  const lease = holdLease({
    client: deps.client,
    task,
    log,
    usage: () => meter.body(),
    away: (text) => deps.tell({ type: 'away', agentId, text }),
    urgent: deps.stops.urgent,
    now: deps.now,
  });
  const memory = openMemory(layout.memory(key));
  const stops = {
    halt: AbortSignal.any([lease.halt, graceOver, deps.stops.urgent]),
    urgent: deps.stops.urgent,
  };
  return { ...slot, task, key, log, lease, memory, meter, scratch, stops };
}

/** The session to go on with: of the same task, or of the author's work before a fix. */
function sessionFor(bench: Bench, before: TaskMemory | null): ToolCall['session'] {
  const { settings, task } = bench;
  const session = before?.session ?? null;
  if (session === null || session.tool !== settings.preset.name || !settings.preset.resumes) {
    return null;
  }
  const same = before?.taskId === task.task_id && before.phase !== 'over';
  const comesBack = same || (task.kind === 'fix' && before?.taskId !== task.task_id);
  return comesBack ? { id: session.id, totals: session.totals } : null;
}

async function openPlace(bench: Bench, before: TaskMemory | null): Promise<Workplace> {
  const { checkout, layout, task, key, settings, deps, agentId, log, scratch } = bench;
  const sameTask = before !== null && before.taskId === task.task_id && before.phase !== 'over';
  const worktree = await openWorktree(checkout, {
    folder: layout.tree(key),
    branch: task.branch_name,
    detached: task.kind === 'review',
    resumeFrom: sameTask && task.kind !== 'review' ? before.start : null,
    aside: layout.kept(key, task.lease.fence - 1),
    root: settings.workDir,
  });
  if (worktree.kept !== null) {
    log.banto(`local commits that were never pushed are kept as ${worktree.kept}`);
  }
  const promptFile = join(scratch, 'prompt.md');
  return {
    ...bench,
    worktree,
    promptFile,
    env: toolEnvironment({
      base: deps.env,
      task,
      agentId,
      url: settings.url,
      worktree: worktree.folder,
      promptFile,
      baseBranch: checkout.base,
      identity: checkout.identity,
    }),
    deadline: deps.now() + settings.timeoutSeconds * 1000,
  };
}

function hookOptions(place: Workplace): HookOptions {
  const { checkout, settings, worktree, env, log, stops } = place;
  const onLine = (line: string) => log.readable(line);
  return {
    clone: checkout.folder,
    commands: settings.hooks,
    folder: worktree.folder,
    env,
    onLine,
    stops,
  };
}

/** Hooks that tidy up run even though the tool was stopped. */
function afterwards(place: Workplace): HookOptions {
  const { urgent } = place.stops;
  return { ...hookOptions(place), stops: { halt: urgent, urgent } };
}

async function workIn(place: Workplace, session: ToolCall['session']): Promise<Rounds | string> {
  const { worktree, task, log } = place;
  const hooks = hookOptions(place);
  for (const name of worktree.created
    ? (['after_create', 'before_run'] as const)
    : (['before_run'] as const)) {
    const wrong = await runHook(name, hooks);
    if (wrong !== null) return `The hook ${name} failed: ${wrong}`;
  }
  const rounds = await (task.kind === 'review' ? reviewRounds : implementRounds)(place, session);
  const wrong = await runHook('after_run', afterwards(place));
  if (wrong !== null) log.banto(`the hook after_run failed: ${wrong}`);
  return rounds;
}

/** Success leaves nothing behind, a pause leaves everything, a failure is kept for people to look at. */
async function putAway(place: Workplace, how: Ended, resumable: boolean): Promise<void> {
  const { checkout, worktree, layout, key, task, settings, log } = place;
  if (resumable) return;
  if (how === 'completed' || task.kind === 'review') {
    const wrong = await runHook('before_remove', afterwards(place));
    if (wrong !== null) log.banto(`the hook before_remove failed: ${wrong}`);
    await removeWorktree(checkout, worktree.folder);
    return;
  }
  await keepWorktree(checkout, worktree.folder, layout.kept(key, task.lease.fence));
  await pruneKept(checkout, layout.keptRoot, settings.keepFailed);
}

function remember(bench: Bench, worktree: Worktree, before: TaskMemory | null): void {
  const { memory, task } = bench;
  memory.write({
    taskId: task.task_id,
    phase: 'running',
    start: worktree.start,
    process: null,
    session: before?.session ?? null,
  });
}

async function troubled(bench: Bench, error: unknown): Promise<AttemptEnd> {
  const message = error instanceof Error ? error.message : String(error);
  bench.log.banto(message);
  if (bench.lease.halt.aborted) {
    return { how: 'abandoned', text: 'the lease was lost', ...GO_ON };
  }
  if (error instanceof BranchBusy) {
    const told = await reportRelease(bench, message, BUSY_BRANCH_SECONDS);
    return { ...told, ...GO_ON, pause: true };
  }
  if (error instanceof WorkerFault) {
    const told = await reportRelease(bench, message, null);
    return { ...told, ...GO_ON, fault: message };
  }
  return { ...(await reportFailure(bench, message)), ...GO_ON };
}

/** A hook stopped the attempt, or something stopped the hook. */
async function reportHook(place: Workplace, wrong: string): Promise<Report> {
  const halt = haltOf(place.stops.halt);
  if (halt === null) return reportFailure(place, wrong);
  if (halt.by === 'lease_lost') return LOST;
  const reason = halt.by === 'budget' ? `budget: ${halt.detail}` : 'The worker was stopped.';
  return reportRelease(place, reason, null);
}

async function reported(place: Workplace, rounds: Rounds | string): Promise<AttemptEnd> {
  const { memory, deps } = place;
  const told = await (typeof rounds === 'string'
    ? reportHook(place, rounds)
    : report(place, rounds));
  const paused = told.how === 'released';
  const left = memory.read();
  if (left !== null) {
    const session = told.how === 'failed' ? null : left.session;
    memory.write({ ...left, phase: paused ? 'paused' : 'over', session });
  }
  try {
    await putAway(place, told.how, paused && place.task.kind !== 'review');
  } catch (error) {
    // The task is reported: what is left of the worktree is swept up later.
    place.log.banto(`the worktree could not be put away: ${String(error)}`);
  }
  const outcome = typeof rounds === 'string' ? null : rounds.outcome;
  const quiet = outcome?.do === 'release' ? outcome.delaySeconds : null;
  return {
    ...told,
    fault: outcome?.do === 'fault' ? outcome.reason : null,
    pause: paused,
    quietUntil: quiet === null ? null : deps.now() + quiet * 1000,
  };
}

export async function workOn(slot: Slot, task: AssignmentAnswer): Promise<AttemptEnd> {
  const bench = openBench(slot, task);
  const { log, lease, memory, deps, agentId } = bench;
  const { task_id: taskId, title, attempt } = task;
  deps.tell({ type: 'took', agentId, taskId, title, attempt, log: log.path });
  log.banto(`${taskId}, attempt ${attempt}, ${new Date(deps.now()).toISOString()}`);
  let ended: AttemptEnd;
  try {
    const before = memory.read();
    if (before !== null) await endOrphan(before);
    await endOrphansOf(bench.layout, bench.key);
    const place = await openPlace(bench, before);
    remember(bench, place.worktree, before);
    ended = await reported(place, await workIn(place, sessionFor(bench, before)));
  } catch (error) {
    ended = await troubled(bench, error).catch((worse: unknown) => ({
      how: 'abandoned' as const,
      text: worse instanceof Error ? worse.message : String(worse),
      ...GO_ON,
      pause: true,
    }));
  } finally {
    await lease.stop();
  }
  log.banto(`${ended.how}: ${ended.text}`);
  log.close();
  deps.tell({ type: 'ended', agentId, taskId, how: ended.how, text: ended.text });
  return ended;
}
