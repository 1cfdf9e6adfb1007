// The command that starts an agent, to be copied into a shell. Names and labels come from agents and strangers: nothing
// in them may mean something to the shell.

import type { Agent } from './contract.ts';

const PLAIN = /^[A-Za-z0-9_.:@%+=/,-]+$/;
/** Where `banto work` looks without being told. */
const DEFAULT_ADDRESS = /^http:\/\/(?:127\.0\.0\.1|localhost):8080$/;

function quoted(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Several by comma; what means something in such a list has a backslash before it. */
function listed(labels: readonly string[]): string {
  return labels.map((label) => label.replaceAll(/[,"\\]/g, String.raw`\$&`)).join(',');
}

export function workCommand(
  agent: Pick<Agent, 'agent_id' | 'capabilities'> | null,
  address: string,
): string {
  const capabilities = agent === null ? ['*'] : agent.capabilities;
  const url = DEFAULT_ADDRESS.test(address) ? '' : ` --url ${quoted(address)}`;
  const cap = listed(capabilities.length === 0 ? ['*'] : capabilities);
  return `banto work --agent ${quoted(agent?.agent_id ?? 'w1')} --cap ${quoted(cap)} --preset claude${url}`;
}
