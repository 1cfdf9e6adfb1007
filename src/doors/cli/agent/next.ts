// banto next: asks for a task. Nothing is remembered on disk; what comes back holds all that the later
// commands need.

import type { Command } from 'commander';
import {
  LEASE_SECONDS_MAX,
  LEASE_SECONDS_MIN,
  WAIT_SECONDS_MAX,
} from '../../../core/attempt/lease.ts';
import { TASK_KINDS, type TaskKind } from '../../../core/task.ts';
import type { AssignmentAnswer } from '../../schema/request-task.ts';
import {
  examples,
  listed,
  type TalkOptions,
  talkFlags,
  talks,
  whole,
  word,
} from '../options/options.ts';
import { print, printJson, type Shell } from '../shell.ts';
import { EXIT, UsageError } from '../terminal/exit.ts';
import { clean, cleanLines } from '../terminal/text.ts';
import { clockTime } from '../terminal/time-text.ts';

interface Options extends TalkOptions {
  readonly agent?: string;
  readonly cap?: readonly string[];
  readonly wait: number;
  readonly lease?: number;
  readonly kind?: readonly TaskKind[];
  readonly repository?: readonly string[];
  readonly onUnfinished?: 'complete' | 'resume' | 'release';
  readonly requestId?: string;
}

function kinds(text: string, before: readonly TaskKind[] = []): TaskKind[] {
  return [...before, ...listed(text).map(word(...TASK_KINDS))];
}

export function addNext(program: Command, shell: Shell, done: (code: number) => void): void {
  const command = talks(
    program
      .command('next')
      .alias('request')
      .summary('ask for a task')
      .description('Asks for a task that suits this agent. Exit code 3: there is none.'),
  )
    .option('--agent <id>', 'who asks (BANTO_AGENT)')
    .option(
      '--cap <labels>',
      'what it can do: labels, several by comma or repeated; one with a comma in double quotes; * is everything',
      listed,
    )
    .option('--wait <seconds>', 'wait that long for a task', whole(0, WAIT_SECONDS_MAX), 0)
    .option(
      '--lease <seconds>',
      'how long the lease lives',
      whole(LEASE_SECONDS_MIN, LEASE_SECONDS_MAX),
    )
    .option('--kind <kinds>', `only these kinds: ${TASK_KINDS.join(', ')}`, kinds)
    .option('--repository <names>', 'only these repositories', listed)
    .option(
      '--on-unfinished <what>',
      'what asking while holding a task means: resume (default), release or complete',
      word('complete', 'resume', 'release'),
    )
    .option('--request-id <id>', 'the same id gets the same answer while that lease lives')
    .action(async (options: Options) => {
      const { client, agentId } = shell.session(talkFlags(options));
      const agent = options.agent ?? agentId;
      if (agent === null) throw new UsageError('Say who asks: --agent <id>, or set BANTO_AGENT.');
      const completed: string[] = [];
      const body = {
        agent_id: agent,
        capabilities: [...(options.cap ?? [])],
        wait_seconds: options.wait,
        ...(options.lease === undefined ? {} : { lease_seconds: options.lease }),
        ...(options.kind === undefined ? {} : { kinds: [...options.kind] }),
        ...(options.repository === undefined ? {} : { repositories: [...options.repository] }),
        ...(options.onUnfinished === undefined ? {} : { on_unfinished: options.onUnfinished }),
        ...(options.requestId === undefined ? {} : { request_id: options.requestId }),
      };
      const task = await client.requestTask(body, { completed: (id) => completed.push(id) });
      for (const id of completed) shell.stderr.write(`banto: Asking completed ${clean(id)}.\n`);
      if (task === null) {
        shell.stderr.write(`banto: ${nothing(options.cap ?? [], options.wait)}\n`);
        if (options.json && completed.length > 0) {
          printJson(shell, { completed_task_id: completed[0] });
        }
        return done(EXIT.noTask);
      }
      if (options.json) printJson(shell, task);
      else print(shell, ...describe(task, shell.now()));
    });
  examples(
    command,
    'banto next --agent a1 --cap backend,go',
    'banto next --agent a1 --cap "*" --wait 300 --json',
    'banto next --agent r1 --cap review --kind review',
  );
}

function nothing(capabilities: readonly string[], waited: number): string {
  const found = waited === 0 ? 'No suitable task' : `No suitable task came within ${waited} s`;
  if (capabilities.length === 0) {
    return `${found}, as no capability was offered: name labels with --cap, or everything with --cap "*".`;
  }
  const hint = waited === 0 ? ' Wait for one with --wait.' : '';
  return `${found}.${hint} \`banto tasks\` shows what there is, and \`banto why <task> --agent <id>\` why it is not offered.`;
}

function describe(task: AssignmentAnswer, now: number): string[] {
  const pull = task.pr_number === null ? [] : [`Pull request  #${task.pr_number}`];
  return [
    `${task.kind} #${task.issue_id}: ${clean(task.title)}`,
    '',
    `Task          ${task.task_id}`,
    `Lease token   ${task.lease.token}`,
    `Lease ends    ${clockTime(task.lease.expires_at, now)} (renew with \`banto heartbeat\`)`,
    `Branch        ${clean(task.branch_name)}`,
    `Labels        ${task.labels.map(clean).join(', ')}`,
    `Address       ${clean(task.issue_url)}`,
    ...pull,
    `Attempt       ${task.attempt}`,
    '',
    cleanLines(task.prompt),
    '',
    'When it is done:',
    `  banto complete ${task.task_id} --token ${task.lease.token} ${task.kind === 'review' ? '--verdict approve' : '--summary "…"'}`,
    'If it cannot be done:',
    `  banto fail ${task.task_id} --token ${task.lease.token} --reason "…"`,
  ];
}
