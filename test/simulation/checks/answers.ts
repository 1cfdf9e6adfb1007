// Every answer that an agent got, judged by who may hold what: from the answers themselves and from the facts, without
// a look at how Banto decides.

import type { Assignment } from '../../../src/broker/broker.ts';
import type { ErrorCode } from '../../../src/core/errors.ts';
import { LEASE_SECONDS } from '../world/policy.ts';
import type { Find, Leases } from './leases.ts';

/** What an agent was told it holds. */
export interface Told {
  readonly taskId: string;
  readonly fence: number;
  readonly agentId: string;
  expiresAt: number;
}

export type HoldersVerb = 'heartbeat' | 'complete' | 'fail' | 'release' | 'ask';

const ENDED_BY: Partial<Record<HoldersVerb, string>> = {
  complete: 'completed',
  fail: 'failed',
  release: 'released',
};

/** What was known when a call was sent; its answer is judged by this. */
export interface Sent {
  readonly told: Told;
  readonly verb: HoldersVerb;
  readonly endedBy: string | null;
  /** The store's clock was at least this. */
  readonly at: number;
  readonly losses: number;
}

export interface Answers {
  heard(agentId: string, given: Assignment): Told;
  send(told: Told, verb: HoldersVerb): Sent;
  accepted(sent: Sent, expiresAt?: number): void;
  refused(sent: Sent, code: ErrorCode): void;
  /** The agent holds it no longer, as far as it knows. */
  over(told: Told): void;
  /** The store lost data: what was said before is remembered by the agents alone. */
  lost(): void;
}

export function createAnswers(leases: Leases, latest: () => number, find: Find): Answers {
  /** Task → what its last holder was told. */
  const holders = new Map<string, Told>();
  let losses = 0;

  const isOver = ({ taskId, fence, expiresAt }: Told): boolean => {
    const lease = leases.get(taskId, fence);
    if (lease !== undefined && lease.endedBy !== null) return true;
    return expiresAt <= leases.at();
  };

  function heard(agentId: string, given: Assignment): Told {
    const { id: taskId } = given.task;
    const { fence, expiresAt } = given.lease;
    const told: Told = { taskId, fence, agentId, expiresAt };
    if (given.lease.agentId !== agentId) {
      find('exclusive', `${agentId} was given the lease of ${given.lease.agentId} on ${taskId}`);
    }
    const lease = leases.get(taskId, fence);
    if (lease === undefined && losses === 0) {
      find('exclusive', `${agentId} was given ${taskId} with fence ${fence}, which no fact knows`);
    }
    if (lease !== undefined && lease.agentId !== agentId) {
      find('exclusive', `the facts give ${taskId} to ${lease.agentId}, the answer to ${agentId}`);
    }
    const before = holders.get(taskId);
    // A lease that came back with older data is below the one that was lost: its fence is.
    const rival = before !== undefined && before.agentId !== agentId && before.fence < fence;
    if (rival && !isOver(before) && (lease === undefined || lease.endedBy === null)) {
      find('exclusive', `${agentId} was given ${taskId} while ${before.agentId} holds it`);
    }
    if (before === undefined || before.fence <= fence) holders.set(taskId, told);
    return told;
  }

  return {
    heard,
    send: (told, verb) => {
      const endedBy = leases.get(told.taskId, told.fence)?.endedBy ?? null;
      return { told, verb, endedBy, at: leases.at(), losses };
    },
    accepted(sent, expiresAt) {
      const { told, verb, endedBy, at } = sent;
      const { taskId, fence, agentId } = told;
      const own = ENDED_BY[verb];
      if (endedBy !== null && endedBy !== own && losses === sent.losses) {
        find(
          'I3',
          `${verb} by ${agentId} on ${taskId} was accepted after the lease was ${endedBy}`,
        );
      }
      const lease = leases.get(taskId, fence);
      const lapsed =
        lease !== undefined && endedBy === null && lease.expiresAt + lease.slackMs <= at;
      if (lapsed && told.expiresAt <= at) {
        find('I3', `${verb} by ${agentId} on ${taskId} was accepted after the deadline`);
      }
      if (own !== undefined && losses === sent.losses && lease?.endedBy !== own) {
        find('I5', `${verb} by ${agentId} on ${taskId} was accepted, but no fact says so`);
      }
      if (expiresAt !== undefined) told.expiresAt = expiresAt;
    },
    refused({ told, verb, losses: before }, code) {
      // What had ended the lease may be in the lost part.
      if (losses !== before) return;
      if (code !== 'lease_lost' && code !== 'conflict' && code !== 'not_found') return;
      const { taskId, fence, agentId } = told;
      const lease = leases.get(taskId, fence);
      // What the store has lost, and what was forgotten since.
      if (lease === undefined && (losses > 0 || told.expiresAt <= latest())) return;
      const lapsed = Math.min(lease?.expiresAt ?? 0, told.expiresAt) <= latest();
      if (lease !== undefined && (lease.endedBy !== null || lapsed)) return;
      find(
        'I5',
        `${verb} by ${agentId} on ${taskId} was told ${code}, but nothing ended its lease`,
      );
    },
    over(told) {
      if (holders.get(told.taskId) === told) holders.delete(told.taskId);
    },
    lost() {
      losses += 1;
      // The quarantine is one lease time: a lease that waits for a person's answer may be longer, and is not protected.
      const until = leases.at() + LEASE_SECONDS * 1000;
      for (const told of holders.values()) told.expiresAt = Math.min(told.expiresAt, until);
    },
  };
}
