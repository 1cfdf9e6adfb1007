// banto tasks, show and why.

import type { Command } from 'commander';
import { explainReason } from '../../../core/pairing/why.ts';
import { TASK_KINDS, TASK_STATES, type TaskKind, type TaskState } from '../../../core/task.ts';
import type { Event } from '../../schema/events.ts';
import type { ListedTaskAnswer, TaskAnswer, TaskDetailAnswer } from '../../schema/task.ts';
import type { WhyAnswer } from '../../schema/why.ts';
import { examples, type TalkOptions, talkFlags, talks, whole, word } from '../options/options.ts';
import { resolveTask, TASK_ARGUMENT } from '../options/task-argument.ts';
import { columnsOf, painter, print, printJson, type Shell } from '../shell.ts';
import { clean, cleanLines, cut, table } from '../terminal/text.ts';
import { clockTime, duration, relative } from '../terminal/time-text.ts';

interface TasksOptions extends TalkOptions {
  readonly state?: TaskState;
  readonly kind?: TaskKind;
  readonly agent?: string;
  readonly label?: string;
  readonly repository?: string;
  readonly issue?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

const TITLE_COLUMNS = 16;

export function taskNote(task: TaskAnswer, now: number): string {
  if (task.lease !== null) {
    return `${task.lease.agent_id}, lease ends ${relative(task.lease.expires_at, now)}`;
  }
  const reason = task.reason === null ? '' : explainReason(task.reason);
  if (task.state !== 'delayed' || task.ready_at === null) return reason;
  const when = `${clockTime(task.ready_at, now)} (${relative(task.ready_at, now)})`;
  return reason === '' ? when : `${when}, ${reason}`;
}

function addTasks(program: Command, shell: Shell): void {
  const command = talks(program.command('tasks').summary('list tasks').description('Lists tasks.'))
    .option('--state <state>', TASK_STATES.join(', '), word(...TASK_STATES))
    .option('--kind <kind>', TASK_KINDS.join(', '), word(...TASK_KINDS))
    .option('--agent <id>', 'held by this agent')
    .option('--label <label>', 'whose issue has this label')
    .option('--repository <name>', 'of this repository')
    .option('--issue <number>', 'of this issue', whole(1, 999_999_999))
    .option('--limit <number>', 'at most so many (default: 50)', whole(1, 200))
    .option('--cursor <cursor>', 'where the page before ended')
    .action(async ({ url, config, json, ...query }: TasksOptions) => {
      const { client } = shell.session(
        talkFlags({ ...(url && { url }), ...(config && { config }) }),
      );
      const answer = await client.tasks(query);
      if (json) return printJson(shell, answer);
      if (answer.tasks.length === 0) return print(shell, 'No tasks.');
      print(shell, ...listing(answer.tasks, shell.now(), columnsOf(shell)));
      if (answer.next_cursor !== null) {
        print(shell, `There are more: --cursor ${clean(answer.next_cursor)}`);
      }
    });
  examples(command, 'banto tasks', 'banto tasks --state held', 'banto tasks --agent a1 --json');
}

/** A title may be long: on a terminal it leaves room for the note. */
function listing(tasks: readonly ListedTaskAnswer[], now: number, columns: number): string[] {
  const titleColumns = Math.max(TITLE_COLUMNS, Math.floor(columns / 3));
  const rows = tasks.map((task) => [
    task.task_id,
    task.state,
    task.priority_name,
    cut(clean(task.title), titleColumns),
    [attemptsNote(task.attempts), taskNote(task, now)].filter((part) => part !== '').join('; '),
  ]);
  return table([['TASK', 'STATE', 'PRIORITY', 'TITLE', ''], ...rows], columns);
}

function attemptsNote(attempts: number): string {
  if (attempts === 0) return '';
  return attempts === 1 ? '1 attempt failed' : `${attempts} attempts failed`;
}

function addShow(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('show')
      .summary('show a task and its history')
      .description('Shows one task: its issue, earlier attempts and history.'),
  )
    .argument('<task>', TASK_ARGUMENT)
    .action(async (text: string, options: TalkOptions) => {
      const { client } = shell.session(talkFlags(options));
      const task = await client.task(await resolveTask(client, text));
      if (options.json) return printJson(shell, task);
      print(shell, ...describe(task, shell));
    });
  examples(command, 'banto show 7', "banto show '#7'", 'banto show shop~7~implement.1 --json');
}

function usedWords(used: NonNullable<TaskAnswer['usage']>): string {
  const tokens = `${used.input_tokens} tokens read, ${used.output_tokens} written`;
  return `$${used.cost_usd.toFixed(2)}, ${tokens}, ${used.turns} turns`;
}

function limitWords({ cost_usd, tokens }: NonNullable<TaskAnswer['limits']>): string {
  const parts = [
    ...(cost_usd === null ? [] : [`$${cost_usd.toFixed(2)}`]),
    ...(tokens === null ? [] : [`${tokens} tokens`]),
  ];
  return `${parts.join(', ')} in all`;
}

