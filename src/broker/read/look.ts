// Everything that only reads: tasks, why, agents, queue, statistics.

import { BantoError } from '../../core/errors.ts';
import { type Issue, issueKey } from '../../core/issue.ts';
import { parseBucketKey, rankBuckets } from '../../core/pairing/match.ts';
import {
  MAINTENANCE_FLAG,
  pausedFor,
  pausedForAll,
  pausedName,
} from '../../core/pairing/paused.ts';
import { explain, type Rivals } from '../../core/pairing/why.ts';
import { wishOf } from '../../core/plan/branch-wish.ts';
import { score } from '../../core/priority.ts';
import { agentStatus } from '../../core/reporting/agent-status.ts';
import type { TaskDetail, TaskFilter } from '../../core/store.ts';
import { parseTaskId, type Task } from '../../core/task.ts';
import { byMeaning } from '../../core/text/task-ref.ts';
import type { Seeker } from '../../core/ticket.ts';
import type { BranchWishes } from '../backlog/branch-wishes.ts';
import { createDependencies } from '../backlog/dependencies.ts';
import type { AgentView, Broker, ListedTask } from '../broker.ts';
import type { Context } from '../context.ts';
import { unknownTask } from '../finish.ts';
import type { DayBudget } from '../hand-out/day-budget.ts';

const DELAYED_SHOWN = 100;
const STATS_ROWS = { daily: 7, hourly: 24 };

export interface Look
  extends Pick<
    Broker,
    'tasks' | 'tasksNamed' | 'task' | 'why' | 'agents' | 'agent' | 'queue' | 'stats'
  > {
  /** With what a list shows of their issues. */
  listed(tasks: readonly Task[]): Promise<ListedTask[]>;
}

