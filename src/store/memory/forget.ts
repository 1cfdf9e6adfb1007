// What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old counters.

import type { BaseStore } from '../../core/base-store.ts';
import { mayForgetIssue } from '../../core/decide/forget.ts';
import { STATS_KEPT_MS } from '../../core/reporting/count-facts.ts';
import type { Archive, KeptIssue } from './archive.ts';
import { decodeWork, entriesOf } from './entries.ts';
import type { Steps } from './group-commit.ts';
import type { Memory } from './memory.ts';
import type { Turn } from './turn.ts';

type Input = Parameters<BaseStore['forget']>[0];

export function createForget({ read, write }: Steps, archive: Archive): BaseStore['forget'] {
  function mayForget(kept: KeptIssue, { numbers }: Memory, before: number): boolean {
    const issue = decodeWork(kept);
    const awaited = numbers.waitingFor(kept.repository, kept.number).length > 0;
    const tasks = entriesOf(issue).map(({ row }) => row);
    return mayForgetIssue({ issue: issue.row, ledger: issue.ledger, tasks, awaited }, before);
  }

  function forgetRows({ limit, resultsKeptMs }: Input, turn: Turn, memory: Memory, now: number) {
    const before = now - resultsKeptMs;
    for (const { agentId, lastSeenAt } of memory.agents.values()) {
      if (lastSeenAt < before && memory.heldBy(agentId).length === 0) turn.forgetAgent(agentId);
    }
    let issues = 0;
    for (const kept of archive.closedBefore(before)) {
      if (issues >= limit) break;
      if (mayForget(kept, memory, before) && turn.forgetIssue(kept)) issues += 1;
    }
    const results = archive.resultsBefore(before, limit);
    for (const entry of results) turn.forgetResults(entry, before);
    return results.length >= limit || issues >= limit;
  }

  return async (input) => {
    const more = await write((turn, memory, { now }) => {
      memory.buckets.forgetEmpty(now);
      return forgetRows(input, turn, memory, now);
    });
    return read((now) => {
      const statsFrom = new Date(Math.max(0, now - STATS_KEPT_MS)).toISOString().slice(0, 10);
      return archive.forget(now - input.factsKeptMs, statsFrom, input.limit) || more;
    });
  };
}
