// banto issue: the local backlog. It works on the files of the repository you are in; a server that was
// named (--url, BANTO_URL) is asked instead, as its files may be on another machine.

import { Argument, type Command, InvalidArgumentError } from 'commander';
import { explainReason } from '../../../core/pairing/why.ts';
import type { EditIssueBody, IssueAnswer } from '../../schema/issues.ts';
import { examples, listed, word } from '../options/options.ts';
import { columnsOf, painter, print, printJson, type Shell } from '../shell.ts';
import { clean, cleanLines, table } from '../terminal/text.ts';
import { addIssueAdd, readBody } from './issue-add.ts';
import { type IssueOptions, issueFlags, onBacklog } from './issue-options.ts';

function issueNumber(text: string): number {
  const match = /^#?([1-9]\d{0,14})$/.exec(text);
  if (match === null) throw new InvalidArgumentError('It must be the number of an issue, like 7.');
  return Number(match[1]);
}

function numbers(text: string, before: readonly number[] = []): number[] {
  return text.toLowerCase() === 'none' ? [] : [...before, ...listed(text).map(issueNumber)];
}

/** What an issue waits for, where that is known. */
function note({ problem, task }: IssueAnswer): string {
  if (problem !== null) return problem;
  if (task === null) return '';
  return [task.state, task.reason === null ? '' : explainReason(task.reason)]
    .filter((part) => part !== '')
    .join(': ');
}

interface ListOptions extends IssueOptions {
  readonly state: 'open' | 'closed' | 'all';
  readonly label?: string;
}

function addList(group: Command, shell: Shell): void {
  const command = onBacklog(
    group.command('list').summary('list issues').description('Lists the issues of the backlog.'),
  )
    .option('--state <state>', 'open, closed or all', word('open', 'closed', 'all'), 'open')
    .option('--label <label>', 'with this label')
    .action(async (options: ListOptions) => {
      const { state, label } = options;
      const all = await (await shell.issues(issueFlags(options))).list();
      const issues = all.filter(
        (issue) =>
          (state === 'all' || issue.state === state) &&
          (label === undefined ||
            issue.labels.some((one) => one.toLowerCase() === label.toLowerCase())),
      );
      if (options.json) return printJson(shell, { issues });
      if (issues.length === 0) return print(shell, 'No issues.');
      const rows = issues.map((issue) => [
        `#${issue.number}`,
        issue.state,
        issue.priority ?? '',
        issue.labels.join(', '),
        issue.title,
        note(issue),
      ]);
      // Files do not know what became of their tasks.
      const more = rows.some((row) => row.at(-1) !== '') ? ['TASK'] : [];
      const head = ['ISSUE', 'STATE', 'PRIORITY', 'LABELS', 'TITLE', ...more];
      print(shell, ...table([head, ...rows], columnsOf(shell)));
    });
  examples(command, 'banto issue list', 'banto issue list --state all --json');
}

function describe(issue: IssueAnswer, shell: Shell): string[] {
  const waits = issue.blocked_by.map((number) => `#${number}`).join(', ');
  const rows = [
    ['State', issue.state],
    ['Labels', issue.labels.join(', ')],
    ['Priority', issue.priority ?? ''],
    ['Waits for', waits],
    ['Task', note(issue)],
    ['Address', issue.url],
  ].filter(([, value]) => value !== '');
  const body = issue.body.trim() === '' ? [] : ['', cleanLines(issue.body.trimEnd())];
  return [
    painter(shell)('bold', `#${issue.number}: ${clean(issue.title)}`),
    ...table(rows, columnsOf(shell)),
    ...body,
  ];
}

function addShow(group: Command, shell: Shell): void {
  const command = onBacklog(
    group.command('show').summary('show an issue').description('Shows one issue of the backlog.'),
  )
    .argument('<number>', 'the issue', issueNumber)
    .action(async (number: number, options: IssueOptions) => {
      const issue = await (await shell.issues(issueFlags(options))).show(number);
      if (options.json) return printJson(shell, issue);
      print(shell, ...describe(issue, shell));
    });
  examples(command, 'banto issue show 7', "banto issue show '#7' --json");
}

