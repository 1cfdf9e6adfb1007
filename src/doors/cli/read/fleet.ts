// banto agents and queue: the fleet and the work before it.

import type { Command } from 'commander';
import { STATUS_MEANS } from '../../../core/reporting/agent-status.ts';
import type { AgentAnswer } from '../../schema/agents.ts';
import type { QueueAnswer } from '../../schema/queue.ts';
import { examples, type TalkOptions, talkFlags, talks } from '../options/options.ts';
import { columnsOf, print, printJson, type Shell } from '../shell.ts';
import { table } from '../terminal/text.ts';
import { clockTime, duration, relative } from '../terminal/time-text.ts';
import { addStats } from './stats.ts';

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

export function addFleetCommands(program: Command, shell: Shell): void {
  addStats(program, shell);
  addAgents(program, shell);
  addQueue(program, shell);
}
