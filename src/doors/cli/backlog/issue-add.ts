// banto issue add: writes an issue into the local backlog.

import type { Command } from 'commander';
import { examples, listed, word } from '../options/options.ts';
import { print, printJson, type Shell } from '../shell.ts';
import { UsageError } from '../terminal/exit.ts';
import { type IssueOptions, issueFlags, onBacklog } from './issue-options.ts';

interface Options extends IssueOptions {
  readonly label?: readonly string[];
  readonly priority?: 'high' | 'normal' | 'low';
  readonly blockedBy?: readonly string[];
  readonly body?: string;
  readonly deliverables?: string;
}

const MAX_BODY_BYTES = 1_000_000;

async function readAll(shell: Shell): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of shell.stdin) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_BODY_BYTES) throw new UsageError('The body is larger than 1 MB.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function numberOf(text: string): number {
  const match = /^#?([1-9]\d{0,8})$/.exec(text);
  if (match === null) throw new UsageError(`--blocked-by takes issue numbers, not ${text}.`);
  return Number(match[1]);
}

/** `-` is whatever comes in on standard input. */
export async function readBody(shell: Shell, text: string): Promise<string> {
  return text === '-' ? readAll(shell) : text;
}

export function addIssueAdd(group: Command, shell: Shell): void {
  const command = onBacklog(
    group
      .command('add')
      .summary('write a new issue')
      .description('Writes a new issue into the local backlog.'),
  )
    .argument('<title>')
    .option('--label <labels>', 'labels, several by comma or repeated', listed)
    .option('--priority <priority>', 'high, normal or low', word('high', 'normal', 'low'))
    .option('--blocked-by <numbers>', 'issues it waits for', listed)
    .option('--body <text>', 'the body; - reads it from standard input')
    .option('--deliverables <text>', 'adds a section "Deliverables" with this text')
    .action(async (title: string, options: Options) => {
      const body = await readBody(shell, options.body ?? '');
      const section =
        options.deliverables === undefined ? [] : [`## Deliverables\n\n${options.deliverables}`];
      const backlog = await shell.issues(issueFlags(options));
      const { number, place, hints } = await backlog.add({
        title,
        labels: [...(options.label ?? [])],
        priority: options.priority ?? null,
        blocked_by: (options.blockedBy ?? []).map(numberOf),
        body: [body.trim(), ...section].filter((part) => part !== '').join('\n\n'),
      });
      if (options.json) return printJson(shell, { number, path: place });
      print(shell, `Added #${number}: ${place}`, ...hints);
    });
  examples(
    command,
    'banto issue add "Fix the login" --label backend,bug --deliverables "A failed login says why"',
    'banto issue add "Translate the page" --label docs --priority low --body - < body.md',
  );
}
