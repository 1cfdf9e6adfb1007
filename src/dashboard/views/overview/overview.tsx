// What needs a person now, then the fleet at a glance.

import { now } from '../../data/clock.ts';
import { latest } from '../../data/state.ts';
import { EventLine, eventGlyph } from '../../parts/event-line.tsx';
import { Glyph } from '../../parts/marks.tsx';
import { At } from '../../parts/when.tsx';
import { at } from '../../words/time.ts';
import { words } from '../../words/words.ts';
import { Fleet } from './fleet.tsx';
import { Needs } from './needs.tsx';
import { Now } from './now.tsx';

const MOST_LATEST = 12;

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
