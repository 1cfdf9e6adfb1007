// Why a task is, or is not, offered, as JSON.

import type { Why } from '../../core/pairing/why.ts';
import type { WhyAnswer } from '../schema/why.ts';
import { instantOrNull } from './instant.ts';

export function whyView(why: Why): WhyAnswer {
  return {
    task_id: why.taskId,
    offered: why.offered,
    summary: why.summary,
    decisive: [...why.decisive],
    rules: why.rules.map(({ rule, ok, detail, code, values }) => ({
      rule,
      ok,
      detail,
      code,
      values: { ...values },
    })),
    rivals:
      why.rivals === null
        ? null
        : { ahead: why.rivals.ahead, waiting_agents: why.rivals.waitingAgents },
    earliest_at: instantOrNull(why.earliestAt),
  };
}
