// What the forge showed of issues: long texts that steps never look at, in a hash of their own. The last ones are
// remembered by their fingerprint, which stands in the issue's head.

import { BantoError } from '../../../core/errors.ts';
import type { Issue } from '../../../core/issue.ts';
import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { Link } from '../connection/link.ts';
import type { Keys } from '../keys.ts';
import { createCache } from './cache.ts';
import { createHashReader } from './hash-reader.ts';
import { issueName } from './row-codec.ts';
import type { ListChange } from './step-arguments.ts';

const REMEMBERED = 5000;

export interface IssueSnapshots {
  /** Those that are asked for in one turn, and are not remembered, come with one command. */
  get(ref: IssueRef, fingerprint: string): Promise<Issue>;
  put(ref: IssueRef, fingerprint: string, picture: Issue): ListChange;
}

export function createIssueSnapshots(link: Link, { at }: Keys): IssueSnapshots {
  const known = createCache<{ readonly fingerprint: string; readonly picture: Issue }>(REMEMBERED);
  const read = createHashReader(link, at.issues_pictures);

  return {
    put(ref, fingerprint, picture) {
      const name = issueName(ref);
      known.set(name, { fingerprint, picture });
      return ['HSET', at.issues_pictures, name, JSON.stringify(picture)];
    },
    async get(ref, fingerprint) {
      const name = issueName(ref);
      const found = known.get(name);
      if (found?.fingerprint === fingerprint) return found.picture;
      const [json = ''] = await read([name]);
      if (json === '') throw new BantoError('internal', `What ${name} showed is missing.`);
      const picture = JSON.parse(json) as Issue;
      known.set(name, { fingerprint, picture });
      return picture;
    },
  };
}
