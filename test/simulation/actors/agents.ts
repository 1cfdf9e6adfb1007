// Agents: processes that ask, work, report, die, fall silent and come back too late. Some share a name with another one and
// know nothing of each other. What each does next follows from what it was told, and from the dice of the step.

import type { Assignment, TaskRequest } from '../../../src/broker/broker.ts';
import type { RunningBroker } from '../../../src/broker/create-broker.ts';
import { BantoError, type ErrorCode } from '../../../src/core/errors.ts';
import type { HoldersVerb, Told } from '../checks/answers.ts';
import { createDice, type Dice, mix } from '../engine/dice.ts';
import { LEASE_SECONDS } from '../world/policy.ts';
import type { World } from '../world/world.ts';
import { type Ending, endingFor, isPoison, report } from './work.ts';

export const LABELS = ['python', 'web', 'docs', 'rust', 'ops'] as const;
/** Every so manieth process has the name of the one before it. */
const SAME_NAME_EVERY = 12;
const MOST_CALLS = 3;

const EXPECTED: readonly ErrorCode[] = ['busy', 'maintenance', 'stopping', 'too_many_requests'];
const OVER: readonly ErrorCode[] = ['lease_lost', 'conflict', 'not_found'];

interface Call {
  readonly gone: AbortController;
  readonly requestId: string | null;
}

interface Held {
  readonly told: Told;
  readonly given: Assignment;
}

/** Null: there is nothing for it. */
interface Answer {
  readonly given: Assignment | null;
}

export interface Agent {
  readonly agentId: string;
  readonly capabilities: readonly string[];
  act(dice: Dice): void;
  /** Asks once and waits for nothing; what it got, if that was answered without any time passing. */
  probe(): Promise<Answer | null>;
  isFree(): boolean;
  /** The process ends and remembers nothing. */
  quit(): void;
}

export const nameOf = (index: number): string =>
  `a${index % SAME_NAME_EVERY === SAME_NAME_EVERY - 1 ? index - 1 : index}`;

function capabilitiesOf(agentId: string): string[] {
  const dice = createDice(mix(7, Number(agentId.slice(1))));
  if (dice.chance(0.05)) return ['*', 'review'];
  if (dice.chance(0.1)) return ['review'];
  const first = dice.pick(LABELS);
  const second = dice.pick(LABELS);
  return [...new Set([first, second, ...(dice.chance(0.6) ? ['review'] : [])])].sort();
}

