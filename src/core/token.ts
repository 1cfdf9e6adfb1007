// Tokens: whose they are and what they may do. Only the hash of a secret is ever kept.

export const TOKEN_SCOPES = ['agent', 'operator', 'read'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** What a call asks for: `read` changes nothing, `agent` is an agent's own work, `operator` is everything else. */
export type Access = 'read' | 'agent' | 'operator';

export interface Token {
  /** Names the token to people; says nothing about its secret. */
  readonly id: string;
  readonly scope: TokenScope;
  /** The one agent it speaks for; null for the other scopes. */
  readonly agentId: string | null;
  readonly note: string | null;
  /** Null: made before that was written down. */
  readonly createdAt: number | null;
}

export type TokenRequest = Pick<Token, 'scope' | 'agentId' | 'note'>;

const ALLOWED: Readonly<Record<TokenScope, readonly Access[]>> = {
  read: ['read'],
  agent: ['read', 'agent'],
  operator: ['read', 'agent', 'operator'],
};

export function permits(scope: TokenScope, access: Access): boolean {
  return ALLOWED[scope].includes(access);
}

/** The scope of a token that is asked for by its agent, by its scope, or by both; a sentence where they do not fit. */
export function scopeFor(
  agentId: string | null,
  asked: TokenScope | null,
): { readonly scope: TokenScope } | { readonly problem: string } {
  const scope = asked ?? (agentId === null ? 'operator' : 'agent');
  if (scope === 'agent' && agentId === null) {
    return { problem: 'A token of scope agent needs the agent it belongs to.' };
  }
  if (scope !== 'agent' && agentId !== null) {
    return { problem: `A token of scope ${scope} belongs to no agent: leave the agent out.` };
  }
  return { scope };
}

const STORED = 'tokens:';
const ID_LENGTH = 12;

/** Under what name the store keeps it; an empty hash gives the prefix of all of them. */
export function tokenSetting(secretHash: string): string {
  return `${STORED}${secretHash}`;
}

export function tokenIdOf(setting: string): string {
  return setting.slice(STORED.length, STORED.length + ID_LENGTH);
}

/** A record of the store. The first ones had no scope and no time: an agent's, or an operator's. */
export function readToken(setting: string, record: unknown): Token {
  const { agentId = null, note = null, scope, createdAt = null } = record as Partial<Token>;
  return {
    id: tokenIdOf(setting),
    // A scope that this version does not know may read, no more.
    scope: scope === undefined ? (agentId === null ? 'operator' : 'agent') : knownScope(scope),
    agentId,
    note,
    createdAt,
  };
}

function knownScope(scope: string): TokenScope {
  return TOKEN_SCOPES.find((one) => one === scope) ?? 'read';
}
