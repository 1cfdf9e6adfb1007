// Tokens: kept in the store as hashes, remembered here until one changes.

import { createHash } from 'node:crypto';
import { BantoError } from '../../core/errors.ts';
import type { Store } from '../../core/store.ts';
import { isAgentId } from '../../core/task.ts';
import { readToken, type Token, type TokenRequest, tokenSetting } from '../../core/token.ts';

export interface TokenVerbs {
  /** The secret is in this answer and nowhere else. */
  createToken(input: TokenRequest): Promise<Token & { readonly secret: string }>;
  /** Oldest first. */
  tokens(): Promise<Token[]>;
  /** Throws not_found where there is no such token. */
  revokeToken(id: string): Promise<Token>;
  /** Null: nobody's. */
  whoIs(secret: string): Promise<Token | null>;
}

export interface TokenRoom extends TokenVerbs {
  forget(): void;
  /** Looks again at what is remembered: the fact of a revocation may have been missed. */
  recheck(): Promise<void>;
}

const hash = (secret: string) => createHash('sha256').update(secret).digest('hex');
const ALL = tokenSetting('');

export function createTokens(
  store: Pick<Store, 'settings' | 'putSetting' | 'now'>,
  newSecret: () => string,
): TokenRoom {
  const remembered = new Map<string, Token>();

  async function stored(): Promise<[setting: string, token: Token][]> {
    const found = await store.settings(ALL);
    return [...found].map(([setting, record]) => [setting, readToken(setting, record)]);
  }

  return {
    forget: () => remembered.clear(),
    async recheck() {
      if (remembered.size === 0) return;
      const living = new Set((await stored()).map(([setting]) => setting));
      for (const setting of remembered.keys()) {
        if (!living.has(setting)) remembered.delete(setting);
      }
    },
    async createToken({ scope, agentId, note }) {
      if (agentId !== null && !isAgentId(agentId)) {
        throw new BantoError('invalid_request', `${agentId} is not a valid agent id.`);
      }
      const secret = `banto_${newSecret()}`;
      const setting = tokenSetting(hash(secret));
      const record = { scope, agentId, note, createdAt: await store.now() };
      await store.putSetting(setting, record);
      return { ...readToken(setting, record), secret };
    },
    async tokens() {
      const tokens = (await stored()).map(([, token]) => token);
      return tokens.sort((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0));
    },
    async revokeToken(id) {
      const found = (await stored()).find(([, token]) => token.id === id);
      if (found === undefined) {
        throw new BantoError('not_found', `There is no token ${id}. List them: banto token list`);
      }
      const [setting, token] = found;
      remembered.delete(setting);
      await store.putSetting(setting, null);
      // Somebody may have asked with it between the two.
      remembered.delete(setting);
      return token;
    },
    async whoIs(secret) {
      const setting = tokenSetting(hash(secret));
      const before = remembered.get(setting);
      if (before !== undefined) return before;
      const record = (await store.settings(setting)).get(setting);
      if (record === undefined) return null;
      const token = readToken(setting, record);
      remembered.set(setting, token);
      return token;
    },
  };
}
