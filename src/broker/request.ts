// The hand-out: choose, claim in one step, write branch and labels, answer. Or wait.

import { BantoError, busy, underMaintenance } from '../core/errors.ts';
import { handoffOf } from '../core/history.ts';
import { agentIdProblem, byKind, leasedLedger } from '../core/ledger.ts';
import { normalizeCapabilities } from '../core/match.ts';
import { promptFor } from '../core/prompt.ts';
import type { Policy } from '../core/settings.ts';
import type { ClaimResult, HandOut } from '../core/store.ts';
import type { Ticket } from '../core/ticket.ts';
import { meetUnfinished } from '../core/unfinished.ts';
import { type Absent, giveBack } from './absent.ts';
import type { Assignment, Broker, TaskRequest } from './broker.ts';
import type { Choice, Chooser } from './chooser.ts';
import type { Context } from './context.ts';
import type { Matcher } from './matcher.ts';
import { type OutboxLoop, WRITE_LOCK_MS } from './outbox.ts';

/** Stale registries and refused candidates are passed over; this many in one request mean trouble. */
const MOST_TRIES = 50;
/** When to ask again while the store's lost leases run out; some tasks are proved free before that. */
const QUARANTINE_SECONDS = 5;
const QUARANTINE_DETAIL =
  'Redis lost data. Until leases from before have run out, only tasks that are proved free are handed out.';

export type ClaimTicket = (
  ticket: Ticket,
  groups: readonly (readonly string[])[],
  version: number,
) => Promise<ClaimResult>;

export function createClaim(context: Context): ClaimTicket {
  return (ticket, groups, version) => {
    context.reached('before_claim');
    return context.store.claim({
      agentId: ticket.agentId,
      capabilities: ticket.capabilities,
      requestId: ticket.requestId,
      // The prefix is what keeps secrets out of logs, wherever they turn up.
      token: `banto_${context.newSecret()}`,
      leaseSeconds: ticket.leaseSeconds,
      groups,
      registryVersion: version,
      ledger: byKind((kind) => leasedLedger(kind, ticket.agentId)),
      writeLockMs: WRITE_LOCK_MS,
    });
  };
}

/** Expired or finished at this very instant: then there is nothing left to settle. */
const isOver = (error: unknown) =>
  error instanceof BantoError && (error.code === 'lease_lost' || error.code === 'conflict');

const isBusy = (error: unknown) => error instanceof BantoError && error.code === 'busy';

function checkAgent({ agentId }: TaskRequest, policy: Policy): void {
  const problem = agentIdProblem(agentId, policy);
  if (problem !== null) throw new BantoError('invalid_request', problem);
}

interface Parts {
  readonly chooser: Chooser;
  readonly claim: ClaimTicket;
  readonly matcher: Matcher;
  readonly absent: Absent;
  readonly outbox: OutboxLoop;
  readonly finish: Pick<Broker, 'complete' | 'fail' | 'release'>;
  readonly handedOut: (ms: number) => void;
}

