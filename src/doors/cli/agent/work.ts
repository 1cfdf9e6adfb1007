// banto work: takes tasks and lets a coding agent do them, one worktree for each.

import type { Command } from 'commander';
import {
  LEASE_SECONDS_MAX,
  LEASE_SECONDS_MIN,
  WAIT_SECONDS_MAX,
} from '../../../core/attempt/lease.ts';
import { TASK_KINDS, type TaskKind } from '../../../core/task.ts';
import { PRESET_NAMES, type PresetName } from '../../../worker/presets/names.ts';
import { timeOption } from '../options/duration-option.ts';
import { examples, listed, whole, word } from '../options/options.ts';
import type { Shell } from '../shell.ts';
import { EXIT, UsageError } from '../terminal/exit.ts';
import type { WorkRequest } from './work-request.ts';
import { createWorkView } from './work-view.ts';

interface Options {
  readonly url?: string;
  readonly config?: string;
  readonly repo?: string;
  readonly dataDir?: string;
  readonly agent?: string;
  readonly cap?: readonly string[];
  readonly kind?: readonly TaskKind[];
  readonly repository?: readonly string[];
  readonly parallel: number;
  readonly once?: true;
  readonly wait: number;
  readonly lease?: number;
  readonly preset?: PresetName;
  readonly check?: string;
  readonly checkRounds: number;
  readonly commit?: true;
  readonly grace: number;
  readonly stall: number;
  readonly timeout: number;
  readonly keepFailed: number;
  readonly smoke?: true;
}

const DAY = 86_400;
const DEFAULT_WAIT = 60;

function kinds(text: string, before: readonly TaskKind[] = []): TaskKind[] {
  return [...before, ...listed(text).map(word(...TASK_KINDS))];
}

function requestOf(options: Options, command: readonly string[]): WorkRequest {
  if (options.preset === undefined && command.length === 0) {
    throw new UsageError(
      `Say what does the work: --preset ${PRESET_NAMES.join('|')}, or a command behind \`--\`.`,
    );
  }
  return {
    flags: {
      BANTO_URL: options.url,
      BANTO_CONFIG: options.config,
      BANTO_REPO: options.repo,
      BANTO_DATA_DIR: options.dataDir,
      WORK_CHECK: options.check,
    },
    agent: options.agent ?? null,
    capabilities: options.cap ?? [],
    kinds: options.kind ?? null,
    repositories: options.repository ?? null,
    parallel: options.parallel,
    once: options.once === true,
    waitSeconds: options.wait,
    leaseSeconds: options.lease ?? null,
    preset: options.preset ?? null,
    command,
    checkRounds: options.checkRounds,
    commit: options.commit === true,
    graceSeconds: options.grace,
    stallSeconds: options.stall,
    timeoutSeconds: options.timeout,
    keepFailed: options.keepFailed,
  };
}

export function addWork(program: Command, shell: Shell, done: (code: number) => void): void {
  const command = program
    .command('work')
    .summary('let a coding agent work on tasks')
    .description(
      'Waits for tasks and lets a coding agent do them, each in a git worktree of its own: renews the lease, judges what came out by the tool and by git, pushes and reports.',
    )
    .argument(
      '[command...]',
      'behind `--`: the command that gets the prompt on standard input; with --preset, more arguments for its tool',
    )
    .option('--agent <id>', 'who works (BANTO_AGENT); further slots are called <id>-2, <id>-3, …')
    .option(
      '--cap <labels>',
      'what it can do: labels, several by comma or repeated; * is everything',
      listed,
    )
    .option(
      '--preset <tool>',
      `run this coding agent: ${PRESET_NAMES.join(', ')}`,
      word(...PRESET_NAMES),
    )
    .option('--parallel <number>', 'how many tasks at once', whole(1, 64), 1)
    .option(
      '--once',
      'one task, then the end; exit code 0: completed or given back, 1: failed, 3: there was none',
    )
    .option('--kind <kinds>', `only these kinds: ${TASK_KINDS.join(', ')}`, kinds)
    .option('--repository <names>', 'only these repositories', listed)
    .option(
      '--check <command>',
      'must pass in the worktree before a task is completed (WORK_CHECK)',
    )
    .option(
      '--check-rounds <number>',
      'how often the tool may repair what the check finds',
      whole(0, 10),
      2,
    )
    .option('--commit', 'commit what the tool leaves uncommitted')
    .addOption(
      timeOption(
        '--stall <time>',
        'stop a tool without output and without changes for so long',
        [1, DAY],
        '15m',
      ),
    )
    .addOption(timeOption('--timeout <time>', 'stop a tool that takes longer', [1, 7 * DAY], '4h'))
    .addOption(
      timeOption(
        '--grace <time>',
        'what a running tool gets after Ctrl-C before its task is given back',
        [0, DAY],
        '30s',
      ),
    )
    .option(
      '--wait <seconds>',
      'how long one request waits for a task',
      whole(0, WAIT_SECONDS_MAX),
      DEFAULT_WAIT,
    )
    .option(
      '--lease <seconds>',
      "how long a lease lives without a heartbeat (default: the server's LEASE_SECONDS)",
      whole(LEASE_SECONDS_MIN, LEASE_SECONDS_MAX),
    )
    .option(
      '--keep-failed <number>',
      'how many worktrees of failed attempts are kept',
      whole(0, 1000),
      5,
    )
    .option('--repo <folder>', 'the clone to work in (BANTO_REPO; default: here)')
    .option(
      '--data-dir <folder>',
      'where worktrees and logs go (BANTO_DATA_DIR; default: .banto in the clone)',
    )
    .option('--url <address>', 'where Banto is (BANTO_URL)')
    .option('--config <file>', 'the configuration file (default: banto.config.json)')
    .option('--smoke', 'try the tool on a trivial task in a throwaway repository')
    .action(async (words: readonly string[], options: Options) => {
      const request = requestOf(options, words);
      const view = createWorkView(shell);
      try {
        done(await (options.smoke ? shell.smoke : shell.work)(request, view.tell));
      } finally {
        view.close();
      }
    });
  examples(
    command,
    'banto work --agent w1 --cap bug,ui --preset claude',
    'banto work --agent w1 --cap "*" --preset codex --parallel 3 --check "npm test"',
    'banto work --agent w1 --cap docs --once -- ./my-agent.sh',
    'banto work --agent w1 --cap docs -- my-agent --prompt {prompt_file}',
    'banto work --smoke --preset claude',
  );
}

/** The exit code of `banto work --once`. */
export function exitOfOnce(
  ends: readonly ('completed' | 'failed' | 'released' | 'abandoned' | null)[],
): number {
  if (ends.every((end) => end === null)) return EXIT.noTask;
  if (ends.includes('failed')) return EXIT.error;
  return ends.includes('abandoned') ? LEASE_LOST : EXIT.ok;
}

const LEASE_LOST = 4;