export function createLook(
  { store, forge }: Context,
  wishes: BranchWishes,
  day: Pick<DayBudget, 'closed'>,
): Look {
  const dependencies = createDependencies({ store, forge });

  async function agents(): Promise<AgentView[]> {
    const now = await store.now();
    const waiting = await store.tickets.perAgent();
    return (await store.agents()).map((agent) => ({
      agentId: agent.agentId,
      capabilities: agent.capabilities,
      firstSeenAt: agent.firstSeenAt,
      lastSeenAt: agent.lastSeenAt,
      holds: agent.holds,
      waiting: waiting.has(agent.agentId),
      status: agentStatus(agent, now, waiting.has(agent.agentId)),
    }));
  }

  async function agent(agentId: string): Promise<AgentView> {
    const found = (await agents()).find((candidate) => candidate.agentId === agentId);
    if (found !== undefined) return found;
    throw new BantoError('not_found', `No agent ${agentId} has asked for work yet.`);
  }

  async function task(taskId: string, historyCursor?: string): Promise<TaskDetail> {
    const detail = await store.task(taskId, historyCursor);
    if (detail === null) throw unknownTask(taskId);
    return detail;
  }

  /** One read for each repository of the page, whatever its length. */
  async function issuesOf(tasks: readonly Task[]): Promise<ReadonlyMap<string, Issue>> {
    const found = new Map<string, Issue>();
    for (const [repository, theirs] of Map.groupBy(tasks, (task) => task.repository)) {
      const numbers = [...new Set(theirs.map(({ number }) => number))];
      for (const issue of await store.issueTexts(repository, numbers)) {
        found.set(issueKey(repository, issue.number), issue);
      }
    }
    return found;
  }

  /** An issue has a handful of tasks: the other filters are applied here. */
  async function tasksOfIssue(issue: number, filter: TaskFilter): ReturnType<Broker['tasks']> {
    const { repository, kind, state, agent: holder, limit } = filter;
    const repositories = repository === undefined ? forge.repositories : [repository];
    const found: ListedTask[] = [];
    for (const name of repositories) {
      for (const known of await store.issuesNumbered(name, [issue])) {
        const theirs = known.tasks.filter(
          (task) =>
            (kind === undefined || task.kind === kind) &&
            (state === undefined || task.state === state) &&
            (holder === undefined || task.lease?.agentId === holder),
        );
        found.push(...theirs.map((task) => ({ task, issue: known.issue })));
      }
    }
    found.sort((a, b) => byMeaning(a.task, b.task));
    return { tasks: found.slice(0, limit), nextCursor: null };
  }

  async function listed(tasks: readonly Task[]): Promise<ListedTask[]> {
    const issues = await issuesOf(tasks);
    return tasks.flatMap((task) => {
      const issue = issues.get(issueKey(task.repository, task.number));
      // Forgotten between the two reads: then it is gone.
      return issue === undefined ? [] : [{ task, issue }];
    });
  }

  async function tasks({ issue, ...filter }: Parameters<Broker['tasks']>[0]) {
    if (issue !== undefined) return tasksOfIssue(issue, filter);
    const page = await store.tasks(filter);
    return { tasks: await listed(page.tasks), nextCursor: page.nextCursor };
  }

  /** One read for each repository, by the issues that the ids name. */
  async function tasksNamed(ids: readonly string[]): Promise<ListedTask[]> {
    const wanted = new Set(ids);
    const names = ids.flatMap((id) => parseTaskId(id) ?? []);
    const found: ListedTask[] = [];
    for (const [repository, theirs] of Map.groupBy(names, (name) => name.repository)) {
      const numbers = [...new Set(theirs.map(({ number }) => number))];
      for (const { issue, tasks } of await store.issuesNumbered(repository, numbers)) {
        found.push(...tasks.filter(({ id }) => wanted.has(id)).map((task) => ({ task, issue })));
      }
    }
    return found;
  }

  /** How many ready tasks this agent would be given before this one. */
  async function tasksAhead(seeker: Seeker, detail: TaskDetail): Promise<number> {
    const registry = await store.registry();
    const buckets = registry.buckets.map((key) => [key, parseBucketKey(key)] as const);
    const own = detail.task;
    const ownScore = score(own.priority, own.enqueuedAt ?? 0);
    const ownMatches = detail.matchLabels.filter((l) => seeker.capabilities.includes(l)).length;
    const groups = rankBuckets(
      seeker,
      buckets.map(([key, bucket]) => [key, bucket]),
    );
    let ahead = 0;
    for (const group of groups) {
      const first = parseBucketKey(group[0] ?? '[]');
      const matches = first.labels.filter((l) => seeker.capabilities.includes(l)).length;
      const better =
        first.priority > own.priority || (first.priority === own.priority && matches > ownMatches);
      const equal = first.priority === own.priority && matches === ownMatches;
      if (!better && !equal) break;
      for (const peek of await store.peek(group, better ? 0 : RIVALS_COUNTED)) {
        ahead += better ? peek.ready : peek.scores.filter((rival) => rival < ownScore).length;
      }
    }
    return ahead;
  }

  /** Null too where the forge does not say what its default branch is. */
  async function wishProblemOf({ task, issue }: TaskDetail): Promise<string | null> {
    if (task.kind !== 'implement' || wishOf(issue) === null) return null;
    const base = await forge.defaultBranch(task.repository).catch(() => null);
    return base === null ? null : wishes.problemOf(issue, [task], base);
  }

  async function why(taskId: string, agentId: string | null): ReturnType<Broker['why']> {
    const detail = await task(taskId);
    const flags = await store.settings('flags:');
    const names = new Set(
      [...flags].flatMap(([flag, on]) => (on === true ? (pausedName(flag) ?? []) : [])),
    );
    const all = flags.get(MAINTENANCE_FLAG) === true ? pausedForAll() : null;
    const { repository } = detail.task;
    const of = { agentId: agentId ?? '', repositories: [repository] };
    const maintenance = all ?? pausedFor(of, names);
    const waitingAgents = (await store.tickets.perAgent()).size;
    const trouble = {
      wish: await wishProblemOf(detail),
      dependencies: await dependencies(detail.issue),
      budget: await day.closed(agentId),
    };
    if (agentId === null) {
      return explain(detail, null, { ahead: 0, waitingAgents }, maintenance, trouble);
    }
    const known = await agent(agentId);
    const seeker: Seeker = { ...known, kinds: null, repositories: null };
    const ready = detail.task.state === 'ready';
    const ahead = ready ? await tasksAhead(seeker, detail) : 0;
    const rivals: Rivals = { ahead, waitingAgents };
    const holds = known.holds.filter((id) => id !== taskId);
    return explain(detail, { seeker, holds }, rivals, maintenance, trouble);
  }

  return {
    agents,
    agent,
    task,
    why,
    tasks,
    listed,
    tasksNamed,
    async queue() {
      return { ...(await store.queue(DELAYED_SHOWN)), waiting: await store.tickets.count() };
    },
    stats: (period) => store.stats(period, STATS_ROWS[period]),
  };
}

/** Past this many equals the answer is "many": nobody needs the exact number. */
const RIVALS_COUNTED = 1000;
