// One run of the tool: the call after its preset, its output into log, progress and reading, its process
// written down in case the worker dies.

import { writeFileSync } from 'node:fs';
import type { Workplace } from './bench.ts';
import { faultIn, quotaIn } from './outcome/quota.ts';
import { stampOf } from './place/look.ts';
import type { TaskMemory } from './place/memory.ts';
import type { CallInput, Reading } from './presets/preset.ts';
import { type CommandEnd, runCommand } from './run/command.ts';
import { startOf } from './run/process-identity.ts';
import { watchRun } from './run/watch.ts';
import type { Usage } from './usage.ts';

const COMPLAINTS = 20;

export interface ToolRun {
  readonly end: CommandEnd;
  readonly reading: Reading;
}

export interface ToolCall {
  readonly prompt: string;
  readonly session: { readonly id: string; readonly totals: Usage | null } | null;
  readonly schema: CallInput['schema'];
}

export async function runTool(
  place: Workplace,
  { prompt, session, schema }: ToolCall,
): Promise<ToolRun> {
  const { settings, deps, worktree, memory, meter, lease, log, task, agentId } = place;
  const { preset, program, extra, check } = settings;
  const [file, ...leading] = program;
  writeFileSync(place.promptFile, prompt, { mode: 0o600 });
  const call = preset.call({
    prompt,
    promptFile: place.promptFile,
    worktree: worktree.folder,
    gitFolders: worktree.gitFolders,
    session: session?.id ?? null,
    schema,
    check,
    extra,
    scratch: place.scratch,
  });
  const reader = preset.reader(deps.now);
  const { reading } = reader;
  meter.begin(reading, session?.totals ?? null);
  const complaints: string[] = [];
  const watch = watchRun({
    stallMs: settings.stallSeconds * 1000,
    deadline: place.deadline,
    timeoutSeconds: settings.timeoutSeconds,
    now: deps.now,
    stamp: () => stampOf(worktree),
    waiting: () => reading.waiting,
  });
  log.banto(session === null ? `starts ${file}` : `goes on with the session ${session.id}`);

  const remember = (change: Partial<TaskMemory>) => {
    const before = memory.read();
    if (before !== null) memory.write({ ...before, ...change });
  };
  async function noteProcess(pid: number): Promise<void> {
    const startedAt = await startOf(pid);
    if (startedAt !== null) remember({ process: { pid, startedAt } });
  }
  const end = await runCommand(
    {
      file,
      args: [...leading, ...call.args],
      cwd: worktree.folder,
      env: { ...place.env, ...call.env },
      stdin: call.stdin,
      onStart: (pid) => void noteProcess(pid),
      onLine(line, stream) {
        watch.sawOutput();
        log.raw(line);
        if (stream === 'stderr' && complaints.push(line) > COMPLAINTS) complaints.shift();
        for (const words of reader[stream](line)) {
          log.readable(words);
          lease.note(words);
          deps.tell({ type: 'note', agentId, taskId: task.task_id, text: words });
        }
      },
    },
    {
      halt: AbortSignal.any([place.stops.halt, watch.halt]),
      urgent: place.stops.urgent,
    },
  );
  watch.stop();
  reader.finish(end.exitCode, place.scratch);
  if (preset.hasResult) readComplaints(end, reading, complaints.join('\n'), deps.now());
  meter.end();
  if (reading.sessionId !== null) {
    const totals = reading.usage ?? session?.totals ?? null;
    remember({ process: null, session: { tool: preset.name, id: reading.sessionId, totals } });
  } else remember({ process: null });
  log.banto(describeEnd(end));
  return { end, reading };
}

function describeEnd({ exitCode, signal, halt, startError }: CommandEnd): string {
  if (startError !== null) return `could not be started: ${startError}`;
  if (halt !== null) return `was stopped (${halt.by})`;
  return signal === null ? `ended with exit code ${exitCode}` : `was killed by ${signal}`;
}

/** A tool that ends before its first event says why on standard error only. */
function readComplaints(
  { exitCode, halt }: CommandEnd,
  reading: Reading,
  text: string,
  now: number,
): void {
  if (exitCode === 0 || halt !== null || reading.result !== null) return;
  reading.quota ??= quotaIn(text, now);
  if (reading.quota === null) reading.fault ??= faultIn(text);
}
