// The outbox: ledger writes that are due, locked by whoever does them, settled by their version.

import type { Outbox } from '../../core/store.ts';
import type { Identifiers } from './keys.ts';
import type { Link } from './link.ts';
import { toWrite } from './rows.ts';

export function createOutbox(link: Link, identifiers: Identifiers): Omit<Outbox, 'retryWrites'> {
  return {
    async takeWrites(limit, lockMs) {
      const [, entries] = await link.run('take-writes', { limit, lockMs });
      return (entries as string[]).map(toWrite);
    },
    async settleWrite({ id, version }, settlement) {
      await link.run('settle-write', { id, version, ...settlement });
    },
    async touchLabels(repository, number) {
      await link.run('touch-labels', { issue: identifiers.issueId(repository, number) });
    },
  };
}
