// The hand-out as a pipe: choose, claim, resolve what is unfinished, wait, write the ledger, answer.

import { handoffOf } from '../core/attempt/history.ts';
import { BantoError, busy, underMaintenance } from '../core/errors.ts';
import { agentIdProblem } from '../core/ledger.ts';
import { normalizeCapabilities } from '../core/pairing/match.ts';
import { promptFor } from '../core/prompt/prompt.ts';
import type { ClaimResult, HandOut } from '../core/store.ts';
import type { Ticket } from '../core/ticket.ts';
import type { Assignment, Broker, TaskRequest } from './broker.ts';
import { type Claim, claimAgain } from './claim.ts';
import type { Context } from './context.ts';
import type { Choice, Chooser } from './hand-out/chooser.ts';
import type { DayBudget } from './hand-out/day-budget.ts';
import type { ResolveUnfinished } from './hand-out/resolve-unfinished.ts';
import type { OutboxLoop } from './outbox.ts';
import { type AbandonedRequests, giveBack } from './waiting/abandoned-requests.ts';
import type { Matcher } from './waiting/matcher.ts';

/** Stale registries and refused candidates are passed over; this many in one request mean trouble. */
const MOST_TRIES = 50;
/** When to ask again while the store's lost leases run out; some tasks are proved free before that. */
const QUARANTINE_SECONDS = 5;
const QUARANTINE_DETAIL =
  'Redis lost data. Until leases from before have run out, only tasks that are proved free are handed out.';

interface Parts {
  readonly chooser: Chooser;
  readonly claim: Claim;
  readonly resolveUnfinished: ResolveUnfinished;
  readonly matcher: Pick<Matcher, 'wait'>;
  readonly abandoned: AbandonedRequests;
  readonly outbox: Pick<OutboxLoop, 'writeNow'>;
  readonly day: DayBudget;
  readonly handedOut: (ms: number) => void;
}

/** One request on its way through the pipe. */
interface Asked {
  readonly request: TaskRequest;
  readonly ticket: Ticket;
  readonly untilAt: number;
  readonly signal: AbortSignal | undefined;
  readonly completed: (taskId: string) => void;
}

export function createRequest(context: Context, parts: Parts): Broker['requestTask'] {
  const { store } = context;
  const { chooser, resolveUnfinished, matcher, abandoned, outbox, day, handedOut } = parts;
  const claim = claimAgain(parts.claim);

  async function ticketFor(request: TaskRequest): Promise<Ticket> {
    const problem = agentIdProblem(request.agentId, context.policy());
    if (problem !== null) throw new BantoError('invalid_request', problem);
    await abandoned.settleAgent(request.agentId);
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

  async function claimFor({ ticket, request }: Asked, choice: Choice): Promise<ClaimResult> {
    try {
      return await claim(ticket, choice);
    } catch (error) {
      // Something may have been claimed, and nobody knows the request by which to ask for it.
      if (request.requestId === null) abandoned.remember(ticket, true);
      throw error;
    }
  }

  /** Null: it did not come in time. */
  async function wait(
    { request, ticket, untilAt, signal }: Asked,
    { paused, closed }: Choice,
    outcome: 'none' | 'quarantine',
  ): Promise<HandOut | null> {
    if (paused !== null) throw underMaintenance(paused);
    if (closed !== null) throw busy(undefined, await day.retryAfterSeconds(), closed);
    const ms = untilAt - (await store.now());
    // After a loss of data "nothing suitable" would not be true.
    if (ms <= 0 && outcome === 'quarantine') {
      throw busy(undefined, QUARANTINE_SECONDS, QUARANTINE_DETAIL);
    }
    if (ms <= 0 || signal?.aborted === true) return null;
    const ownRequestId = request.requestId !== null;
    return matcher.wait({ ...ticket, id: context.newSecret() }, { ms, ownRequestId, signal });
  }

  /** Null: nothing suitable came in time. */
  async function handOutFor(asked: Asked): Promise<HandOut | 'again' | null> {
    const { ticket, request, completed } = asked;
    const choice = await chooser.choose(ticket);
    const result = await claimFor(asked, choice);
    switch (result.outcome) {
      case 'leased':
        return result.handOut;
      case 'unfinished': {
        const { onUnfinished } = request;
        return (
          (await resolveUnfinished(result.handOut, ticket, onUnfinished, completed)) ?? 'again'
        );
      }
      case 'stale':
        await chooser.refresh();
        return 'again';
      case 'maintenance':
        throw underMaintenance('Hand-out is paused by an operator.');
      case 'none':
      case 'quarantine':
        return wait(asked, choice, result.outcome);
    }
  }

  async function writeLedger(handOut: HandOut): Promise<Assignment['ledger'] | 'refused'> {
    context.reached('after_claim');
    const leasedAt = performance.now();
    const written = await outbox.writeNow(handOut);
    if (!handOut.replay) handedOut(performance.now() - leasedAt);
    return written;
  }

  async function answer(
    { request, ticket, signal }: Asked,
    handOut: HandOut,
    ledger: Assignment['ledger'],
  ): Promise<Assignment> {
    const { task, issue, lease } = handOut;
    const attempts = handoffOf(handOut.attempts);
    const handoff = attempts.length === 0 ? null : attempts;
    const prompt = promptFor(context.prompts, handOut, attempts);
    context.reached('before_answer');
    // Nobody will ever hear of this token, unless the agent has asked again meanwhile.
    if (signal?.aborted === true && request.requestId === null) await giveBack(store, ticket);
    return { task, issue, lease, handoff, prompt, ledger };
  }

  return async (request, signal, completed = () => undefined) => {
    const ticket = await ticketFor(request);
    const untilAt = ticket.createdAt + request.waitSeconds * 1000;
    const asked: Asked = { request, ticket, untilAt, signal, completed };
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const handOut = await handOutFor(asked);
      if (handOut === null) return null;
      if (handOut === 'again') continue;
      const ledger = await writeLedger(handOut);
      // Refused: its lease is undone, and the next candidate is tried.
      if (ledger !== 'refused') return answer(asked, handOut, ledger);
    }
    throw busy(undefined, 1, 'The queue changes faster than this request could be served.');
  };
}
