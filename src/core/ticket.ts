// A ticket is an agent's standing request for work while it waits.

import type { TaskKind } from './task.ts';

/** What an agent can do and asks for; the part of a request that matching looks at. */
export interface Seeker {
  readonly agentId: string;
  /** Lower case, without duplicates; `*` matches everything. */
  readonly capabilities: readonly string[];
  /** Null: every kind. */
  readonly kinds: readonly TaskKind[] | null;
  /** Null: every repository. */
  readonly repositories: readonly string[] | null;
}

export interface Ticket extends Seeker {
  readonly id: string;
  /** Names the hand-out, so that whoever hears of it last still gets the same answer. */
  readonly requestId: string;
  readonly leaseSeconds: number;
  /** The Banto instance whose open request waits for it. */
  readonly instanceId: string;
  readonly createdAt: number;
}

/** Request ids are the agents' own: only with the agent do they name one request. */
export function requestKey({ agentId, requestId }: Pick<Ticket, 'agentId' | 'requestId'>): string {
  return `${agentId} ${requestId}`;
}

export interface MostWaiting {
  readonly all: number;
  readonly perAgent: number;
}

/**
 * Data expires by its time to live, the index does not. `listActive` may name an expired ticket once;
 * the next `getMany` finds the data missing and removes it from the index and from pending.
 * Concurrent matchers get disjoint tickets: `listActive` marks what it returns as pending.
 */
export interface Tickets {
  /**
   * With `most`, only while fewer wait on all instances together; otherwise the answer is which limit is reached,
   * and nothing is made. A ticket that is there already is made again, whatever the limits.
   */
  create(ticket: Ticket, ttlMs: number, most?: MostWaiting): Promise<'ok' | keyof MostWaiting>;
  /** Reads one. Never repairs. */
  get(id: string): Promise<Ticket | null>;
  /** Reads many, and repairs: ids without data leave the index and pending. */
  getMany(ids: readonly string[]): Promise<Ticket[]>;
  /** Ids nobody is matching; marks them pending. Pending ones come back by themselves after `pendingMs`. */
  listActive(limit: number, pendingMs: number): Promise<string[]>;
  /** These were given work: they leave the index for good. */
  assign(ids: readonly string[]): Promise<void>;
  /** These were not: they may be listed again. */
  release(ids: readonly string[]): Promise<void>;
  delete(id: string): Promise<void>;
  /** Those of these that are not in the index: assigned, deleted, repaired away or lost. */
  unlisted(ids: readonly string[]): Promise<string[]>;
  count(): Promise<number>;
  /** How many requests of each agent wait now, on whichever instance. */
  perAgent(): Promise<ReadonlyMap<string, number>>;
}
