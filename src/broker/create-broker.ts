// Puts the verbs together: one broker, its loops, and the order in which they start and stop.

import { randomBytes } from 'node:crypto';
import type { Fact } from '../core/facts.ts';
import type { Forge } from '../core/forge.ts';
import { bareTemplates, type Templates } from '../core/prompt-template.ts';
import { reasonOf } from '../core/reason.ts';
import type { Policy } from '../core/settings.ts';
import type { Store } from '../core/store.ts';
import { createAbsent } from './absent.ts';
import { createActivityReads } from './activity.ts';
import { createAnswered } from './answered.ts';
import { createBranchWishes } from './branch-wishes.ts';
import type { Broker, Flags } from './broker.ts';
import { createChooser } from './chooser.ts';
import { type Context, type Log, systemTimers, type Timers } from './context.ts';
import { createFinish } from './finish.ts';
import { createFactFollower, type FactListener } from './follow-facts.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createIssues } from './issues.ts';
import { createLook } from './look.ts';
import type { Loop } from './loop.ts';
import { createMatcher } from './matcher.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { createNotifier, type Notifier, type SendMessage } from './notify.ts';
import { createOperate } from './operate.ts';
import { createOutbox } from './outbox.ts';
import { createPresence, type Usage } from './presence.ts';
import { createClaim, createRequest } from './request.ts';
import { createSettings } from './settings.ts';
import { createSweep } from './sweep.ts';

export interface BrokerOptions {
  readonly store: Store;
  readonly forge: Forge;
  readonly policy: Policy;
  /** Not given: one bare sentence for every kind of task. */
  readonly prompts?: Templates;
  readonly log: Log;
  readonly timers?: Timers;
  readonly random?: () => number;
  readonly newSecret?: () => string;
  readonly reached?: Context['reached'];
  readonly onFlags?: (flags: Flags) => void;
  /** How this process fares, for the store to show. */
  readonly usage?: () => Usage;
  /** Told every fact from the start on, once and in order. */
  readonly listeners?: readonly FactListener[];
  /** Where people are told what needs them; not set: nowhere. */
  readonly notify?: {
    readonly send: SendMessage;
    readonly sent?: (result: 'sent' | 'failed') => void;
  };
  /** How long branch and labels kept a new lease from its answer. */
  readonly handedOut?: (ms: number) => void;
  readonly pollMs?: number;
  readonly fullPassMs?: number;
}

/** The loops are named so that tests and tools can run one turn of each instead of waiting. */
export interface RunningBroker extends Broker {
  /** The listeners were told everything that has happened until now. */
  catchUp(): Promise<void>;
  readonly loops: {
    readonly mirror: Mirror;
    readonly sweep: Loop;
    readonly outbox: Loop;
    readonly matcher: { runOnce(): Promise<void> };
    readonly notifier: Notifier | null;
  };
}

const POLL_MS = 5000;
const FULL_PASS_MS = 300_000;

