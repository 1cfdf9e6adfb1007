// GitHub or the local backlog. GITHUB_TOKEN is exported in many shells and CI jobs, and a codespace sets
// GITHUB_REPOSITORY too: neither is a wish that Banto writes to a real repository.

import type { Config } from './shape.ts';
import { FROM_ENVIRONMENT, type Values } from './sources.ts';

export interface ForgeChoice {
  readonly kind: Config['forge']['kind'];
  /** Ends the sentence "the forge is … because …". */
  readonly reason: string;
}

export function chooseForge(values: Values, codespace: boolean): ForgeChoice {
  const asked = values.get('FORGE') as ForgeChoice['kind'] | undefined;
  if (asked !== undefined) {
    return { kind: asked, reason: `FORGE is ${asked} (${values.origin('FORGE')})` };
  }
  if (values.isSet('GITHUB_REPOSITORY')) {
    const origin = values.origin('GITHUB_REPOSITORY');
    if (codespace && origin === FROM_ENVIRONMENT) {
      return {
        kind: 'local',
        reason: 'a codespace sets GITHUB_REPOSITORY by itself; set FORGE=github to use it',
      };
    }
    return { kind: 'github', reason: `GITHUB_REPOSITORY is set (${origin})` };
  }
  // Nobody but Banto reads these: whoever set one means GitHub, and is told what is missing.
  if (values.isSet('GITHUB_APP_ID')) {
    return { kind: 'github', reason: `GITHUB_APP_ID is set (${values.origin('GITHUB_APP_ID')})` };
  }
  return { kind: 'local', reason: 'GITHUB_REPOSITORY is not set' };
}
