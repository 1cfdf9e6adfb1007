// What needs a person now, then the fleet at a glance.

import {
  askBudget,
  askClose,
  askEdit,
  askRequeue,
  askUnlabel,
  canAct,
  retryLedger,
  showCommand,
} from '../data/actions.tsx';
import { now } from '../data/clock.ts';
import { reference } from '../data/columns.ts';
import type { Card } from '../data/contract.ts';
import { fleet, needs } from '../data/derived.ts';
import { isBusy, type Member } from '../data/fleet.ts';
import { HOT, type Need } from '../data/needs.ts';
import { taskPath } from '../data/route.ts';
import { latest, offers } from '../data/state.ts';
import { EventLine, eventGlyph } from '../parts/event-line.tsx';
import { Glyph, type GlyphName, Meter } from '../parts/marks.tsx';
import { Reply } from '../parts/reply.tsx';
import { Age, At, Left } from '../parts/when.tsx';
import { at, dollars, duration } from '../words/time.ts';
import { isWord, reasonText, words } from '../words/words.ts';
import { Fleet } from './fleet.tsx';

const MOST_OF_A_KIND = 8;
const MOST_NOW = 30;
const MOST_LATEST = 12;

const GLYPHS: Readonly<Record<Need['kind'], GlyphName>> = {
  question: 'ask',
  dead: 'dead',
  stuck: 'retry',
  budget: 'budget',
  stopped: 'agent',
  ledger: 'pen',
  human: 'held',
  held: 'held',
  approved: 'pr',
};

/** Only addresses of the web: a file on the server cannot be opened from here. */
export function webAddress(url: string): string | null {
  return /^https?:\/\//.test(url) ? url : null;
}

/** GitHub's address of a pull request, from that of its issue. */
export function pullAddress(card: { issue_url: string; pr_number: number | null }): string | null {
  const base = webAddress(card.issue_url);
  if (base === null || card.pr_number === null) return null;
  return base.replace(/\/(issues|pull)\/\d+$/, `/pull/${card.pr_number}`);
}

function Out({ href, label }: { href: string; label: string }) {
  return (
    <a class="btn" href={href} target="_blank" rel="noreferrer noopener">
      {label}
    </a>
  );
}

function Inside({ card, label }: { card: Card; label: string }) {
  return (
    <a class="btn" href={taskPath(card.task_id)}>
      {label}
    </a>
  );
}

function OpenIssue({ card, label }: { card: Card; label: string }) {
  const href = webAddress(card.issue_url);
  if (href !== null) return <Out href={href} label={label} />;
  return <Inside card={card} label={words.value.needs.open} />;
}

function Button({ label, run }: { label: string; run: () => void }) {
  return (
    <button type="button" class="btn" onClick={run}>
      {label}
    </button>
  );
}

/** The backlog is Banto's own, and this person may change it. */
function editsHere(card: Card): boolean {
  return webAddress(card.issue_url) === null && canAct() && offers('issues');
}

function ActionOf({ need }: { need: Need }) {
  const text = words.value.needs;
  switch (need.kind) {
    case 'dead':
    case 'stuck':
      return canAct() ? (
        <Button label={text.requeue} run={() => askRequeue(need.card)} />
      ) : (
        <Inside card={need.card} label={text.open} />
      );
    case 'budget':
      return canAct() && offers('budget') ? (
        <Button label={text.raise} run={() => askBudget(need.card)} />
      ) : (
        <Inside card={need.card} label={text.open} />
      );
    case 'stopped':
      return <Button label={text.command} run={() => showCommand(need.agent)} />;
    case 'ledger':
      return canAct() && offers('retry_ledger') ? (
        <Button label={text.tryNow} run={retryLedger} />
      ) : null;
    case 'human':
      return editsHere(need.card) ? (
        <Button label={text.unlabel} run={() => askUnlabel(need.card)} />
      ) : (
        <OpenIssue card={need.card} label={text.edit} />
      );
    case 'held':
      if (canAct() && need.card.reason?.startsWith('refused') === true) {
        return <Button label={text.requeue} run={() => askRequeue(need.card)} />;
      }
      return editsHere(need.card) ? (
        <Button label={text.editHere} run={() => void askEdit(need.card)} />
      ) : (
        <OpenIssue card={need.card} label={text.edit} />
      );
    case 'approved': {
      if (editsHere(need.card)) {
        return <Button label={text.close} run={() => askClose(need.card)} />;
      }
      const pull = pullAddress(need.card);
      return pull === null ? (
        <OpenIssue card={need.card} label={text.openIssue} />
      ) : (
        <Out href={pull} label={text.openPull(need.card.pr_number ?? 0)} />
      );
    }
    case 'question':
      return null;
  }
}

