// An agent as JSON.

import type { AgentView } from '../../broker/broker.ts';
import type { AgentAnswer } from '../schema/agents.ts';
import { instant } from './instant.ts';

export function agentView(agent: AgentView): AgentAnswer {
  return {
    agent_id: agent.agentId,
    capabilities: [...agent.capabilities],
    first_seen_at: instant(agent.firstSeenAt),
    last_seen_at: instant(agent.lastSeenAt),
    holds: [...agent.holds],
    waiting: agent.waiting,
    status: agent.status,
  };
}
