// GET /agents and GET /agents/{agent_id}

import { type Static, Type } from 'typebox';
import { type AgentStatus, STATUS_MEANS } from '../../core/reporting/agent-status.ts';
import { AgentId, Instant } from './fields.ts';

export const AgentParams = Type.Object({ agent_id: AgentId }, { additionalProperties: false });

export const AgentAnswer = Type.Object(
  {
    agent_id: AgentId,
    capabilities: Type.Array(Type.String()),
    first_seen_at: Instant,
    last_seen_at: Instant,
    holds: Type.Array(Type.String(), { description: 'ids of the tasks it holds' }),
    waiting: Type.Boolean(),
    status: Type.Unsafe<AgentStatus>({
      type: 'string',
      enum: ['active', 'zombie', 'idle'],
      description: Object.entries(STATUS_MEANS)
        .map(([status, means]) => `${status}: ${means}`)
        .join('; '),
    }),
  },
  { title: 'Agent', additionalProperties: false },
);
export type AgentAnswer = Static<typeof AgentAnswer>;

export const AgentsAnswer = Type.Object(
  { agents: Type.Array(AgentAnswer) },
  { title: 'Agents', additionalProperties: false },
);
export type AgentsAnswer = Static<typeof AgentsAnswer>;
