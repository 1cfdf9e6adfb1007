// Puts the verbs together: one broker, its loops, and the order in which they start and stop.

import type { Fact } from '../core/facts.ts';
import type { Forge } from '../core/forge.ts';
import { bareTemplates, type Templates } from '../core/prompt/prompt-template.ts';
import type { Policy } from '../core/settings.ts';
import type { Store } from '../core/store.ts';
import { reasonOf } from '../core/text/reason.ts';
import { createBranchWishes } from './backlog/branch-wishes.ts';
import { createIssues } from './backlog/issues.ts';
import type { Broker, Flags } from './broker.ts';
import { createClaim } from './claim.ts';
import { type Context, type Log, systemTimers, type Timers } from './context.ts';
import { createFinish } from './finish.ts';
import { createAnswered } from './hand-out/answered.ts';
import { createChooser } from './hand-out/chooser.ts';
import { createDayBudget } from './hand-out/day-budget.ts';
import { createResolveUnfinished } from './hand-out/resolve-unfinished.ts';
import { createSecretPool } from './hand-out/secret-pool.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createLogs } from './lease/logs.ts';
import { createQuestions } from './lease/questions.ts';
import { createReplies, type Replies } from './lease/replies.ts';
import type { Loop } from './loop.ts';
import { type BudgetHistory, createBudgetHistory } from './loops/budget-history.ts';
import { createFactFollower, type FactListener } from './loops/follow-facts.ts';
import { createNotifier, type Notifier, type SendMessage } from './loops/notify.ts';
import { createPresence, type Usage } from './loops/presence.ts';
import { createMirror, type Mirror } from './mirror.ts';
import { createOperate } from './operate/operate.ts';
import { createSettings } from './operate/settings.ts';
import { createOutbox } from './outbox.ts';
import { createActivityReads } from './read/activity.ts';
import { createBoard } from './read/board.ts';
import { createLook } from './read/look.ts';
import { createRequest } from './request.ts';
import { createSweep } from './sweep.ts';
import { createAbandonedRequests } from './waiting/abandoned-requests.ts';
import { createMatcher } from './waiting/matcher.ts';

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
    readonly replies: Replies;
    readonly matcher: { runOnce(): Promise<void> };
    readonly notifier: Notifier | null;
    readonly budgetHistory: BudgetHistory;
  };
}

const POLL_MS = 5000;
const FULL_PASS_MS = 300_000;

export function createBroker(options: BrokerOptions): RunningBroker {
  const { store, forge, log } = options;
  const newSecret = options.newSecret ?? createSecretPool();
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
    saw: (tasks, now) => replies.saw(tasks, now),
  });
  const sweep = createSweep(context, presence.leads);
  const outbox = createOutbox(context, mirror);
  const day = createDayBudget(context);
  const budgetHistory = createBudgetHistory(context);
  const chooser = createChooser(store, day);
  const claim = createClaim(context);
  const abandoned = createAbandonedRequests(context);
  const matcher = createMatcher(context, { chooser, claim, abandoned });
  const finish = createFinish(context, mirror);
  const { notify } = options;
  const notifier = notify === undefined ? null : createNotifier(context, notify.send, notify.sent);
  const pollMs = options.pollMs ?? forge.rhythm?.pollMs ?? POLL_MS;
  const replies = createReplies(context, presence.leads, pollMs);
  const follower = createFactFollower(context, presence.leads, [
    replies.heard,
    ...(options.listeners ?? []),
    ...(notifier === null ? [] : [notifier.onFacts]),
  ]);
  const { listed, ...look } = createLook(context, wishes, day);
  const activityReads = createActivityReads(context);
  let unwatch: (() => Promise<void>) | null = null;
  let unsubscribe: (() => void) | null = null;

  function replanSoon(): void {
    if (presence.leads()) mirror.replanSoon();
  }

  /** Facts of any instance that change what this one should do next. */
  function onFacts(facts: readonly Fact[]): void {
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
      resolveUnfinished: createResolveUnfinished(context, finish),
      matcher,
      abandoned,
      outbox,
      day,
      handedOut: options.handedOut ?? (() => undefined),
    }),
    answered: createAnswered(context),
    heartbeat: createHeartbeat(context, mirror),
    ...finish,
    ...look,
    ...createQuestions(context, mirror),
    ...createLogs(context, mirror),
    ...activityReads,
    ...createBoard(context, { ...look, listed }, activityReads),
    ...createOperate(context, outbox),
    ...createIssues(context, mirror),
    config: settings.config,
    putConfig: settings.putConfig,
    flags: settings.flags,
    putFlag: settings.putFlag,
    createToken: settings.createToken,
    tokens: settings.tokens,
    revokeToken: settings.revokeToken,
    whoIs: settings.whoIs,
    budget: async () => (await forge.budget?.()) ?? null,
    budgetHistory: async (since) => budgetHistory.since(since),
    ...(forge.webhook === undefined ? {} : { webhook: forge.webhook }),
    events: (afterSeq, limit) => store.facts(afterSeq, limit),
    lastSeq: () => store.lastSeq(),
    subscribe: (listener) => store.subscribe(listener),
    async readiness() {
      const reached = await checked(() => store.ping());
      return {
        store: reached,
        forge: await checked(() => forge.check()),
        mirrored: reached.ok && (await mirror.isListed().catch(() => false)),
      };
    },
    async start() {
      await settings.reload();
      unsubscribe = store.subscribe(onFacts);
      await presence.start();
      await follower.start();
      matcher.start();
      sweep.start();
      notifier?.start();
      outbox.start();
      unwatch = forge.watch((change) => {
        replies.hint(change);
        mirror.take(change).catch((error: unknown) => {
          log.warn({ err: error }, 'could not take in a change; the next pass will');
        });
      });
      mirror.start();
      replies.start();
      budgetHistory.start();
    },
    async stop() {
      await budgetHistory.stop();
      await matcher.stop();
      await unwatch?.();
      await replies.stop();
      await mirror.stop();
      await sweep.stop();
      await outbox.stop();
      await notifier?.stop();
      await follower.stop();
      await presence.stop();
      unsubscribe?.();
    },
    catchUp: follower.catchUp,
    loops: { mirror, sweep, outbox, matcher, notifier, replies, budgetHistory },
  };
}
