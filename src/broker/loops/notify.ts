// Tells people what needs them, once: one instance of all sends, and how far it came is kept in the store.
// A message that could not be sent is tried again; what was solved meanwhile is left out.

import { notifyDelayMs } from '../../core/attempt/retry.ts';
import type { Fact } from '../../core/facts.ts';
import { freshMarker, type NoticeMarker, readMarker } from '../../core/reporting/notice-marker.ts';
import {
  APPROVED_WAIT_MS,
  FAILING_WAIT_MS,
  inOrder,
  laterNoticeOf,
  type Message,
  messageOf,
  type Notice,
  noticeOf,
  refusalOf,
  stillNeeds,
  type Told,
} from '../../core/reporting/notices.ts';
import { parseTaskId } from '../../core/task.ts';
import type { Context } from '../context.ts';
import { createLoop, type Loop } from '../loop.ts';

/** Throws where the message did not arrive; `retryAfterMs` on the error is followed. */
export type SendMessage = (message: Message) => Promise<void>;

export interface Notifier extends Loop {
  /** What happened may need a person: looked at soon. */
  onFacts(facts: readonly Fact[]): void;
}

const PREFIX = 'config:notify:';
const MARKER = `${PREFIX}told`;
const ROLE = 'notify';
/** Longer than a turn takes, the message included. */
const ROLE_MS = 60_000;
const CHECK_MS = 15_000;
/** What happens together is told together. */
const GATHER_MS = 2000;
const BATCH = 1000;

export function createNotifier(
  { store, log, timers, random, instanceId }: Context,
  send: SendMessage,
  sent: (result: 'sent' | 'failed') => void = () => undefined,
): Notifier {
  /** Facts up to here needed nobody; not worth writing down. */
  let seen: Pick<NoticeMarker, 'now' | 'later'> = { now: 0, later: 0 };
  let failingSince: number | null = null;
  let failures = 0;
  let notBefore = 0;
  let gathering = false;

  async function marker(): Promise<NoticeMarker> {
    const stored = readMarker((await store.settings(PREFIX)).get(MARKER));
    const last = await store.lastSeq();
    if (stored !== null && stored.now <= last) return stored;
    // What happened before people asked to be told, or before the store lost its data, is not told.
    const fresh = freshMarker(last);
    seen = { now: 0, later: 0 };
    await store.putSetting(MARKER, fresh);
    return fresh;
  }

  async function scan(
    after: number,
    untilAt: number,
    find: (fact: Fact) => Notice | null,
  ): Promise<{ notices: Notice[]; seq: number }> {
    const notices: Notice[] = [];
    let seq = after;
    for (;;) {
      const facts = await store.facts(seq, BATCH);
      for (const fact of facts) {
        if (fact.at > untilAt) return { notices, seq };
        seq = fact.seq;
        const found = find(fact);
        if (found !== null) notices.push(found);
      }
      if (facts.length < BATCH) return { notices, seq };
    }
  }

  async function failing(told: boolean, now: number): Promise<Notice | 'over' | null> {
    const { outbox } = await store.queue(0);
    if (outbox.failing === 0) {
      failingSince = null;
      return told ? 'over' : null;
    }
    failingSince ??= now;
    if (told || now - failingSince < FAILING_WAIT_MS) return null;
    const detail = `${outbox.failing} are tried again and again`;
    return { id: `ledger-${failingSince}`, kind: 'ledger', taskId: null, agentId: null, detail };
  }

  /** With what people want to read of each; without what needs nobody any more. */
  async function toTell(notices: readonly Notice[]): Promise<Told[]> {
    if (notices.length === 0) return [];
    const lapsed = new Set(
      (await store.agents()).filter((agent) => agent.lapsed).map(({ agentId }) => agentId),
    );
    const needed = new Map<Notice, Told>();
    for (const notice of notices) {
      const name = notice.taskId === null ? null : parseTaskId(notice.taskId);
      const [known] =
        name === null ? [] : await store.issuesNumbered(name.repository, [name.number]);
      const task = known?.tasks.find(({ id }) => id === notice.taskId) ?? null;
      const isLapsed = lapsed.has(notice.agentId ?? '');
      if (!stillNeeds(notice, task, known?.issue.state ?? 'closed', isLapsed)) continue;
      needed.set(notice, { notice, subject: known?.issue ?? null });
    }
    // An issue asks once: by what is most urgent of what is still needed.
    return inOrder([...needed.keys()]).flatMap((notice) => needed.get(notice) ?? []);
  }

  async function turn(): Promise<number> {
    const now = await store.now();
    if (now < notBefore) return notBefore - now;
    // Another instance tells; if it ends, its role does too.
    if (!(await store.lead(ROLE, instanceId, ROLE_MS))) return CHECK_MS;
    const before = await marker();
    const from = { now: Math.max(before.now, seen.now), later: Math.max(before.later, seen.later) };
    const find = (fact: Fact) => noticeOf(fact) ?? refusalOf(fact, before);
    const soon = await scan(from.now, Number.POSITIVE_INFINITY, find);
    const later = await scan(from.later, now - APPROVED_WAIT_MS, laterNoticeOf);
    const trouble = await failing(before.failingTold, now);
    const failingNotice = trouble === null || trouble === 'over' ? [] : [trouble];
    // Where the forge refuses one write it refuses many.
    const refusal = soon.notices.filter(({ kind }) => kind === 'ledger').slice(0, 1);
    const urgent = soon.notices.filter(({ kind }) => kind !== 'ledger');
    const told = await toTell([...urgent, ...refusal, ...later.notices, ...failingNotice]);
    if (told.length > 0) {
      try {
        await send(messageOf(told, new Date(now).toISOString()));
      } catch (error) {
        return failed(error, now);
      }
      sent('sent');
    }
    failures = 0;
    seen = { now: soon.seq, later: later.seq };
    if (told.length > 0 || trouble === 'over') {
      await store.putSetting(MARKER, {
        ...seen,
        failingTold: trouble === 'over' ? false : before.failingTold || failingNotice.length > 0,
        refusedAt: refusal.length > 0 ? now : before.refusedAt,
      });
    }
    return CHECK_MS;
  }

  function failed(error: unknown, now: number): number {
    sent('failed');
    failures += 1;
    const asked = (error as { retryAfterMs?: number }).retryAfterMs ?? 0;
    const waitMs = Math.max(asked, notifyDelayMs(failures, random()));
    notBefore = now + waitMs;
    log.warn({ err: error, waitMs }, 'a message to NOTIFY_URL was not taken; it is sent again');
    return waitMs;
  }

  const loop = createLoop({ name: 'notify', timers, log, turn, retryMs: CHECK_MS });
  return {
    ...loop,
    onFacts(facts) {
      if (gathering || !facts.some((fact) => noticeOf(fact) !== null)) return;
      gathering = true;
      timers.after(GATHER_MS, () => {
        gathering = false;
        loop.kick();
      });
    },
    async stop() {
      await loop.stop();
      await store.resign(ROLE, instanceId).catch((error: unknown) => {
        log.debug({ err: error }, 'could not give up the role of telling people');
      });
    },
  };
}
