// From the flags and settings of `banto work` to a running worker.

import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createClient } from '../client/client.ts';
import { loadWorkConfig } from '../config/config.ts';
import type { WorkConfig } from '../config/shape.ts';
import { BantoError } from '../core/errors.ts';
import { isAgentId } from '../core/task.ts';
import { exitOfOnce } from '../doors/cli/agent/work.ts';
import type { WorkRequest } from '../doors/cli/agent/work-request.ts';
import type { SettingFlags } from '../doors/cli/options/setting-flags.ts';
import type { LocalLog } from '../doors/cli/read/local-log.ts';
import type { Check } from '../doors/cli/start/check.ts';
import { UsageError } from '../doors/cli/terminal/exit.ts';
import type { WorkEvent } from '../worker/events.ts';
import { WorkerFault } from '../worker/fault.ts';
import { anyCommand } from '../worker/presets/any-command.ts';
import { examinePreset } from '../worker/presets/examine.ts';
import type { PresetName } from '../worker/presets/names.ts';
import { PRESETS } from '../worker/presets/presets.ts';
import { findLogs, hasEnded, readLog } from '../worker/run/find-log.ts';
import type { Stops, WorkSettings } from '../worker/settings.ts';
import { slotNames, work } from '../worker/work.ts';

export type Tell = (event: WorkEvent) => void;

/** The first signal asks, the second one does not wait. */
export function workStops(): Stops {
  const asked = new AbortController();
  const urgent = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (asked.signal.aborted) urgent.abort({ by: 'shutdown' });
      asked.abort();
    });
  }
  return { asked: asked.signal, urgent: urgent.signal };
}

/** Found now, not when the first task is already waiting for it. */
export function findProgram(name: string, path = process.env['PATH'] ?? ''): string | null {
  const places = name.includes('/')
    ? [resolve(name)]
    : path.split(delimiter).map((dir) => join(dir, name));
  const isProgram = (place: string) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return places.find(isProgram) ?? null;
}

/** The words before the first option are the program; what follows are arguments for the tool. */
function programOf({
  preset,
  command,
}: WorkRequest): Pick<WorkSettings, 'preset' | 'program' | 'extra'> {
  if (preset === null) {
    const [file = '', ...rest] = command;
    return { preset: anyCommand, program: [file], extra: rest };
  }
  const known = PRESETS[preset];
  const first = command.findIndex((one) => one.startsWith('-'));
  const words = first < 0 ? command : command.slice(0, first);
  const [file = known.program, ...leading] = words;
  return { preset: known, program: [file, ...leading], extra: command.slice(words.length) };
}

function checkRequest(request: WorkRequest, agentId: string, program: string): void {
  const names = slotNames(agentId, request.parallel);
  const bad = names.find((name) => !isAgentId(name));
  if (bad !== undefined) {
    throw new UsageError(
      `${JSON.stringify(bad)} cannot be an agent's name: 1 to 50 letters, digits, ".", "_" and "-", beginning with a letter or digit.`,
    );
  }
  if (request.capabilities.length === 0) {
    throw new UsageError(
      'Say what it can do: name labels with --cap, or everything with --cap "*".',
    );
  }
  if (findProgram(program) === null) {
    const more =
      request.preset === null ? '' : ` \`banto doctor --preset ${request.preset}\` says more.`;
    throw new BantoError(
      'misconfigured',
      `${program} was not found. Install it, or give its path behind \`--\`.${more}`,
    );
  }
}

/** From anywhere inside the clone it is the same one. */
function topOf(folder: string): string {
  if (existsSync(join(folder, '.git'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? folder : topOf(parent);
}

function workDirOf({ dataDir, repoDir }: Pick<WorkConfig, 'dataDir' | 'repoDir'>): string {
  const isClone = topOf(repoDir) !== '/';
  return join(dataDir ?? join(isClone ? topOf(repoDir) : repoDir, '.banto'), 'work');
}

export function workSettings(
  request: WorkRequest,
  config: WorkConfig,
  agentId: string,
): WorkSettings {
  const chosen = programOf(request);
  checkRequest(request, agentId, chosen.program[0]);
  const { capabilities, kinds, repositories, parallel, once, waitSeconds, leaseSeconds } = request;
  const { checkRounds, commit, graceSeconds, stallSeconds, timeoutSeconds, keepFailed } = request;
  // A relative path is relative to where the person is, not to a worktree.
  const [file, ...leading] = chosen.program;
  const program = [file.includes('/') ? resolve(file) : file, ...leading] as [string, ...string[]];
  return {
    ...chosen,
    program,
    agentId,
    capabilities,
    kinds,
    repositories,
    parallel,
    once,
    waitSeconds,
    leaseSeconds,
    checkRounds,
    commit,
    graceSeconds,
    stallSeconds,
    timeoutSeconds,
    keepFailed,
    check: config.check,
    hooks: config.hooks,
    prices: config.prices,
    repoDir: config.repoDir,
    workDir: workDirOf(config),
    url: config.url,
    secrets: [config.token],
  };
}

export async function openWork(request: WorkRequest, tell: Tell, stops: Stops): Promise<number> {
  const config = loadWorkConfig({ flags: request.flags });
  const agentId = request.agent ?? config.agentId;
  if (agentId === null) throw new UsageError('Say who works: --agent <id>, or set BANTO_AGENT.');
  const settings = workSettings(request, config, agentId);
  const client = createClient({ url: config.url, token: config.token });
  try {
    const ends = await work(settings, { client, tell, stops, env: process.env, now: Date.now });
    return request.once ? exitOfOnce(ends.map(({ last }) => last?.how ?? null)) : 0;
  } catch (error) {
    if (error instanceof WorkerFault) throw new BantoError('misconfigured', error.message);
    throw error;
  }
}

export function openLocalLogs(flags: SettingFlags, task: string): LocalLog[] {
  return findLogs(workDirOf(loadWorkConfig({ flags })), task).map((found) => ({
    taskId: found.taskId,
    fence: found.fence,
    read: (raw) => readLog(raw ? found.rawPath : found.path),
    ended: hasEnded,
  }));
}

export function presetChecks(name: PresetName): Check[] {
  const { program } = PRESETS[name];
  const input = { program, env: process.env, home: homedir() };
  const findings = examinePreset(name, input);
  return (['installed', 'login', 'trust'] as const).map((check) => ({
    name: check,
    run: async () => (await findings).filter((finding) => finding.check === check),
  }));
}