export function createAgent(world: World, index: number): Agent {
  const { time, tell, count, answers, leases, backing } = world;
  const agentId = nameOf(index);
  const who = agentId === `a${index}` ? agentId : `${agentId} (second process)`;
  const capabilities = capabilitiesOf(agentId);
  const calls = new Set<Call>();
  let requests = 0;
  /** The request it repeats, because it never heard an answer. */
  let unheard: string | null = null;
  let held: Held | null = null;
  let ending: Ending | null = null;
  let reporting = false;
  let silentUntil = 0;
  let life = 0;

  function forget(): void {
    for (const { gone } of calls) gone.abort();
    calls.clear();
    held = null;
    ending = null;
    reporting = false;
    life += 1;
  }

  function requestWith(dice: Dice, waitSeconds: number): TaskRequest {
    requests += 1;
    const fresh = dice.chance(0.7) ? `${agentId}-${index}-${requests}` : null;
    const requestId = unheard ?? fresh;
    return {
      agentId,
      capabilities,
      waitSeconds,
      leaseSeconds: dice.chance(0.3) ? 15 + dice.below(LEASE_SECONDS - 15) : null,
      requestId,
      kinds: dice.chance(0.05) ? [dice.pick(['implement', 'review', 'fix'] as const)] : null,
      repositories: null,
      onUnfinished: dice.pick(['complete', 'resume', 'resume', 'release'] as const),
    };
  }

  function unexpected(error: unknown, during: string): void {
    const said = error instanceof BantoError ? `${error.code}: ${error.message}` : String(error);
    world.find('error', `${during} by ${who} failed with ${said}`);
  }

  /** As a door does it: the answer is handed over, and then marked as handed over, if anybody was there to take it. */
  async function asked(
    broker: RunningBroker,
    request: TaskRequest,
    call: Call,
    deaf: boolean,
  ): Promise<Answer | null> {
    try {
      const given = await broker.requestTask(request, call.gone.signal);
      await backing.pull();
      if (call.gone.signal.aborted) return null;
      if (given !== null) {
        leases.handed(given.task.id, given.lease.fence);
        void broker.answered(given);
      }
      if (deaf) count('answer lost between Banto and the agent');
      else hear(given);
      return { given };
    } catch (error) {
      if (error instanceof BantoError && EXPECTED.includes(error.code)) {
        const { code } = error;
        tell(() => `${who} is told ${code}.`);
        unheard = request.requestId;
      } else unexpected(error, 'A request');
      return null;
    }
  }

  function hear(given: Assignment | null): void {
    unheard = null;
    if (given === null) return tell(() => `${who} is told that there is nothing for it.`);
    const { task, lease } = given;
    tell(() => `${who} is given ${task.id}, fence ${lease.fence}, ${lease.seconds} s.`);
    count('hand-outs heard');
    const told = answers.heard(agentId, given);
    held = { told, given };
    ending = null;
  }

  function ask(dice: Dice, waitSeconds: number): void {
    const instance = world.anInstance(dice);
    const broker = instance.broker();
    if (broker === null) return tell(() => `${who} cannot reach instance ${instance.name}.`);
    const request = requestWith(dice, waitSeconds);
    const deaf = dice.chance(0.02);
    const call: Call = { gone: new AbortController(), requestId: request.requestId };
    calls.add(call);
    tell(
      () =>
        `${who} asks instance ${instance.name}${waitSeconds > 0 ? `, waits ${waitSeconds} s` : ''} (${request.onUnfinished}, request ${request.requestId ?? 'unnamed'}).`,
    );
    const mine = life;
    const done = world.connected(instance, () => {
      calls.delete(call);
      if (mine === life) unheard = request.requestId;
    });
    void asked(broker, request, call, deaf).finally(() => {
      done();
      calls.delete(call);
    });
    if (deaf) unheard = request.requestId;
    if (dice.chance(0.05)) void hangUp(call, dice);
  }

  /** Its time is over at some point between the question and the answer. */
  async function hangUp({ gone, requestId }: Call, dice: Dice): Promise<void> {
    const again = dice.chance(0.5);
    for (let turns = dice.below(8); turns > 0; turns -= 1) {
      await new Promise((resolve) => void setImmediate(resolve));
    }
    if (gone.signal.aborted) return;
    count('client hung up while it was served');
    gone.abort();
    // The next request repeats this one, or is another one.
    unheard = again ? requestId : null;
  }

  function giveUp(dice: Dice): void {
    tell(() => `${who} gives up waiting for an answer.`);
    count('client time-out');
    for (const { gone, requestId } of calls) {
      gone.abort();
      unheard = dice.chance(0.6) ? requestId : null;
    }
    calls.clear();
    ask(dice, dice.chance(0.5) ? 0 : 1 + dice.below(40));
  }

  async function call(
    dice: Dice,
    verb: HoldersVerb,
    of: Held,
    words: Ending | null,
  ): Promise<void> {
    const instance = world.anInstance(dice);
    const broker = instance.broker();
    if (broker === null) return;
    const deaf = dice.chance(0.03);
    await backing.pull();
    const sent = answers.send(of.told, verb);
    const mine = life;
    reporting = true;
    const done = world.connected(instance, () => {
      if (mine === life) reporting = false;
    });
    tell(
      () =>
        `${who} says ${verb} for ${of.told.taskId}, fence ${of.told.fence}, to instance ${instance.name}.`,
    );
    let accepted: { readonly expiresAt?: number } | null = null;
    let code: ErrorCode | null = null;
    try {
      accepted = await report(broker, verb, of.given, index, words);
    } catch (error) {
      if (!(error instanceof BantoError)) return unexpected(error, verb);
      ({ code } = error);
      if (!EXPECTED.includes(code) && !OVER.includes(code)) return unexpected(error, verb);
    } finally {
      done();
      if (mine === life) reporting = false;
    }
    await backing.pull();
    if (accepted !== null) answers.accepted(sent, accepted.expiresAt);
    else if (code !== null) answers.refused(sent, code);
    tell(() => `${who} is told ${code ?? 'ok'}${deaf ? ', but does not hear it' : ''}.`);
    if (deaf || mine !== life || held !== of) return;
    const over = accepted === null ? OVER.includes(code ?? 'busy') : words !== null;
    if (!over) return;
    if (accepted === null) count('late report refused');
    answers.over(of.told);
    held = null;
    ending = null;
  }

  /** Nobody waits for it: what it does not expect is a finding. */
  function say(dice: Dice, verb: HoldersVerb, of: Held, words: Ending | null): void {
    call(dice, verb, of, words).catch((error: unknown) => unexpected(error, verb));
  }

  function work(dice: Dice, of: Held): void {
    if (reporting) return;
    const choice = dice.next();
    if (ending !== null) return say(dice, ending.verb, of, ending);
    if (choice < 0.02) {
      count('agent died');
      tell(() => `${who} dies with ${of.told.taskId} in its hands.`);
      return forget();
    }
    if (choice < 0.04) {
      count('agent fell silent');
      silentUntil = time.now() + of.given.lease.seconds * 1000 + dice.below(40_000);
      tell(() => `${who} falls silent and will report when it is too late.`);
      ending = endingFor(of.given, index, dice);
      return;
    }
    if (choice < 0.4) return say(dice, 'heartbeat', of, null);
    if (choice < 0.41) return say(dice, 'ask', of, null);
    if (isPoison(of.given) && choice < 0.7) {
      count('poison task killed its agent');
      tell(() => `${who} is killed by its task, ${of.told.taskId}.`);
      return forget();
    }
    ending = endingFor(of.given, index, dice);
    say(dice, ending.verb, of, ending);
  }

  return {
    agentId,
    capabilities,
    isFree: () => held === null && calls.size === 0,
    quit: forget,
    act(dice) {
      if (time.now() < silentUntil) return;
      if (held !== null) return work(dice, held);
      if (calls.size === 0) return ask(dice, dice.chance(0.5) ? 0 : 1 + dice.below(45));
      const choice = dice.next();
      if (choice < 0.1) return giveUp(dice);
      if (choice < 0.16 && calls.size < MOST_CALLS) {
        count('second waiting request');
        ask(dice, 1 + dice.below(45));
      }
    },
    async probe() {
      const broker = world.anyBroker();
      if (broker === null) return null;
      let answer: Answer | null = null;
      const request: TaskRequest = {
        agentId,
        capabilities,
        waitSeconds: 0,
        leaseSeconds: null,
        requestId: null,
        kinds: null,
        repositories: null,
        onUnfinished: 'resume',
      };
      const call: Call = { gone: new AbortController(), requestId: null };
      const listen = async () => {
        calls.add(call);
        answer = await asked(broker, request, call, false);
        calls.delete(call);
      };
      void listen();
      await time.rest();
      return answer;
    },
  };
}
