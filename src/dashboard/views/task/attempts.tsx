// What was tried, newest first, with what each attempt left behind.

import { now } from '../../data/clock.ts';
import type { Attempt, Detail } from '../../data/contract.ts';
import { config } from '../../data/state.ts';
import { Glyph, type GlyphName } from '../../parts/marks.tsx';
import { clockOrDay, dollars, duration } from '../../words/time.ts';
import { reasonText, words } from '../../words/words.ts';

const LOOKS: Readonly<Record<string, { glyph: GlyphName; tone: string }>> = {
  completed: { glyph: 'done', tone: 'st-done' },
  failed: { glyph: 'held', tone: 'st-held' },
  expired: { glyph: 'delayed', tone: 'st-delayed' },
  cancelled: { glyph: 'cancelled', tone: 'dim' },
  refused: { glyph: 'held', tone: 'st-held' },
};

function One({ attempt, index }: { attempt: Attempt; index: number }) {
  const { task: text } = words.value;
  const { outcome } = attempt;
  const look =
    outcome === null
      ? { glyph: 'leased' as const, tone: 'st-leased' }
      : (LOOKS[outcome] ?? { glyph: 'retry' as const, tone: 'dim' });
  const started = Date.parse(attempt.started_at);
  const ended = attempt.ended_at === null ? now.value : Date.parse(attempt.ended_at);
  const from = clockOrDay(started, now.value);
  const time = duration(ended - started);
  return (
    <li class="attempt">
      <span class="no">{index + 1}</span>
      <div class="line">
        <span class={`st ${look.tone}`}>
          <Glyph name={look.glyph} />
          {outcome === null ? text.running : (text.outcomes[outcome] ?? outcome)}
        </span>
        <span>{attempt.agent_id}</span>
        <span class="dim">{outcome === null ? text.since(from, time) : text.took(from, time)}</span>
        {typeof attempt.usage?.cost_usd === 'number' ? (
          <span class="dim">{dollars(attempt.usage.cost_usd)}</span>
        ) : null}
      </div>
      {attempt.note === null || attempt.note === '' ? null : (
        <p class="pre">{reasonText(attempt.note)}</p>
      )}
      {attempt.progress.length === 0 ? null : (
        <p class="dim">
          {text.notes} {attempt.progress.map((note) => `“${note}”`).join(', ')}
        </p>
      )}
      {index > 0 && outcome === null ? <p>{text.handoff}</p> : null}
    </li>
  );
}

export function Attempts({ detail }: { detail: Detail }) {
  const { task: text } = words.value;
  const attempts = detail.earlier_attempts;
  const most = config.value?.max_attempts ?? 3;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.attempts}</h2>
        <span class="end">
          {attempts.length === 0 ? '' : words.value.board.used(detail.attempts, most)}
        </span>
      </div>
      {attempts.length === 0 ? (
        <p class="panel-body dim">{text.noAttempts}</p>
      ) : (
        <ol>
          {attempts
            .map((attempt, index) => <One key={attempt.fence} attempt={attempt} index={index} />)
            .reverse()}
        </ol>
      )}
    </section>
  );
}
