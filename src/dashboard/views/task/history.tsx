// Everything that happened to the task, newest first.

import { useState } from 'preact/hooks';
import type { Event } from '../../data/contract.ts';
import { eventGlyph, eventText, Sentence } from '../../parts/event-line.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { At } from '../../parts/when.tsx';
import { words } from '../../words/words.ts';

const FIRST = 20;

/** A renewal says something when it brings a note, and another one than before. */
function toldOf(events: readonly Event[]): Event[] {
  let note: unknown = null;
  return events.filter((event) => {
    if (event.type !== 'renewed') {
      note = null;
      return true;
    }
    const isNew = typeof event['progress'] === 'string' && event['progress'] !== note;
    if (isNew) note = event['progress'];
    return isNew;
  });
}

export function History({ events }: { events: readonly Event[] }) {
  const { task: text, events: names } = words.value;
  const [all, setAll] = useState(false);
  const told = toldOf(events).toReversed();
  const shown = all ? told : told.slice(0, FIRST);
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{text.history}</h2>
        <span class="end">{text.facts(told.length)}</span>
      </div>
      <ol class="hist">
        {shown.map((event) => {
          const { glyph, tone } = eventGlyph(event);
          return (
            <li key={event.seq}>
              <span class="dim">
                <At instant={event.at} />
              </span>
              <span class={tone}>
                <Glyph name={glyph} />
              </span>
              <span class="wrap">
                <Sentence>{eventText(event, names.it)}</Sentence>
              </span>
            </li>
          );
        })}
      </ol>
      {shown.length < told.length ? (
        <button type="button" class="btn quiet" onClick={() => setAll(true)}>
          {text.older(told.length - shown.length)}
        </button>
      ) : null}
    </section>
  );
}
