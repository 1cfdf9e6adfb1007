// Claim: the choice and the lease are made in one step. Buckets travel as short numbers, so that a claim stays small
// however many labels they have. What the agent holds already is looked at here, by the rules of core.

import type { BaseStore } from '../../../core/base-store.ts';
import {
  handOutOf,
  heldAlready,
  heldOutcome,
  type TakenWrites,
  takeAgain,
} from '../../../core/decide/claim.ts';
import { recall, recalled } from '../../../core/decide/recall.ts';
import { BantoError, busy } from '../../../core/errors.ts';
import { parseBucketKey } from '../../../core/pairing/match.ts';
import { isLeased, type LeasedRow } from '../../../core/rows/task-row.ts';
import type { ClaimInput, ClaimResult, HandOut } from '../../../core/store.ts';
import type { Link } from '../connection/link.ts';
import type { StoreClock } from '../connection/store-clock.ts';
import type { Keys } from '../keys.ts';
import type { Buckets } from './buckets.ts';
import { heldBy } from './holds.ts';
import type { IssueSnapshots } from './issue-snapshots.ts';
import { isLeasedReply, type Leased, type Steps } from './steps.ts';
import { seenName, type Work } from './work.ts';
import type { Works } from './works.ts';

const MOST_TRIES = 20;

/** The highest fence this instance has seen: a failover may lose it, the instance does not. */
export interface Fences {
  highest: number;
}

interface Claiming {
  readonly link: Link;
  readonly keys: Keys;
  readonly snapshots: IssueSnapshots;
  readonly works: Works;
  readonly steps: Steps;
  readonly clock: StoreClock;
  readonly buckets: Buckets;
  readonly fences: Fences;
  readonly change: BaseStore['change'];
  readonly note: (agentId: string, capabilities: readonly string[], now: number) => void;
}

/**
 * Groups of bucket numbers: `;` before a group whose buckets are less urgent than all before it, otherwise `|`. A star
 * in front: a later group has more urgent buckets than an earlier one, so that Redis cannot look by urgency.
 */
function spellGroups(
  groups: ClaimInput['groups'],
  numberOf: (bucket: string) => string | undefined,
): string {
  let text = '';
  let least = Number.POSITIVE_INFINITY;
  let ordered = true;
  for (const group of groups) {
    const filled = group.filter((key) => numberOf(key) !== undefined);
    if (filled.length === 0) continue;
    const priorities = filled.map((key) => parseBucketKey(key).priority);
    const most = Math.max(...priorities);
    if (most > least) ordered = false;
    if (text !== '') text += most < least ? ';' : '|';
    text += filled.map(numberOf).join();
    least = Math.min(least, ...priorities);
  }
  return ordered ? text : `*${text}`;
}

export function createClaims(env: Claiming): Pick<BaseStore, 'claim' | 'recall'> {
  const { link, keys, snapshots, works, steps, clock, buckets, fences } = env;
  /** The chooser remembers its groups while the registry stays the same; so does this. */
  const numbered = new WeakMap<ClaimInput['groups'], string>();

  async function groupsText(groups: ClaimInput['groups'], version: number): Promise<string> {
    const known = numbered.get(groups);
    if (known !== undefined) return known;
    const numbers = groups.length === 0 ? new Map() : await buckets.numbers(version);
    const text = spellGroups(groups, (bucket) => numbers.get(bucket));
    numbered.set(groups, text);
    return text;
  }

  async function handOut(
    row: LeasedRow,
    taken: TakenWrites,
    { name, picture }: Work,
    seenAt: string,
    replay: boolean,
  ): Promise<HandOut> {
    const shown = snapshots.known(name, picture) ?? (await snapshots.get(name, picture));
    return handOutOf({ row, ...taken }, { seenAt: Number(seenAt) }, shown, replay);
  }

  async function leased({ row, work, taken, seenAt }: Leased): Promise<ClaimResult> {
    fences.highest = Math.max(fences.highest, row.lease.fence);
    works.remember(work);
    const out = await handOut(row, taken, work, seenAt, false);
    return { outcome: 'leased', handOut: out };
  }

  /** With the issue as it is now. */
  async function handOutNow(row: LeasedRow, taken: TakenWrites, replay: boolean): Promise<HandOut> {
    const [work] = await works.get([row]);
    const [seenAt = ''] = await works.read([seenName(work?.name ?? '')]);
    return handOut(row, taken, work as Work, seenAt, replay);
  }

  /** `holds`: the tasks that the agent is said to hold. */
  async function held(input: ClaimInput, holds: string): Promise<ClaimResult | null> {
    const tasks = [...(await works.tasks(holds.split(' '))).values()].map(({ row }) => row);
    const own = tasks.filter((row) => isLeased(row) && row.lease.agentId === input.agentId);
    const found = heldAlready(own, input.requestId, clock.now());
    if (found === null) return null;
    const { writeLockMs } = input;
    const claimed = await env.change(takeAgain, { ...found, writeLockMs });
    const out = await handOutNow(claimed.row, claimed, found.replay);
    return { outcome: heldOutcome(found), handOut: out };
  }

  const claim: BaseStore['claim'] = async (input) => {
    const groups = await groupsText(input.groups, input.registryVersion);
    let holds = '';
    // In the same turn, and so in the same step.
    env.note(input.agentId, input.capabilities, clock.now());
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const reply = await steps.claim({
        groups,
        holds,
        version: input.registryVersion,
        agentId: input.agentId,
        token: input.token,
        seconds: input.leaseSeconds,
        lockMs: input.writeLockMs,
        fenceFloor: fences.highest,
        requestId: input.requestId,
      });
      if (isLeasedReply(reply)) return leased(reply);
      const { word, detail } = reply;
      switch (word) {
        case 'holds': {
          holds = detail;
          const found = await held(input, detail);
          if (found !== null) return found;
          continue;
        }
        case 'again':
          continue;
        case 'none':
        case 'stale':
        case 'maintenance':
          return { outcome: word };
        case 'quarantine':
          return { outcome: 'quarantine', untilAt: Number(detail) };
        default:
          throw new BantoError('internal', `Redis answered a claim with ${word}.`);
      }
    }
    throw busy(new Error('The claim was overtaken too often.'));
  };

  return {
    claim,
    async recall(input) {
      const ids = await heldBy(link, keys, input.agentId);
      const tasks = [...(await works.tasks(ids)).values()].map(({ row }) => row);
      const own = tasks.filter((row) => row.lease?.agentId === input.agentId);
      const meant = recalled(own, input, clock.now());
      if (meant === null) return null;
      const claimed = await env.change(recall, { ...input, taskId: meant.id });
      if (claimed === null) return null;
      return handOutNow(claimed.row, claimed, true);
    },
  };
}