export function createBroker(options: BrokerOptions): RunningBroker {
  const { store, forge, log } = options;
  const newSecret = options.newSecret ?? (() => randomBytes(18).toString('base64url'));
  const settings = createSettings(store, newSecret, options.policy, (policy, flags, before) => {
    options.onFlags?.(flags);
    if (JSON.stringify(before.flags) !== JSON.stringify(flags)) matcher.kick();
    if (JSON.stringify(before.policy) !== JSON.stringify(policy)) replanSoon();
  });
  const context: Context = {
    store,
    forge,
    log,
    policy: settings.policy,
    prompts: options.prompts ?? bareTemplates(),
    instanceId: newSecret(),
    timers: options.timers ?? systemTimers,
    random: options.random ?? Math.random,
    newSecret,
    reached: options.reached ?? (() => undefined),
  };

  const presence = createPresence(context, {
    led() {
      mirror.begin();
      sweep.kick();
    },
    lost() {
      mirror.begin();
      matcher.kick();
    },
    refresh: settings.refresh,
    usage: options.usage ?? null,
  });
  const wishes = createBranchWishes(context);
  const mirror = createMirror(context, wishes, {
    pollMs: options.pollMs ?? forge.rhythm?.pollMs ?? POLL_MS,
    fullPassMs: options.fullPassMs ?? forge.rhythm?.fullPassMs ?? FULL_PASS_MS,
    leads: presence.leads,
  });
  const sweep = createSweep(context, presence.leads);
  const outbox = createOutbox(context, mirror);
  const chooser = createChooser(store);
  const claim = createClaim(context);
  const absent = createAbsent(context);
  const matcher = createMatcher(context, { chooser, claim, absent });
  const finish = createFinish(context, mirror);
  const { notify } = options;
  const notifier = notify === undefined ? null : createNotifier(context, notify.send, notify.sent);
  const follower = createFactFollower(context, presence.leads, [
    ...(options.listeners ?? []),
    ...(notifier === null ? [] : [notifier.heard]),
  ]);
  let unwatch: (() => Promise<void>) | null = null;
  let unsubscribe: (() => void) | null = null;

  function replanSoon(): void {
    if (presence.leads()) mirror.replanSoon();
  }

  /** Facts of any instance that change what this one should do next. */
  function heard(facts: readonly Fact[]): void {
    if (facts.some((fact) => fact.type === 'setting_changed')) {
      settings
        .reload()
        .catch((error: unknown) => log.warn({ err: error }, 'could not reload settings'));
    }
    // An ended lease left label writes behind that no request waits for.
    if (facts.some((fact) => 'state' in fact && fact.type !== 'leased')) outbox.kick();
  }

  async function checked(
    check: () => Promise<void>,
  ): Promise<{ ok: boolean; error: string | null }> {
    try {
      await check();
      return { ok: true, error: null };
    } catch (error) {
      return { ok: false, error: reasonOf(error) };
    }
  }

  return {
    requestTask: createRequest(context, {
      chooser,
      claim,
      matcher,
      absent,
      outbox,
      finish,
      handedOut: options.handedOut ?? (() => undefined),
    }),
    answered: createAnswered(context),
    heartbeat: createHeartbeat(context, mirror),
    ...finish,
    ...createLook(context, wishes),
    ...createActivityReads(context),
    ...createOperate(context),
    ...createIssues(context),
    config: settings.config,
    putConfig: settings.putConfig,
    flags: settings.flags,
    putFlag: settings.putFlag,
    createToken: settings.createToken,
    tokens: settings.tokens,
    revokeToken: settings.revokeToken,
    whoIs: settings.whoIs,
    budget: async () => (await forge.budget?.()) ?? null,
    ...(forge.webhook === undefined ? {} : { webhook: forge.webhook }),
    events: (afterSeq, limit) => store.facts(afterSeq, limit),
    lastSeq: () => store.lastSeq(),
    subscribe: (listener) => store.subscribe(listener),
    async readiness() {
      const reached = await checked(() => store.ping());
      return {
        store: reached,
        forge: await checked(() => forge.check()),
        mirrored: reached.ok && (await mirror.complete().catch(() => false)),
      };
    },
    async start() {
      await settings.reload();
      unsubscribe = store.subscribe(heard);
      await presence.start();
      await follower.start();
      matcher.start();
      sweep.start();
      notifier?.start();
      outbox.start();
      unwatch = forge.watch((change) => {
        mirror.take(change).catch((error: unknown) => {
          log.warn({ err: error }, 'could not take in a change; the next pass will');
        });
      });
      mirror.start();
    },
    async stop() {
      await matcher.stop();
      await unwatch?.();
      await mirror.stop();
      await sweep.stop();
      await outbox.stop();
      await notifier?.stop();
      await follower.stop();
      await presence.stop();
      unsubscribe?.();
    },
    catchUp: follower.catchUp,
    loops: { mirror, sweep, outbox, matcher, notifier },
  };
}
