// One task on the board.

import { now } from '../../data/clock.ts';
import { columnOf, reference } from '../../data/columns.ts';
import type { Card } from '../../data/contract.ts';
import { taskPath } from '../../data/route.ts';
import { changed, config } from '../../data/state.ts';
import { Glyph, Label, Meter, Priority } from '../../parts/marks.tsx';
import { Age, Left } from '../../parts/when.tsx';
import { at } from '../../words/time.ts';
import { reasonText, words } from '../../words/words.ts';

const MOST_LABELS = 4;
/** Banto's own labels say what the column says. */
const LEDGER = new Set(['in-progress', 'needs-review', 'approved', 'needs-human']);

/** Labels that the card does not show in another way already. */
function ownLabels(card: Card): string[] {
  const { high = [], normal = [], low = [] } = config.value?.priority_labels ?? {};
  const priorities = new Set([...high, ...normal, ...low].map((name) => name.toLowerCase()));
  return card.labels.filter(
    (label) =>
      !LEDGER.has(label) && label !== card.lease?.agent_id && !priorities.has(label.toLowerCase()),
  );
}

function LeaseMeter({ card }: { card: Card }) {
  const { lease } = card;
  if (lease === null) return null;
  const leftMs = Date.parse(lease.expires_at) - now.value;
  return (
    <Meter
      share={card.question ? 1 : leftMs / (lease.seconds * 1000)}
      tone={card.question ? 'warn' : 'le'}
      label={words.value.now.left}
    />
  );
}

function Corner({ card }: { card: Card }) {
  const { time, now: text } = words.value;
  if (card.lease !== null) {
    return card.question ? <>{text.paused}</> : <Left until={card.lease.expires_at} />;
  }
  if (card.state === 'delayed' && card.ready_at !== null) {
    return <Left until={card.ready_at} wrap={time.in} />;
  }
  if (card.state === 'done' || card.state === 'dead' || card.state === 'cancelled') {
    return <Age since={card.since} />;
  }
  return null;
}

function noteOf(card: Card): { text: string; tone: string } | null {
  const { board } = words.value;
  const column = columnOf(card);
  if (card.question) return { text: board.waits, tone: 'shu' };
  if (column === 'held' || column === 'dead') {
    return { text: reasonText(card.reason), tone: `st-${column}` };
  }
  if (column === 'delayed') {
    const when = card.ready_at === null ? '' : at('clock', Date.parse(card.ready_at));
    const word = card.reason?.split(':')[0];
    if (word === 'retry') return { text: board.retryAt(when), tone: 'st-delayed' };
    if (card.kind === 'review') return { text: board.reviewFrom(when), tone: 'st-delayed' };
    return { text: board.offeredAt(when), tone: 'st-delayed' };
  }
  if (card.state === 'ready' && card.only_agent !== null) {
    return { text: board.forFirst(card.only_agent), tone: '' };
  }
  if (card.state === 'done' && card.verdict === 'approve' && card.issue_state === 'open') {
    return { text: board.notClosed, tone: 'shu' };
  }
  if (card.state === 'done' && card.verdict === 'request_changes') {
    return { text: board.changes, tone: '' };
  }
  if (column === 'cancelled') return { text: reasonText(card.reason), tone: 'dim' };
  return null;
}

function Foot({ card }: { card: Card }) {
  const { board } = words.value;
  const most = config.value?.max_attempts ?? 3;
  const round = card.kind === 'implement' ? null : board.round(((card.round - 1) % 100) + 1);
  const agent = card.lease?.agent_id ?? (card.state === 'done' ? card.done_by : null);
  if (agent !== null) {
    return (
      <div class="foot">
        <Glyph name={card.state === 'done' && card.verdict === 'approve' ? 'pr' : 'agent'} />
        <span class="who">{agent}</span>
        <span class="end">
          {card.attempts > 0 && card.lease !== null
            ? board.attempt(card.attempts + 1, most)
            : round}
        </span>
      </div>
    );
  }
  if (card.state === 'delayed' && card.attempts > 0) {
    return (
      <div class="foot">
        <Glyph name="retry" />
        <span>{board.used(card.attempts, most)}</span>
      </div>
    );
  }
  return (
    <div class="foot">
      <span>
        {card.state === 'ready' ? (
          <Wrapped card={card} wrap={board.ready} />
        ) : card.state === 'held' ? (
          <Wrapped card={card} wrap={board.held} />
        ) : null}
      </span>
      <span class="end">{card.attempts > 0 ? board.used(card.attempts, most) : round}</span>
    </div>
  );
}

function Wrapped({ card, wrap }: { card: Card; wrap: (time: string) => string }) {
  // The words around the time differ by language, so that the time stands where they want it.
  const [before = '', after = ''] = wrap('\0').split('\0');
  return (
    <>
      {before}
      <Age since={card.since} />
      {after}
    </>
  );
}

export function TaskCard({ card, selected }: { card: Card; selected: boolean }) {
  const { kinds } = words.value;
  const note = noteOf(card);
  const labels = ownLabels(card);
  const classes = ['card'];
  if (selected) classes.push('sel');
  if (changed.value.has(card.task_id)) classes.push('changed');
  return (
    <li
      class={classes.join(' ')}
      data-key={card.task_id}
      aria-current={selected ? 'true' : undefined}
    >
      <div class="top">
        <Priority priority={card.priority} />
        <span class="clip">{reference(card)}</span>
        {card.kind === 'implement' ? null : <span>{kinds[card.kind]}</span>}
        <span class="end">
          <Corner card={card} />
        </span>
      </div>
      <a class="title" href={taskPath(card.task_id)} title={card.title}>
        {card.title}
      </a>
      {note === null ? null : (
        <p class={`note ${note.tone}`} title={note.text}>
          {note.text}
        </p>
      )}
      {labels.length === 0 ? null : (
        <div class="labels">
          {labels.slice(0, MOST_LABELS).map((label) => (
            <Label key={label} name={label} />
          ))}
          {labels.length > MOST_LABELS ? <Label name={`+${labels.length - MOST_LABELS}`} /> : null}
        </div>
      )}
      <LeaseMeter card={card} />
      <Foot card={card} />
    </li>
  );
}