export function createRequest(context: Context, parts: Parts): Broker['requestTask'] {
  const { store } = context;
  const { chooser, claim, matcher, absent, outbox, finish, handedOut } = parts;

  async function ticketFor(request: TaskRequest): Promise<Ticket> {
    return {
      id: context.newSecret(),
      requestId: request.requestId ?? context.newSecret(),
      agentId: request.agentId,
      capabilities: normalizeCapabilities(request.capabilities),
      kinds: request.kinds,
      repositories: request.repositories,
      leaseSeconds: request.leaseSeconds ?? context.policy().leaseSeconds,
      instanceId: context.instanceId,
      createdAt: await store.now(),
    };
  }

  /** The claim may have happened although its answer never came: asking once more gives the same answer. */
  async function claimTwice(
    ticket: Ticket,
    request: TaskRequest,
    { groups, version }: Choice,
  ): Promise<ClaimResult> {
    try {
      return await claim(ticket, groups, version);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    try {
      return await claim(ticket, groups, version);
    } catch (error) {
      if (request.requestId === null) absent.remember(ticket, true);
      throw error;
    }
  }

  /** What a request means for the task its agent still holds. Null: that is settled, ask again. */
  async function settleUnfinished(
    request: TaskRequest,
    ticket: Ticket,
    unfinished: HandOut,
    completed: (taskId: string) => void,
  ): Promise<HandOut | null> {
    const { task, lease, answered } = unfinished;
    const held = { taskId: task.id, token: lease.token };
    try {
      switch (meetUnfinished({ answered, kind: task.kind }, request.onUnfinished)) {
        case 'answer': {
          const { agentId, requestId } = ticket;
          return await store.recall({
            agentId,
            requestId,
            takeOver: true,
            writeLockMs: WRITE_LOCK_MS,
          });
        }
        case 'resume':
          return unfinished;
        case 'release':
          await finish.release({ ...held, reason: 'the agent asked for another task' });
          break;
        case 'fail': {
          const reason = 'the agent asked for another task without a verdict';
          await finish.fail({ ...held, reason, retryable: true, delaySeconds: null });
          break;
        }
        case 'complete': {
          const summary = 'finished: the agent asked for another task';
          await finish.complete({ ...held, summary, prNumber: null, verdict: null, comments: [] });
          completed(task.id);
        }
      }
    } catch (error) {
      if (!isOver(error)) throw error;
    }
    return null;
  }

  /** Null: its branch or labels were refused, the lease is undone, try the next candidate. */
  async function answer(
    request: TaskRequest,
    requestId: string,
    handOut: HandOut,
    signal?: AbortSignal,
  ): Promise<Assignment | null> {
    context.reached('after_claim');
    const leasedAt = performance.now();
    const written = await outbox.writeNow(handOut);
    if (!handOut.replay) handedOut(performance.now() - leasedAt);
    if (written === 'refused') return null;
    const { task, issue, lease } = handOut;
    const attempts = handoffOf(handOut.attempts);
    context.reached('before_answer');
    if (signal?.aborted === true && request.requestId === null) {
      // Nobody will ever hear of this token, unless the agent has asked again meanwhile.
      await giveBack(store, { agentId: request.agentId, requestId });
    }
    return {
      task,
      issue,
      lease,
      handoff: attempts.length === 0 ? null : attempts,
      prompt: promptFor(context.prompts, handOut, attempts),
      ledger: written,
    };
  }

  return async (request, signal, completed = () => undefined) => {
    checkAgent(request, context.policy());
    await absent.settleAgent(request.agentId);
    const ticket = await ticketFor(request);
    const untilAt = ticket.createdAt + request.waitSeconds * 1000;
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const choice = await chooser.choose(ticket);
      const result = await claimTwice(ticket, request, choice);
      let handOut: HandOut | null = null;
      if (result.outcome === 'maintenance') {
        throw underMaintenance('Hand-out is paused by an operator.');
      }
      if (result.outcome === 'stale') await chooser.refresh();
      if (result.outcome === 'leased') handOut = result.handOut;
      if (result.outcome === 'unfinished') {
        handOut = await settleUnfinished(request, ticket, result.handOut, completed);
      }
      if (result.outcome === 'none' || result.outcome === 'quarantine') {
        if (choice.paused !== null) throw underMaintenance(choice.paused);
        const ms = untilAt - (await store.now());
        // After a loss of data "nothing suitable" would not be true.
        if (ms <= 0 && result.outcome === 'quarantine') {
          throw busy(undefined, QUARANTINE_SECONDS, QUARANTINE_DETAIL);
        }
        if (ms <= 0 || signal?.aborted === true) return null;
        const ownRequestId = request.requestId !== null;
        handOut = await matcher.wait(
          { ...ticket, id: context.newSecret() },
          { ms, ownRequestId, signal },
        );
        if (handOut === null) return null;
      }
      if (handOut === null) continue;
      const assignment = await answer(request, ticket.requestId, handOut, signal);
      if (assignment !== null) return assignment;
    }
    throw busy(undefined, 1, 'The queue changes faster than this request could be served.');
  };
}