function titleOf(need: Need): string {
  const text = words.value.needs;
  switch (need.kind) {
    case 'question':
      return text.asks(need.card.lease?.agent_id ?? '');
    case 'dead':
      return text.dead(need.card.attempts);
    case 'stuck':
      return text.stuck;
    case 'budget':
      return text.budget;
    case 'stopped':
      return text.stopped;
    case 'ledger':
      return text.ledger;
    case 'human':
      return text.human;
    case 'held':
      return text.held(reasonText(need.card.reason));
    case 'approved':
      return text.approved;
  }
}

function whyOf(need: Need): string {
  const { needs: text, reasonMore } = words.value;
  switch (need.kind) {
    case 'dead':
      return isWord(need.card.reason)
        ? reasonText(need.card.reason)
        : text.lastError(need.card.reason ?? '');
    case 'stuck':
      return text.stuckWhy;
    case 'budget':
      return text.budgetWhy(need.card.cost_usd === null ? null : dollars(need.card.cost_usd));
    case 'stopped': {
      const silent = duration(now.value - Date.parse(need.agent.last_seen_at));
      return need.agent.holds.length > 0 ? text.silentWhy(silent) : text.stoppedWhy(silent);
    }
    case 'ledger':
      return text.ledgerWhy(need.failing, need.error);
    case 'human':
      return text.humanWhy;
    case 'held':
      return reasonMore[need.card.reason?.split(':')[0] ?? ''] ?? reasonText(need.card.reason);
    case 'approved':
      return text.approvedWhy(need.card.done_by ?? '', need.card.pr_number);
    case 'question':
      return '';
  }
}

function SubjectOf({ need }: { need: Need }) {
  if (need.kind === 'stopped') return <span class="ref">{need.agent.agent_id}</span>;
  if (need.kind === 'ledger') return null;
  const { card } = need;
  return (
    <a class="ref plain" href={taskPath(card.task_id)} title={card.title}>
      {reference(card)} {card.title}
    </a>
  );
}

function QuestionRow({ card, since }: { card: Card; since: string }) {
  const text = words.value.needs;
  const agent = card.lease?.agent_id ?? '';
  return (
    <li class="need hot q">
      <Glyph name="ask" />
      <p class="what clip">
        {text.asks(agent)} <SubjectOf need={{ kind: 'question', card, since }} />
      </p>
      <span class="age">
        <Age since={since} />
      </span>
      <p class="ask">{card.question?.question}</p>
      <Reply taskId={card.task_id} questionId={card.question?.question_id ?? ''} agent={agent} />
    </li>
  );
}

function NeedRow({ need }: { need: Need }) {
  if (need.kind === 'question') return <QuestionRow card={need.card} since={need.since} />;
  return (
    <li class={HOT.has(need.kind) ? 'need hot' : 'need cool'}>
      <Glyph name={GLYPHS[need.kind]} />
      <p class="what clip">
        {titleOf(need)} <SubjectOf need={need} />
      </p>
      <p class="why" title={whyOf(need)}>
        {whyOf(need)}
      </p>
      <span class="age">
        <Age since={need.since} />
      </span>
      <ActionOf need={need} />
    </li>
  );
}

function keyOf(need: Need): string {
  if (need.kind === 'stopped') return need.agent.agent_id;
  return need.kind === 'ledger' ? 'ledger' : need.card.task_id;
}

type More = { readonly kind: 'held' | 'approved'; readonly count: number };

/** A backlog without deliverables must not hide what is urgent. */
function shownNeeds(all: readonly Need[]): { shown: Need[]; more: More[] } {
  const more: More[] = [];
  let shown = [...all];
  for (const kind of ['held', 'approved'] as const) {
    const hidden = new Set(all.filter((need) => need.kind === kind).slice(MOST_OF_A_KIND));
    if (hidden.size === 0) continue;
    shown = shown.filter((need) => !hidden.has(need));
    more.push({ kind, count: hidden.size });
  }
  return { shown, more };
}

function MoreRow({ kind, count }: More) {
  const text = words.value.needs;
  const name = kind === 'held' ? words.value.columns.held : text.approved;
  return (
    <li class="need cool">
      <Glyph name={GLYPHS[kind]} />
      <p class="what">
        {name} <span class="ref">{text.more(count)}</span>
      </p>
      <a class="btn" href={`/board?column=${kind === 'held' ? 'held' : 'done'}`}>
        {text.onBoard}
      </a>
    </li>
  );
}