interface EditOptions extends IssueOptions {
  readonly title?: string;
  readonly body?: string;
  readonly label?: readonly string[];
  readonly removeLabel?: readonly string[];
  readonly priority?: 'high' | 'normal' | 'low' | 'none';
  readonly blockedBy?: readonly number[];
}

async function changeOf(shell: Shell, options: EditOptions): Promise<EditIssueBody> {
  const { title, body, label, removeLabel, priority, blockedBy } = options;
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body: await readBody(shell, body) }),
    ...(label === undefined ? {} : { add_labels: [...label] }),
    ...(removeLabel === undefined ? {} : { remove_labels: [...removeLabel] }),
    ...(priority === undefined ? {} : { priority: priority === 'none' ? null : priority }),
    ...(blockedBy === undefined ? {} : { blocked_by: [...blockedBy] }),
  };
}

function addEdit(group: Command, shell: Shell): void {
  const command = onBacklog(
    group
      .command('edit')
      .summary('change an issue')
      .description('Changes an issue: what is not named stays as it is.'),
  )
    .argument('<number>', 'the issue', issueNumber)
    .option('--title <text>', 'another title')
    .option('--body <text>', 'another body; - reads it from standard input')
    .option('--label <labels>', 'add labels, several by comma or repeated', listed)
    .option('--remove-label <labels>', 'remove labels', listed)
    .option(
      '--priority <priority>',
      'high, normal, low or none',
      word('high', 'normal', 'low', 'none'),
    )
    .option(
      '--blocked-by <numbers>',
      'issues it waits for, instead of the ones before; or none',
      numbers,
    )
    .action(async (number: number, options: EditOptions) => {
      const change = await changeOf(shell, options);
      const issue = await (await shell.issues(issueFlags(options))).edit(number, change);
      if (options.json) return printJson(shell, issue);
      print(shell, ...describe({ ...issue, body: '' }, shell));
    });
  examples(
    command,
    'banto issue edit 7 --label urgent --priority high',
    'banto issue edit 7 --blocked-by none --body - < body.md',
  );
}

function addState(group: Command, shell: Shell, name: 'close' | 'reopen'): void {
  const state = name === 'close' ? 'closed' : 'open';
  const command = onBacklog(
    group
      .command(name)
      .summary(`${name} issues`)
      .description(
        name === 'close'
          ? 'Closes issues; their tasks are cancelled, and what waits for them goes on.'
          : 'Opens issues again; they are offered again.',
      ),
  )
    .addArgument(
      new Argument('<numbers...>', 'the issues').argParser<number[]>((text, before) => [
        ...(before ?? []),
        issueNumber(text),
      ]),
    )
    .action(async (all: number[], options: IssueOptions) => {
      const backlog = await shell.issues(issueFlags(options));
      const issues: IssueAnswer[] = [];
      for (const number of all) issues.push(await backlog.edit(number, { state }));
      if (options.json) return printJson(shell, { issues });
      print(shell, ...issues.map(({ number, title }) => `#${number} is ${state}: ${clean(title)}`));
    });
  examples(command, `banto issue ${name} 7`, `banto issue ${name} 7 8 9`);
}

export function addIssueCommands(program: Command, shell: Shell): void {
  const group = program
    .command('issue')
    .summary('list, add, edit and close issues of the local backlog')
    .description('The local backlog. Issues on GitHub are edited there.');
  addIssueAdd(group, shell);
  addList(group, shell);
  addShow(group, shell);
  addEdit(group, shell);
  addState(group, shell, 'close');
  addState(group, shell, 'reopen');
  examples(group, 'banto issue add "Fix the login" --label backend', 'banto issue list');
}
