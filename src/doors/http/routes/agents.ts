// Reading agents: who is there, what they hold, who is silent.

import { AgentAnswer, AgentParams, AgentsAnswer } from '../../schema/agents.ts';
import { agentView } from '../../views/agent.ts';
import { describe } from '../openapi/describe.ts';
import type { App } from '../server.ts';
import type { Door } from './context.ts';

const config = { access: 'read' } as const;
const tag = 'state' as const;

export function routeAgents(app: App, { broker, observe }: Door): void {
  app.get(
    '/agents',
    { config, schema: describe({ tag, summary: 'All agents', answer: AgentsAnswer }) },
    async () => ({ agents: (await observe('agents', () => broker.agents())).map(agentView) }),
  );

  app.get(
    '/agents/:agent_id',
    {
      config,
      schema: describe({
        tag,
        summary: 'One agent',
        params: AgentParams,
        answer: AgentAnswer,
        errors: [404],
      }),
    },
    async ({ params }) => agentView(await observe('agent', () => broker.agent(params.agent_id))),
  );
}
