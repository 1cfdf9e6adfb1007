// The store of one process: everything that lives is in memory, and an archive keeps it. With a file it is the SQLite
// store; simulations have an archive in memory.

import type { LogStore } from '../../core/attempt/log-store.ts';
import type { BaseStore } from '../../core/base-store.ts';
import { compareDue } from '../../core/decide/filing.ts';
import type { Store } from '../../core/store.ts';
import { withVerbs } from '../verbs.ts';
import type { Archive } from './archive.ts';
import { createClaim, createRecall } from './claim.ts';
import { type Clock, createSystemClock } from './clock.ts';
import { decide } from './decide.ts';
import { createForget } from './forget.ts';
import { createGroupCommit, type Steps } from './group-commit.ts';
import { createInstances } from './instances.ts';
import { createLearn } from './learn.ts';
import { createReads } from './reads.ts';
import { createSettings } from './settings.ts';
import { createTickets } from './tickets.ts';

function createChanges({ write }: Steps): Pick<BaseStore, 'change' | 'changeAll'> {
  return {
    change: (verb, input) => write((turn, _memory, at) => decide(verb, input, turn, at)),
    changeAll: (verb, inputs) =>
      write((turn, _memory, at) => inputs.map((input) => decide(verb, input, turn, at))),
  };
}

export interface EmbeddedOptions {
  readonly kind: Store['kind'];
  readonly clock?: Clock;
  readonly log?: (message: string, error: unknown) => void;
  /** Where logs of attempts go. */
  readonly logs: LogStore;
  readonly translate?: (error: unknown) => unknown;
  /** What to tell callers when a turn could not be written. */
  readonly cannotWrite?: string;
}

export function createEmbeddedStore(archive: Archive, options: EmbeddedOptions): BaseStore & Store {
  const { kind, logs, clock = createSystemClock(), log = () => undefined } = options;
  const { translate = (error: unknown) => error, cannotWrite } = options;
  const steps = createGroupCommit({ archive, clock, log, translate, cannotWrite });
  const { read } = steps;
  return withVerbs<BaseStore>({
    kind,
    ...createChanges(steps),
    claim: createClaim(steps),
    recall: createRecall(steps),
    learn: createLearn(steps),
    due: (what, limit, aheadMs = 0) =>
      read((now, memory) => {
        if (what === 'write') return memory.dueWrites(now + aheadMs, limit);
        const { keys, nextAt } = memory.due[what].due(now + aheadMs, limit);
        const rows = keys.map(({ row }) => row).sort(compareDue);
        return { ids: rows.map(({ id }) => id), nextAt };
      }),
    forget: createForget(steps, archive),
    ...createReads(steps, archive),
    ...createSettings(steps),
    ...createInstances(steps),
    tickets: createTickets(steps),
    logs,
    generation: () => '',
    now: steps.now,
    ping: () => read(() => archive.ping()),
    subscribe: steps.subscribe,
    close: steps.close,
  });
}
