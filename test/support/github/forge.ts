// A GitHub forge on the double, without the pace that real limits ask for.

import type { GithubDouble } from '../../../github-double/double.ts';
import {
  type GithubForgeOptions,
  openGithubForge,
} from '../../../src/forge/github/github-forge.ts';

export const SECRET = 'a secret of the double';
export const UNPACED = {
  writes: { burst: 1_000_000, perMinute: 1_000_000 },
  reads: { burst: 1_000_000, perMinute: 1_000_000 },
  sent: { perMinute: 1_000_000, perHour: 1_000_000 },
  retryBaseMs: 5,
};

export function forgeOn(github: GithubDouble, over: Partial<GithubForgeOptions> = {}) {
  const repositories = [...github.world.repos.values()].map((r) => `${r.owner.login}/${r.name}`);
  return openGithubForge({
    repositories,
    apiUrl: github.url,
    auth: { kind: 'token', token: github.token },
    webhookSecret: SECRET,
    now: github.clock.now,
    pacing: UNPACED,
    ...over,
  });
}
