// What the forge showed of issues: long texts that steps never look at. The last ones are remembered by their
// fingerprint, which stands in the issue's head.

import { BantoError } from '../../core/errors.ts';
import type { Issue } from '../../core/issue.ts';
import type { IssueRef } from '../../core/rows/ledger-row.ts';
import type { Identifiers, Keys } from './keys.ts';
import type { Link } from './link.ts';

const REMEMBERED = 2000;

export interface Pictures {
  get(ref: IssueRef, fingerprint: string): Promise<Issue>;
  put(ref: IssueRef, fingerprint: string, picture: Issue): void;
}

export function createPictures(link: Link, keys: Keys, identifiers: Identifiers): Pictures {
  const known = new Map<string, { readonly fingerprint: string; readonly picture: Issue }>();
  const keyOf = ({ repository, number }: IssueRef) =>
    `${keys.at.issue_metadata}${identifiers.issueId(repository, number)}`;

  function put(key: string, fingerprint: string, picture: Issue): void {
    known.delete(key);
    known.set(key, { fingerprint, picture });
    if (known.size <= REMEMBERED) return;
    const oldest = known.keys().next().value;
    if (oldest !== undefined) known.delete(oldest);
  }

  return {
    put: (ref, fingerprint, picture) => put(keyOf(ref), fingerprint, picture),
    async get(ref, fingerprint) {
      const key = keyOf(ref);
      const found = known.get(key);
      if (found?.fingerprint === fingerprint) return found.picture;
      const json = (await link.send('HGET', key, 'picture')) as string | null;
      if (json === null) throw new BantoError('internal', `What ${key} showed is missing.`);
      const picture = JSON.parse(json) as Issue;
      put(key, fingerprint, picture);
      return picture;
    },
  };
}
