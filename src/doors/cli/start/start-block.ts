// What `banto serve` says when it is ready: enough to know what runs and what to do next.

import type { Config } from '../../../config/shape.ts';
import { table } from '../terminal/text.ts';
import { describeForge, describeStore, describeTokens } from './describe-config.ts';

export interface Started {
  readonly config: Config;
  /** Where it listens. */
  readonly url: string;
  /** Where commands look for a server when nobody tells them. */
  readonly usualUrl: string;
  readonly repositories: readonly string[];
}

export function startBlock({ config, url, usualUrl, repositories }: Started): string[] {
  const where = url === usualUrl ? '' : ` --url ${url}`;
  const add = config.forge.kind === 'local' ? 'add work with `banto issue add`, ' : '';
  const rows = [
    ['  Dashboard', `${url}/`],
    ['  API', `${url}/docs`],
    ['  Forge', describeForge(config)],
    ['  Repository', repositories.join(', ')],
    ['  Store', describeStore(config)],
    ['  Agents ask', `banto next --agent <name> --cap <labels> --wait 60${where}`],
    ['  Tokens', describeTokens(config)],
  ];
  return [
    `Banto is at ${url}`,
    ...table(rows, Number.POSITIVE_INFINITY),
    `Next: ${add}watch with \`banto status${where}\`, stop with Ctrl-C.`,
  ];
}
