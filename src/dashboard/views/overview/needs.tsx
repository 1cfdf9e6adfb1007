// What needs a person now: a sentence with the cause, and what solves it.

import { now } from '../../data/clock.ts';
import { reference } from '../../data/columns.ts';
import type { Card } from '../../data/contract.ts';
import { needs } from '../../data/derived.ts';
import { HOT, type Need } from '../../data/needs.ts';
import { taskPath } from '../../data/route.ts';
import { Glyph, type GlyphName } from '../../parts/marks.tsx';
import { Reply } from '../../parts/reply.tsx';
import { Age } from '../../parts/when.tsx';
import { dollars, duration } from '../../words/time.ts';
import { isWord, reasonText, words } from '../../words/words.ts';
import { ActionOf } from './need-action.tsx';

const MOST_OF_A_KIND = 8;

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

export function Needs() {
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
