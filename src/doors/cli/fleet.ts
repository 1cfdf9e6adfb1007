// banto agents and queue: the fleet and the work before it.

import type { Command } from 'commander';
import { STATUS_MEANS } from '../../core/agent-status.ts';
import type { AgentAnswer } from '../schema/agents.ts';
import type { QueueAnswer } from '../schema/queue.ts';
import { examples, type TalkOptions, talkFlags, talks, word } from './options.ts';
import { columnsOf, print, printJson, type Shell } from './shell.ts';
import { table } from './text.ts';
import { clockTime, duration, relative } from './time-text.ts';

export function agentRow(agent: AgentAnswer, now: number): string[] {
  const doing = agent.waiting ? 'waits for a task' : 'nothing';
  return [
    agent.agent_id,
    agent.status,
    relative(agent.last_seen_at, now),
    agent.holds.join(', ') || doing,
    agent.capabilities.join(', '),
  ];
}

function addAgents(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('agents')
      .summary('list agents')
      .description(
        'Lists the agents, or shows one: what it can do, holds, and when it was last seen.',
      ),
  )
    .argument('[agent]', 'only this one')
    .action(async (id: string | undefined, options: TalkOptions) => {
      const { client } = shell.session(talkFlags(options));
      const answer = id === undefined ? await client.agents() : await client.agent(id);
      if (options.json) return printJson(shell, answer);
      const agents = 'agents' in answer ? answer.agents : [answer];
      if (agents.length === 0) return print(shell, 'No agent has asked for work yet.');
      const now = shell.now();
      const rows = agents.map((agent) => agentRow(agent, now));
      print(
        shell,
        ...table([['AGENT', 'STATUS', 'SEEN', 'HOLDS', 'CAN DO'], ...rows], columnsOf(shell)),
        '',
        ...table(
          Object.entries(STATUS_MEANS).map(([status, means]) => [`${status}:`, means]),
          columnsOf(shell),
        ),
      );
    });
  examples(command, 'banto agents', 'banto agents a1 --json');
}

function addQueue(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('queue')
      .summary('sizes of the queue')
      .description('Shows how much waits, by state and priority, and what is delayed until when.'),
  ).action(async (options: TalkOptions) => {
    const queue = await shell.session(talkFlags(options)).client.queue();
    if (options.json) return printJson(shell, queue);
    print(shell, ...describe(queue, shell));
  });
  examples(command, 'banto queue', 'banto queue --json');
}

function describe(queue: QueueAnswer, shell: Shell): string[] {
  const now = shell.now();
  const columns = columnsOf(shell);
  const age = queue.oldest_age_seconds;
  const { high, normal, low } = queue.by_priority;
  const facts = [
    ...Object.entries(queue.by_state).map(([state, count]) => [state, String(count)]),
    ['ready by priority', `high ${high}, normal ${normal}, low ${low}`],
    ['oldest ready', age === null ? 'none' : duration(age)],
    ['agents waiting', String(queue.waiting)],
    ['ledger writes', `${queue.outbox.pending} pending, ${queue.outbox.failing} failing`],
  ];
  const delayed = queue.delayed.map(({ task_id, ready_at }) => [
    task_id,
    clockTime(ready_at, now),
    relative(ready_at, now),
  ]);
  return [
    ...table(facts, columns),
    ...(delayed.length === 0 ? [] : ['', 'Delayed', ...table(delayed, columns)]),
  ];
}

interface StatsOptions extends TalkOptions {
  readonly period: 'daily' | 'hourly';
}

function addStats(program: Command, shell: Shell): void {
  const command = talks(
    program
      .command('stats')
      .summary('what was handed out, completed and failed')
      .description('Shows what was handed out, completed, failed and expired, by day or by hour.'),
  )
    .option('--period <period>', 'daily or hourly', word('daily', 'hourly'), 'daily')
    .action(async (options: StatsOptions) => {
      const stats = await shell.session(talkFlags(options)).client.stats(options.period);
      if (options.json) return printJson(shell, stats);
      if (stats.rows.length === 0) return print(shell, 'Nothing has happened yet.');
      const names = [...new Set(stats.rows.flatMap(({ counters }) => Object.keys(counters)))];
      const rows = stats.rows.map(({ start, counters }) => [
        start,
        ...names.map((name) => String(Math.round(counters[name] ?? 0))),
      ]);
      const head = ['START', ...names.map((name) => name.replaceAll('_', ' ').toUpperCase())];
      print(shell, ...table([head, ...rows], columnsOf(shell)));
    });
  examples(command, 'banto stats', 'banto stats --period hourly --json');
}

export function addFleetCommands(program: Command, shell: Shell): void {
  addStats(program, shell);
  addAgents(program, shell);
  addQueue(program, shell);
}
