// The conversation with the tool: run it, look at what it did, and ask again where that helps (uncommitted
// files, a check that fails, a verdict that cannot be read). What it amounts to is judged in outcome/judge.ts.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Workplace } from './bench.ts';
import { changeProblem, type Evidence, judge, type Outcome } from './outcome/judge.ts';
import { noChangeIn } from './outcome/no-change.ts';
import { isVerdict, readVerdict, type Verdict } from './outcome/verdict.ts';
import { commitAll, type Look, lookAt } from './place/look.ts';
import { mergeBase } from './place/worktree.ts';
import {
  checkPrompt,
  leftoverPrompt,
  repairPrompt,
  reviewPrompt,
  workPrompt,
} from './prompt-text.ts';
import { runCommand } from './run/command.ts';
import { runTool, type ToolCall, type ToolRun } from './run-tool.ts';

export interface Rounds {
  readonly outcome: Outcome;
  /** What the tool said last. */
  readonly words: string;
  readonly look: Look | null;
  readonly verdict: Verdict | null;
}

const SCHEMA_FILE = new URL('../../review-verdict.schema.json', import.meta.url);
const CHECK_TAIL_LINES = 100;
const CHECK_TAIL = 8000;

interface CheckRun {
  readonly passed: boolean;
  readonly exitCode: number;
  readonly output: string;
}

async function runCheck(place: Workplace, command: string): Promise<CheckRun> {
  const { worktree, log, deps, task, agentId } = place;
  log.banto(`checks: ${command}`);
  deps.tell({ type: 'note', agentId, taskId: task.task_id, text: `checks: ${command}` });
  const lines: string[] = [];
  const late = new AbortController();
  const left = Math.max(1, place.deadline - deps.now());
  const timer = setTimeout(
    () => late.abort({ by: 'timeout', seconds: place.settings.timeoutSeconds }),
    Math.min(left, 2_147_483_647),
  );
  const end = await runCommand(
    {
      file: '/bin/sh',
      args: ['-c', command],
      cwd: worktree.folder,
      env: place.env,
      stdin: null,
      onLine(line) {
        log.readable(line);
        lines.push(line);
        if (lines.length > CHECK_TAIL_LINES) lines.shift();
      },
    },
    { halt: AbortSignal.any([place.stops.halt, late.signal]), urgent: place.stops.urgent },
  );
  clearTimeout(timer);
  const passed = end.exitCode === 0 && end.halt === null;
  log.banto(passed ? 'the check passes' : `the check fails with exit code ${end.exitCode}`);
  return { passed, exitCode: end.exitCode, output: lines.join('\n').slice(-CHECK_TAIL) };
}

/** A session that the tool no longer knows is no failure of the task. */
async function runWithSession(place: Workplace, call: ToolCall): Promise<ToolRun> {
  const run = await runTool(place, call);
  const { end, reading } = run;
  const useless =
    call.session !== null &&
    end.exitCode !== 0 &&
    end.halt === null &&
    reading.lastText === '' &&
    (reading.usage?.inputTokens ?? 0) === 0 &&
    reading.quota === null &&
    reading.fault === null;
  if (!useless) return run;
  place.log.banto('the session could not be resumed; begins a new one');
  return runTool(place, { ...call, session: null });
}

function endedWell({ end, reading }: ToolRun, hasResult: boolean): boolean {
  const quiet = end.halt === null && end.exitCode === 0 && end.startError === null;
  return quiet && (reading.result?.ok ?? !hasResult) && reading.quota === null;
}

function evidenceOf(place: Workplace, { end, reading }: ToolRun): Evidence {
  const { task, settings, deps } = place;
  return {
    kind: task.kind,
    exitCode: end.exitCode,
    signal: end.signal,
    // What stopped the check, or came after the tool's end, counts as well.
    halt: (place.stops.halt.aborted ? place.stops.halt.reason : null) ?? end.halt,
    startError: end.startError,
    hasResult: settings.preset.hasResult,
    result: reading.result,
    quota: reading.quota,
    fault: reading.fault,
    denials: reading.denials,
    branch: task.branch_name,
    commits: 0,
    rewritten: false,
    elsewhere: null,
    changed: [],
    untracked: [],
    noChange: noChangeIn(reading.lastText),
    check: null,
    verdict: null,
    now: deps.now(),
  };
}

