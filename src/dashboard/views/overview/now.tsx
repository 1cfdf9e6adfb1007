// Who works on what at this moment, and who waits for work.

import { now } from '../../data/clock.ts';
import type { Card } from '../../data/contract.ts';
import { fleet } from '../../data/derived.ts';
import { isBusy, type Member } from '../../data/fleet.ts';
import { taskPath } from '../../data/route.ts';
import { Glyph, Meter } from '../../parts/marks.tsx';
import { Age, Left } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';

const MOST_NOW = 30;

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

export function Now() {
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