function Needs() {
  const text = words.value.needs;
  const all = needs.value;
  const { shown, more } = shownNeeds(all);
  return (
    <section class="panel needs">
      <div class="panel-head">
        <h2>{text.title}</h2>
        {all.length === 0 ? null : <span class="badge">{all.length}</span>}
        {all.length === 0 ? null : <span class="end">{text.order}</span>}
      </div>
      {all.length === 0 ? (
        <div class="empty calm">
          <Glyph name="done" />
          <p>
            <b>{text.calm}</b> {text.calmMore}
          </p>
        </div>
      ) : (
        <ul>
          {shown.map((need) => (
            <NeedRow key={keyOf(need)} need={need} />
          ))}
          {more.map((each) => (
            <MoreRow key={each.kind} {...each} />
          ))}
        </ul>
      )}
    </section>
  );
}

function NowRow({ member, card }: { member: Member; card: Card | null }) {
  const text = words.value.now;
  const { agent, doing } = member;
  if (card === null) {
    return (
      <li class="work">
        <span class="dim">
          <Glyph name="delayed" />
        </span>
        <span class="strong">{agent.agent_id}</span>
        <span class="clip dim">{text.waits}</span>
        <span class="note clip dim">{text.labels(agent.capabilities.join(', '))}</span>
        <span class="m" />
        <span class="num">
          <Age since={agent.last_seen_at} />
        </span>
      </li>
    );
  }
  const asking = doing === 'asking';
  const { lease } = card;
  const leftMs = Date.parse(lease?.expires_at ?? '') - now.value;
  const share = asking ? 1 : leftMs / ((lease?.seconds ?? 1) * 1000);
  const tone = asking ? 'shu' : card.kind === 'review' ? 'st-review' : 'st-leased';
  return (
    <li class="work">
      <span class={tone}>
        <Glyph name={asking ? 'ask' : card.kind === 'review' ? 'review' : 'leased'} />
      </span>
      <span class="strong">{agent.agent_id}</span>
      <a class="clip plain" href={taskPath(card.task_id)} title={card.title}>
        #{card.issue_id} {card.title}
      </a>
      <span class="note clip dim" title={lease?.note ?? undefined}>
        {asking ? text.asks : (lease?.note ?? '')}
      </span>
      <span class="m">
        <Meter share={share} tone={asking ? 'warn' : 'le'} label={text.left} />
      </span>
      <span class="num">
        {asking || lease === null ? text.paused : <Left until={lease.expires_at} />}
      </span>
    </li>
  );
}

function Now() {
  const text = words.value.now;
  const rows = fleet.value.flatMap((member) => {
    if (isBusy(member.doing) || (member.doing === 'stopped' && member.held.length > 0)) {
      return member.held.map((card) => ({ member, card: card as Card | null }));
    }
    return member.doing === 'waiting' ? [{ member, card: null }] : [];
  });
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.title}</h2>
        <span class="end">{rows.length === 0 ? '' : text.left}</span>
      </div>
      {rows.length === 0 ? (
        <p class="panel-body dim">{text.nobody}</p>
      ) : (
        <ul class="rows">
          {rows.slice(0, MOST_NOW).map(({ member, card }) => (
            <NowRow
              key={`${member.agent.agent_id} ${card?.task_id ?? ''}`}
              member={member}
              card={card}
            />
          ))}
          {rows.length > MOST_NOW ? (
            <li>
              <a href="/timeline">{text.more(rows.length - MOST_NOW)}</a>
            </li>
          ) : null}
        </ul>
      )}
    </section>
  );
}

function Latest() {
  const { latest: text, views } = words.value;
  const events = latest.value.slice(0, MOST_LATEST);
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.title}</h2>
        <span class="end">
          <a href="/timeline">{views.timeline}</a>
        </span>
      </div>
      {events.length === 0 ? (
        <p class="panel-body dim">{text.none}</p>
      ) : (
        <ul class="rows">
          {events.map((event) => {
            const { glyph, tone } = eventGlyph(event);
            return (
              <li key={event.seq} class="fact">
                <span class="dim">
                  <At instant={event.at} format="minute" />
                </span>
                <span class={tone}>
                  <Glyph name={glyph} />
                </span>
                <span>
                  <EventLine event={event} />
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

export function Overview() {
  const minute = Math.floor(now.value / 60_000) * 60_000;
  return (
    <div class="view">
      <div class="view-head">
        <h1>{words.value.views.overview}</h1>
        <span class="dim">
          {words.value.time.today(at('minute', minute), at('weekday', minute))}
        </span>
      </div>
      <div class="over">
        <div class="stack">
          <Needs />
          <Now />
        </div>
        <div class="stack">
          <Fleet />
          <Latest />
        </div>
      </div>
    </div>
  );
}
