// What the forge showed of issues: long texts that steps never look at. The last ones are remembered by their
// fingerprint, which stands in the issue's head.

import { BantoError } from '../../../core/errors.ts';
import type { Issue } from '../../../core/issue.ts';
import type { IssueRef } from '../../../core/rows/ledger-row.ts';
import type { Link } from '../connection/link.ts';
import type { Identifiers, Keys } from '../keys.ts';
import { createCache } from './cache.ts';

const REMEMBERED = 5000;

export interface IssueSnapshots {
  get(ref: IssueRef, fingerprint: string): Promise<Issue>;
  put(ref: IssueRef, fingerprint: string, picture: Issue): void;
}

export function createIssueSnapshots(
  link: Link,
  keys: Keys,
  identifiers: Identifiers,
): IssueSnapshots {
  const known = createCache<{ readonly fingerprint: string; readonly picture: Issue }>(REMEMBERED);
  const keyOf = ({ repository, number }: IssueRef) =>
    `${keys.at.issue_metadata}${identifiers.issueId(repository, number)}`;

  return {
    put: (ref, fingerprint, picture) => known.set(keyOf(ref), { fingerprint, picture }),
    async get(ref, fingerprint) {
      const key = keyOf(ref);
      const found = known.get(key);
      if (found?.fingerprint === fingerprint) return found.picture;
      const json = (await link.send('HGET', key, 'picture')) as string | null;
      if (json === null) throw new BantoError('internal', `What ${key} showed is missing.`);
      const picture = JSON.parse(json) as Issue;
      known.set(key, { fingerprint, picture });
      return picture;
    },
  };
}
