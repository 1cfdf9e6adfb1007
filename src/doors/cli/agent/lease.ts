// The commands of an agent that holds a task: heartbeat, complete, fail, release.

import type { Command } from 'commander';
import type { TaskAnswer } from '../../schema/task.ts';
import {
  examples,
  repeated,
  type TalkOptions,
  talkFlags,
  talks,
  whole,
  word,
} from '../options/options.ts';
import { resolveTask, TASK_ARGUMENT } from '../options/task-argument.ts';
import { print, printJson, type Session, type Shell } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { clean } from '../terminal/text.ts';
import { clockTime } from '../terminal/time-text.ts';

interface LeaseOptions extends TalkOptions {
  readonly token?: string;
}

interface Holding extends Session {
  readonly id: string;
  readonly token: string;
}

async function holding(
  shell: Shell,
  argument: string | undefined,
  options: LeaseOptions,
): Promise<Holding> {
  const session = shell.session(talkFlags(options));
  const named = argument ?? session.taskId;
  const token = options.token ?? session.leaseToken;
  if (named === null) {
    throw new UsageError('Say which task: give its id or its issue, or set BANTO_TASK_ID.');
  }
  if (token === null) {
    throw new UsageError('The lease token is missing: give --token, or set BANTO_LEASE_TOKEN.');
  }
  return { ...session, id: await resolveTask(session.client, named), token };
}

const MAX_DELAY_SECONDS = 2_592_000;

function ofLease(program: Command, name: string, summary: string, description: string): Command {
  return talks(program.command(name).summary(summary).description(description))
    .argument('[task]', `${TASK_ARGUMENT} (BANTO_TASK_ID)`)
    .option('--token <token>', 'the lease token that came with the task (BANTO_LEASE_TOKEN)');
}

function tell(shell: Shell, options: LeaseOptions, task: TaskAnswer): void {
  if (options.json) return printJson(shell, task);
  const reason = task.reason === null ? '' : ` (${clean(task.reason)})`;
  const when = task.ready_at === null ? '' : `, again at ${clockTime(task.ready_at, shell.now())}`;
  const then = task.state === 'done' && task.kind !== 'review' ? '; its review comes next' : '';
  const later = task.state === 'delayed' ? when : '';
  print(shell, `${task.task_id} is ${task.state}${reason}${later}${then}.`);
}

interface HeartbeatOptions extends LeaseOptions {
  readonly progress?: string;
}

interface CompleteOptions extends LeaseOptions {
  readonly summary?: string;
  readonly pr?: number;
  readonly verdict?: 'approve' | 'request_changes';
  readonly comment?: readonly string[];
}

interface FailOptions extends LeaseOptions {
  readonly reason: string;
  readonly retry: boolean;
  readonly delay?: number;
}

interface ReleaseOptions extends LeaseOptions {
  readonly reason?: string;
  readonly delay?: number;
}

function addHeartbeat(program: Command, shell: Shell): void {
  const command = ofLease(
    program,
    'heartbeat',
    'renew a lease',
    'Renews the lease and may leave a note on how it goes. Exit code 4: the lease is lost.',
  )
    .option('--progress <text>', 'how it goes, for people and for the next attempt')
    .action(async (argument: string | undefined, options: HeartbeatOptions) => {
      const { client, id, token } = await holding(shell, argument, options);
      const answer = await client.heartbeat(id, {
        lease_token: token,
        ...(options.progress === undefined ? {} : { progress: options.progress }),
      });
      if (options.json) return printJson(shell, answer);
      print(shell, `The lease now ends at ${clockTime(answer.expires_at, shell.now())}.`);
    });
  examples(
    command,
    'banto heartbeat shop~7~implement.1 --token "$TOKEN" --progress "tests pass"',
    'BANTO_TASK_ID=shop~7~implement.1 BANTO_LEASE_TOKEN="$TOKEN" banto heartbeat',
  );
}

function addComplete(program: Command, shell: Shell): void {
  const command = ofLease(
    program,
    'complete',
    'report a task as done',
    'Reports the task as done; the change then goes to review. A review needs --verdict.',
  )
    .option('--summary <text>', 'what was done')
    .option('--pr <number>', 'the pull request', whole(1, 999_999_999))
    .option('--verdict <verdict>', 'approve or request_changes', word('approve', 'request_changes'))
    .option('--comment <text>', 'a review comment; may be repeated', repeated)
    .action(async (argument: string | undefined, options: CompleteOptions) => {
      if (options.verdict === 'request_changes' && options.comment === undefined) {
        throw new UsageError('Say what to change: request_changes needs at least one --comment.');
      }
      const { client, id, token } = await holding(shell, argument, options);
      const task = await client.complete(id, {
        lease_token: token,
        ...(options.summary === undefined ? {} : { summary: options.summary }),
        ...(options.pr === undefined ? {} : { pr_number: options.pr }),
        ...(options.verdict === undefined ? {} : { verdict: options.verdict }),
        ...(options.comment === undefined ? {} : { comments: [...options.comment] }),
      });
      tell(shell, options, task);
    });
  examples(
    command,
    'banto complete shop~7~implement.1 --token "$TOKEN" --summary "Login keeps the session"',
    'banto complete shop~7~review.1 --token "$TOKEN" --verdict request_changes --comment "No test for the timeout"',
  );
}

function addFail(program: Command, shell: Shell): void {
  const command = ofLease(
    program,
    'fail',
    'report that a task failed',
    'Reports a failure. The task is tried again later, by whoever asks; after too many attempts a person is asked.',
  )
    .requiredOption('--reason <text>', 'what went wrong; the next agent reads it')
    .option('--no-retry', 'trying again is useless: ask a person at once')
    .option('--delay <seconds>', 'not again before then', whole(0, MAX_DELAY_SECONDS))
    .action(async (argument: string | undefined, options: FailOptions) => {
      const { client, id, token } = await holding(shell, argument, options);
      const task = await client.fail(id, {
        lease_token: token,
        reason: options.reason,
        retryable: options.retry,
        ...(options.delay === undefined ? {} : { delay_seconds: options.delay }),
      });
      tell(shell, options, task);
    });
  examples(
    command,
    'banto fail shop~7~implement.1 --token "$TOKEN" --reason "The tests do not compile"',
    'banto fail shop~7~implement.1 --token "$TOKEN" --reason "Needs a paid account" --no-retry',
  );
}

function addRelease(program: Command, shell: Shell): void {
  const command = ofLease(
    program,
    'release',
    'give a task back',
    'Gives the task back. It is ready again, at once or after a delay, and no attempt is counted.',
  )
    .option('--reason <text>', 'why')
    .option('--delay <seconds>', 'not again before then', whole(0, MAX_DELAY_SECONDS))
    .action(async (argument: string | undefined, options: ReleaseOptions) => {
      const { client, id, token } = await holding(shell, argument, options);
      const task = await client.release(id, {
        lease_token: token,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
        ...(options.delay === undefined ? {} : { delay_seconds: options.delay }),
      });
      tell(shell, options, task);
    });
  examples(command, 'banto release shop~7~implement.1 --token "$TOKEN" --reason "shutting down"');
}

export function addLeaseCommands(program: Command, shell: Shell): void {
  addHeartbeat(program, shell);
  addComplete(program, shell);
  addFail(program, shell);
  addRelease(program, shell);
}
