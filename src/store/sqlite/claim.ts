// Claim: the hand-out in one step. Its cost is that of the buckets it is given, whatever the backlog.

import { nextFence } from '../../core/lease.ts';
import type { ClaimInput, ClaimResult, TaskVerbs } from '../../core/store.ts';
import type { Step } from './commit.ts';
import { handOutOf } from './hand-out.ts';
import type { Kit } from './kit.ts';
import type { LeasedRow } from './rows.ts';
import { all, first, loadStatements } from './statements.ts';

interface Head {
  seq: number;
  fence: number;
  score: number;
}

export function createClaim(kit: Kit): TaskVerbs['claim'] {
  const { ledger, leases } = kit;
  const sql = loadStatements(kit.db, 'claim', ['flag', 'held', 'version', 'head', 'take']);

  /** The oldest head of the first group that has one. */
  function bestHead(groups: ClaimInput['groups']): Head | null {
    for (const group of groups) {
      let best: Head | null = null;
      for (const bucket of group) {
        const head = first<Head>(sql.head, { bucket });
        if (head !== undefined && (best === null || head.score < best.score)) best = head;
      }
      if (best !== null) return best;
    }
    return null;
  }

  function lease(head: Head, input: ClaimInput, step: Step): LeasedRow {
    const { now } = step;
    const row = first<LeasedRow>(sql.take, {
      seq: head.seq,
      agent_id: input.agentId,
      token: input.token,
      seconds: input.leaseSeconds,
      request_id: input.requestId,
      expires_at: now + input.leaseSeconds * 1000,
      fence: nextFence(head.fence, now),
      now,
    });
    if (row === undefined) throw new Error('The head of a bucket was not ready.');
    return row;
  }

  function record(row: LeasedRow, input: ClaimInput, step: Step): void {
    const { now } = step;
    leases.begin(row, now);
    step.append({
      type: 'leased',
      taskId: row.id,
      state: 'leased',
      agentId: row.lease_agent,
      fence: row.fence,
      expiresAt: row.lease_expires_at,
      attempt: row.attempts + 1,
      requestId: row.lease_request,
      waitedMs: Math.max(0, now - (row.enqueued_at ?? now)),
    });
    if (row.kind !== 'review') ledger.writeBranch(row, now);
    ledger.want(row.issue_id, input.ledger[row.kind], now, row);
  }

  function claim(input: ClaimInput, step: Step): ClaimResult {
    const { now } = step;
    leases.introduce(input.agentId, input.capabilities, now);
    const held = all<LeasedRow>(sql.held, { agent_id: input.agentId, now });
    const same = held.find((row) => row.lease_request === input.requestId);
    if (same !== undefined && input.requestId !== null) {
      const handOut = handOutOf(kit, same, { replay: true, lockMs: input.writeLockMs, now });
      return { outcome: 'leased', handOut };
    }
    const [unfinished] = held;
    if (unfinished !== undefined) {
      const handOut = handOutOf(kit, unfinished, { replay: false, lockMs: null, now });
      return { outcome: 'unfinished', handOut };
    }
    if (first<{ value: string }>(sql.flag)?.value === 'true') return { outcome: 'maintenance' };
    const version = first<{ value: number }>(sql.version)?.value;
    if (version !== input.registryVersion) return { outcome: 'stale' };
    const head = bestHead(input.groups);
    if (head === null) return { outcome: 'none' };
    const row = lease(head, input, step);
    record(row, input, step);
    const handOut = handOutOf(kit, row, { replay: false, lockMs: input.writeLockMs, now });
    return { outcome: 'leased', handOut };
  }

  return (input) => kit.write((step) => claim(input, step));
}
