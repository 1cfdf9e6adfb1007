// Claim: the hand-out in one script; recall: the same hand-out again. Buckets travel as short numbers, so that a claim stays small however
// many labels they have.

import { BantoError } from '../../core/errors.ts';
import type { ClaimInput, ClaimResult, HandOut, TaskVerbs } from '../../core/store.ts';
import type { Link, Reply } from './link.ts';
import type { Buckets } from './registry.ts';
import {
  fromLedger,
  type Row,
  toAttempts,
  toFields,
  toIssue,
  toLease,
  toRow,
  toTask,
  toWrite,
} from './rows.ts';

const NO_RESULT: Row = new Map();

/** The highest fence this instance has seen: a failover may lose it, the instance does not. */
export interface Fences {
  highest: number;
}

function toHandOut(reply: Reply): HandOut {
  const [, task, issue, picture, writes, unwritten, replay, , before, answered] = reply;
  const row = toFields(task);
  const lease = toLease(row);
  if (lease === null) throw new BantoError('internal', 'Redis handed out a task without a lease.');
  return {
    task: toTask(row, NO_RESULT),
    lease,
    issue: toIssue(toFields(issue), String(picture)),
    attempts: toAttempts(toRow(before)).filter(({ fence }) => fence !== lease.fence),
    writes: (writes as string[]).map(toWrite),
    unwritten: Number(unwritten),
    replay: replay === 1,
    answered: answered === 1,
  };
}

export function createClaim(
  link: Link,
  buckets: Buckets,
  fences: Fences,
  setAside: (ids: readonly string[]) => void,
): TaskVerbs['claim'] {
  /** The chooser remembers its groups while the registry stays the same; so does this. */
  const numbered = new WeakMap<ClaimInput['groups'], string>();

  async function groupsText(groups: ClaimInput['groups'], version: number): Promise<string> {
    const known = numbered.get(groups);
    if (known !== undefined) return known;
    const number = await buckets.numbers(groups.flat(), version);
    const text = groups
      .map((group) => group.flatMap((key) => number.get(key) ?? []).join(','))
      .filter((group) => group !== '')
      .join('|');
    numbered.set(groups, text);
    return text;
  }

  return async (input) => {
    const groups = await groupsText(input.groups, input.registryVersion);
    const reply = await link.run(
      'claim',
      {
        agentId: input.agentId,
        capabilities: JSON.stringify(input.capabilities),
        requestId: input.requestId,
        token: input.token,
        seconds: input.leaseSeconds,
        version: input.registryVersion,
        ledger: fromLedger(input.ledger),
        lockMs: input.writeLockMs,
        fenceFloor: fences.highest,
      },
      groups,
    );
    return toResult(reply);
  };

  function toResult(reply: Reply): ClaimResult {
    const [word] = reply;
    switch (word) {
      case 'leased':
      case 'unfinished': {
        const handOut = toHandOut(reply);
        fences.highest = Math.max(fences.highest, handOut.lease.fence);
        setAside((reply[7] ?? []) as string[]);
        return { outcome: word, handOut };
      }
      case 'none':
        setAside((reply[1] ?? []) as string[]);
        return { outcome: 'none' };
      case 'stale':
      case 'maintenance':
        return { outcome: word };
      case 'quarantine':
        return { outcome: 'quarantine', untilAt: Number(reply[1]) };
      default:
        throw new BantoError('internal', `Redis answered a claim with ${String(word)}.`);
    }
  }
}

export function createRecall(link: Link): Pick<TaskVerbs, 'recall' | 'markAnswered'> {
  return {
    async recall({ agentId, requestId, takeOver, writeLockMs: lockMs }) {
      const reply = await link.run('recall', { agentId, requestId, takeOver, lockMs });
      if (reply[0] === 'none') return null;
      if (reply[0] === 'leased') return toHandOut(reply);
      throw new BantoError('internal', `Redis answered a recall with ${String(reply[0])}.`);
    },
    markAnswered: async (input) => void (await link.run('mark-answered', input)),
  };
}
