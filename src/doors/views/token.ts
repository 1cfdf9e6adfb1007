// A token as people see it. Its hash stays inside.

import type { Token } from '../../core/token.ts';
import type { TokenView } from '../schema/tokens.ts';
import { instantOrNull } from './instant.ts';

export function tokenView({ id, scope, agentId, note, createdAt }: Token): TokenView {
  return { id, scope, agent_id: agentId, note, created_at: instantOrNull(createdAt) };
}
