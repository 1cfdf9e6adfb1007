// Everything that only reads: tasks, why, agents, queue, statistics.

import { BantoError } from '../core/errors.ts';
import { type Issue, issueKey } from '../core/issue.ts';
import { parseBucketKey, rankBuckets } from '../core/match.ts';
import { score } from '../core/priority.ts';
import type { AgentRecord, TaskDetail, TaskFilter } from '../core/store.ts';
import { parseTaskId, type Task } from '../core/task.ts';
import type { Seeker } from '../core/ticket.ts';
import { explain, type Rivals } from '../core/why.ts';
import type { AgentView, Broker, ListedTask } from './broker.ts';
import type { Context } from './context.ts';
import { unknownTask } from './finish.ts';

/** As long as an agent's heartbeat key lives in seed 003. */
const ACTIVE_MS = 1_800_000;
/** A holder that is silent for this part of its lease has stopped renewing it. */
const SILENT_SHARE = 2 / 3;
const DELAYED_SHOWN = 100;
const STATS_ROWS = { daily: 7, hourly: 24 };

function statusOf(agent: AgentRecord, now: number, waiting: boolean): AgentView['status'] {
  const silentMs = now - agent.lastSeenAt;
  const leaseMs = (agent.leaseSeconds ?? 0) * 1000;
  if (agent.lapsed || (agent.holds.length > 0 && silentMs > leaseMs * SILENT_SHARE))
    return 'zombie';
  return waiting || silentMs <= ACTIVE_MS ? 'active' : 'idle';
}

type Look = Pick<
  Broker,
  'tasks' | 'tasksNamed' | 'task' | 'why' | 'agents' | 'agent' | 'queue' | 'stats'
>;

export function createLook({ store }: Context): Look {
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
      status: statusOf(agent, now, waiting.has(agent.agentId)),
    }));
  }

  async function agent(agentId: string): Promise<AgentView> {
    const found = (await agents()).find((candidate) => candidate.agentId === agentId);
    if (found !== undefined) return found;
    throw new BantoError('not_found', `No agent ${agentId} has asked for work yet.`);
  }

  async function task(taskId: string): Promise<TaskDetail> {
    const detail = await store.task(taskId);
    if (detail === null) throw unknownTask(taskId);
    return detail;
  }

  /** One read for each repository of the page, whatever its length. */
  async function issuesOf(tasks: readonly Task[]): Promise<ReadonlyMap<string, Issue>> {
    const found = new Map<string, Issue>();
    for (const [repository, theirs] of Map.groupBy(tasks, (task) => task.repository)) {
      const numbers = [...new Set(theirs.map(({ number }) => number))];
      for (const { issue } of await store.issuesNumbered(repository, numbers)) {
        found.set(issueKey(repository, issue.number), issue);
      }
    }
    return found;
  }

  async function tasks(filter: TaskFilter): ReturnType<Broker['tasks']> {
    const page = await store.tasks(filter);
    const issues = await issuesOf(page.tasks);
    const listed = page.tasks.flatMap((task) => {
      const issue = issues.get(issueKey(task.repository, task.number));
      // Forgotten between the two reads: then it is gone.
      return issue === undefined ? [] : [{ task, issue }];
    });
    return { tasks: listed, nextCursor: page.nextCursor };
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

  async function why(taskId: string, agentId: string | null): ReturnType<Broker['why']> {
    const detail = await task(taskId);
    const flags = await store.settings('flags:');
    const maintenance = flags.get('flags:maintenance') === true;
    const waitingAgents = (await store.tickets.perAgent()).size;
    if (agentId === null) {
      return explain(detail, null, { ahead: 0, waitingAgents }, maintenance);
    }
    const known = await agent(agentId);
    const seeker: Seeker = { ...known, kinds: null, repositories: null };
    const ready = detail.task.state === 'ready';
    const ahead = ready ? await tasksAhead(seeker, detail) : 0;
    const rivals: Rivals = { ahead, waitingAgents };
    const holds = known.holds.filter((id) => id !== taskId);
    return explain(detail, { seeker, holds }, rivals, maintenance);
  }

  return {
    agents,
    agent,
    task,
    why,
    tasks,
    tasksNamed,
    async queue() {
      return { ...(await store.queue(DELAYED_SHOWN)), waiting: await store.tickets.count() };
    },
    stats: (period) => store.stats(period, STATS_ROWS[period]),
  };
}

/** Past this many equals the answer is "many": nobody needs the exact number. */
const RIVALS_COUNTED = 1000;
