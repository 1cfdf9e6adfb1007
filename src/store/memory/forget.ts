// What the sweep forgets: history, results, closed issues, idle agents, empty buckets, old counters.

import type { BaseStore } from '../../core/base-store.ts';
import type { Archive } from './archive.ts';
import type { Steps } from './group-commit.ts';

const DAY_MS = 86_400_000;
const STATS_KEPT_MS = 7 * DAY_MS;

export function createForget({ read }: Steps, archive: Archive): BaseStore['forget'] {
  return ({ limit, factsKeptMs, resultsKeptMs }) =>
    read((now, memory) => {
      const resultsBefore = now - resultsKeptMs;
      memory.buckets.forgetEmpty(now);
      const idle = [...memory.agents.values()].filter(
        ({ agentId, lastSeenAt }) =>
          lastSeenAt < resultsBefore && memory.heldBy(agentId).length === 0,
      );
      const more = archive.forget({
        limit,
        factsBefore: now - factsKeptMs,
        resultsBefore,
        statsFrom: new Date(Math.max(0, now - STATS_KEPT_MS)).toISOString().slice(0, 10),
        agents: idle.map(({ agentId }) => agentId),
        isAwaited: ({ repository, number }) =>
          memory.numbers.waitingFor(repository, number).length > 0,
      });
      for (const { agentId } of idle) memory.agents.delete(agentId);
      return more;
    });
}
