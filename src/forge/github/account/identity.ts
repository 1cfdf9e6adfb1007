// Who Banto is on GitHub: asked once, and only where it matters.

import type { Client, GithubAuth } from '../http/client.ts';
import { hasStatus } from '../http/refusals.ts';

export interface Identity {
  /** Null: not asked yet, or GitHub does not say. */
  readonly login: string | null;
  learn(): Promise<void>;
}

export function createIdentity(client: Client, auth: GithubAuth): Identity {
  let login: string | null = null;
  return {
    get login() {
      return login;
    },
    async learn() {
      if (login !== null) return;
      try {
        if (auth.kind === 'app') {
          const { data } = await client.request<{ slug: string }>('GET /app');
          login = `${data.slug}[bot]`;
        } else {
          login = (await client.request<{ login: string }>('GET /user')).data.login;
        }
      } catch (error) {
        // Some tokens may not ask: then the mark alone decides.
        if (!hasStatus(error, 403, 404)) throw error;
      }
    },
  };
}
