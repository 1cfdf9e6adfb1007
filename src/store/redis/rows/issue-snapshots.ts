// What the forge showed of issues: long texts that steps never look at, in a hash of their own. The last ones are
// remembered by their fingerprint, which stands in the issue's row.

import { BantoError } from '../../../core/errors.ts';
import type { Issue } from '../../../core/issue.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { createCache } from './cache.ts';
import { createHashReader } from './hash-reader.ts';
import type { ListChange } from './step-arguments.ts';

const REMEMBERED = 5000;

export interface IssueSnapshots {
  /** As it is remembered; undefined: it has to be read. */
  known(name: string, fingerprint: string): Issue | undefined;
  /** Those that are asked for in one turn, and are not remembered, come with one command. */
  get(name: string, fingerprint: string): Promise<Issue>;
  put(name: string, fingerprint: string, picture: Issue): ListChange;
}

export function createIssueSnapshots(link: Link, { at }: Keys): IssueSnapshots {
  const known = createCache<{ readonly fingerprint: string; readonly picture: Issue }>(REMEMBERED);
  const read = createHashReader(link, at.issues_pictures);

  function remembered(name: string, fingerprint: string): Issue | undefined {
    const found = known.get(name);
    return found?.fingerprint === fingerprint ? found.picture : undefined;
  }

  return {
    known: remembered,
    put(name, fingerprint, picture) {
      known.set(name, { fingerprint, picture });
      return ['HSET', at.issues_pictures, name, JSON.stringify(picture)];
    },
    async get(name, fingerprint) {
      const found = remembered(name, fingerprint);
      if (found !== undefined) return found;
      const [json = ''] = await read([name]);
      if (json === '') throw new BantoError('internal', `What ${name} showed is missing.`);
      const picture = JSON.parse(json) as Issue;
      known.set(name, { fingerprint, picture });
      return picture;
    },
  };
}