/** The session of the run before, so that the tool knows what it did. */
function sessionAfter(place: Workplace, { reading }: ToolRun): ToolCall['session'] {
  const { resumes } = place.settings.preset;
  return resumes && reading.sessionId !== null
    ? { id: reading.sessionId, totals: reading.usage }
    : null;
}

export async function implementRounds(
  place: Workplace,
  session: ToolCall['session'],
): Promise<Rounds> {
  const { settings, worktree, task, scratch, log } = place;
  const { check, checkRounds, commit, preset } = settings;
  const prompt = workPrompt(task, check);
  let run = await runWithSession(place, { prompt, session, schema: null });
  for (let round = 0; ; round += 1) {
    let look = await lookAt(worktree, scratch, preset.toolFiles);
    const dirty = look.changed.length + look.untracked.length > 0;
    if (commit && dirty && endedWell(run, preset.hasResult)) {
      const subject = `${task.title.slice(0, 200)} (#${task.issue_id})`;
      await commitAll(worktree, subject, place.env, preset.toolFiles);
      look = await lookAt(worktree, scratch, preset.toolFiles);
    }
    const evidence: Evidence = { ...evidenceOf(place, run), ...look };
    const mayAsk = round < checkRounds && !place.stops.halt.aborted;
    let again: string | null = null;
    let checked: CheckRun | null = null;
    if (endedWell(run, preset.hasResult)) {
      const problem = changeProblem(evidence);
      const uncommitted = look.changed.length + look.untracked.length > 0;
      if (problem !== null && uncommitted && preset.resumes) again = leftoverPrompt(problem);
      if (problem === null && check !== null) {
        checked = await runCheck(place, check);
        if (!checked.passed) again = checkPrompt(check, checked.exitCode, checked.output);
      }
    }
    if (again === null || !mayAsk) {
      const checkEvidence =
        checked === null || check === null ? null : { command: check, passed: checked.passed };
      // The lease may have been lost while the check ran.
      const { halt } = evidenceOf(place, run);
      const outcome = judge({ ...evidence, halt, check: checkEvidence });
      return { outcome, words: run.reading.lastText, look, verdict: null };
    }
    const next = sessionAfter(place, run);
    log.banto('asks again');
    run = await runTool(place, {
      prompt: next === null ? `${prompt}\n\n${again}` : again,
      session: next,
      schema: null,
    });
  }
}

export async function reviewRounds(
  place: Workplace,
  session: ToolCall['session'],
): Promise<Rounds> {
  const { worktree, checkout, task, settings, scratch, log } = place;
  const schema = { file: join(scratch, 'verdict.schema.json'), text: readSchema() };
  writeFileSync(schema.file, schema.text);
  const from = await mergeBase(checkout, worktree.start);
  const { out: diff } = await worktree.git(
    'diff',
    '--no-color',
    '--no-ext-diff',
    from,
    worktree.start,
  );
  const prompt = reviewPrompt(task, { diff, from, to: worktree.start }, schema.text);
  let run = await runWithSession(place, { prompt, session, schema });
  let verdict = readVerdict(run.reading.structured, run.reading.lastText);
  if (!isVerdict(verdict) && endedWell(run, settings.preset.hasResult)) {
    log.banto(`asks again: ${verdict.problem}`);
    const next = sessionAfter(place, run);
    const repair = repairPrompt(verdict.problem, schema.text);
    run = await runTool(place, {
      prompt: next === null ? `${prompt}\n\n${repair}` : repair,
      session: next,
      schema,
    });
    verdict = readVerdict(run.reading.structured, run.reading.lastText);
  }
  const outcome = judge({ ...evidenceOf(place, run), verdict });
  return {
    outcome,
    words: run.reading.lastText,
    look: null,
    verdict: isVerdict(verdict) ? verdict : null,
  };
}

function readSchema(): string {
  return JSON.stringify(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')));
}