function describe(task: TaskDetailAnswer, shell: Shell): string[] {
  const now = shell.now();
  const columns = columnsOf(shell);
  const paint = painter(shell);
  const facts = [
    ['Task', task.task_id],
    ['State', [task.state, taskNote(task, now)].filter(Boolean).join(': ')],
    ['Priority', `${task.priority_name} (${task.priority})`],
    ['Failed attempts', String(task.attempts)],
    ['Branch', task.branch_name],
    ['Labels', task.labels.join(', ')],
    ['Address', task.issue_url],
    ...(task.pr_number === null ? [] : [['Pull request', `#${task.pr_number}`]]),
    ...(task.authors.length === 0 ? [] : [['Written by', task.authors.join(', ')]]),
    ...(task.result?.summary ? [['Result', task.result.summary]] : []),
    ...(task.usage === null ? [] : [['Used', usedWords(task.usage)]]),
    ...(task.limits === null ? [] : [['May use', limitWords(task.limits)]]),
  ];
  const attempts = task.earlier_attempts.map((attempt) => [
    clockTime(attempt.started_at, now),
    attempt.agent_id,
    attempt.outcome ?? 'working',
    attempt.note ?? attempt.progress.at(-1) ?? '',
  ]);
  const questions = task.questions.map(({ question_id, open, question, answer }) => [
    question_id,
    answer ?? (open ? 'waits for an answer' : 'not answered'),
    question,
  ]);
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', paint('bold', title), ...lines];
  return [
    paint('bold', `${task.kind} #${task.issue_id}: ${clean(task.title)}`),
    ...table(facts, columns),
    ...section('Questions', table(questions, columns)),
    ...section('Attempts', table(attempts, columns)),
    ...section(
      'History',
      table(
        task.history.map((event) => historyRow(event, now)),
        columns,
      ),
    ),
    ...section('Issue', task.body.trim() === '' ? [] : [cleanLines(task.body.trimEnd())]),
  ];
}

const HEAD_FIELDS = new Set(['seq', 'at', 'type', 'task_id', 'state', 'fence', 'request_id']);

function historyRow(event: Event, now: number): string[] {
  const details = Object.entries(event)
    .filter(([name, value]) => !HEAD_FIELDS.has(name) && value !== null && value !== undefined)
    .map(([name, value]) => detailText(name, value, now));
  return [clockTime(event.at, now), event.type, event.state ?? '', details.join(', ')];
}

function detailText(name: string, value: unknown, now: number): string {
  const words = name.replace(/_(?:id|ms)$/, '').replaceAll('_', ' ');
  if (name.endsWith('_ms') && typeof value === 'number')
    return `${words} ${duration(value / 1000)}`;
  if (name === 'usage') return `used ${usedWords(value as NonNullable<TaskAnswer['usage']>)}`;
  if (typeof value !== 'string') return `${words} ${JSON.stringify(value)}`;
  return `${words} ${name.endsWith('_at') ? clockTime(value, now) : value}`;
}

interface WhyOptions extends TalkOptions {
  readonly agent?: string;
}

function addWhy(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('why')
      .summary('why a task is, or is not, offered')
      .description('Says why a task is, or is not, offered: each rule with its outcome.'),
  )
    .argument('<task>', TASK_ARGUMENT)
    .option('--agent <id>', 'to this agent')
    .action(async (text: string, options: WhyOptions) => {
      const { client } = shell.session(talkFlags(options));
      const why = await client.why(await resolveTask(client, text), options.agent);
      if (options.json) return printJson(shell, why);
      print(shell, ...explain(why, options.agent !== undefined, shell));
    });
  examples(command, 'banto why 7', 'banto why shop#7 --agent a1', 'banto why shop~7~implement.1');
}

function explain(why: WhyAnswer, forAgent: boolean, shell: Shell): string[] {
  const paint = painter(shell);
  const now = shell.now();
  const rules = why.rules.map(({ rule, ok, detail }) => [ok ? 'yes' : 'no', rule, detail]);
  const { earliest_at: at, rivals } = why;
  const when =
    at === null || why.offered || Date.parse(at) <= now
      ? []
      : [`At the earliest: ${clockTime(at, now)} (${relative(at, now)}).`];
  // Rivals matter to a task that can be had; what is ahead of it depends on who asks.
  const ahead = forAgent ? `Tasks ahead of it: ${rivals?.ahead ?? 0}. ` : '';
  const crowd =
    rivals !== null && why.offered ? [`${ahead}Agents waiting: ${rivals.waiting_agents}.`] : [];
  return [
    paint(why.offered ? 'green' : 'yellow', clean(why.summary)),
    '',
    ...table(rules, columnsOf(shell)),
    ...[...crowd, ...when].flatMap((line, index) => (index === 0 ? ['', line] : [line])),
  ];
}

export function addTaskCommands(program: Command, shell: Shell): void {
  addTasks(program, shell);
  addShow(program, shell);
  addWhy(program, shell);
}
