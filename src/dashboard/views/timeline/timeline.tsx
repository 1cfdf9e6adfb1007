// Agents as rows, leases as bars: one look shows who is idle, what is tried again, which reviews wait.

import { useEffect } from 'preact/hooks';
import { now } from '../../data/clock.ts';
import { loadLeases } from '../../data/leases.ts';
import { setQuery } from '../../data/route.ts';
import { useWidth } from '../../parts/measure.ts';
import { onKey } from '../../shell/keyboard.ts';
import { words } from '../../words/words.ts';
import { Drawing, Key } from './drawing.tsx';
import { pan, readEnd, readZoom, SPANS, useDrag, WEEK_MS, ZOOMS, zoomBy } from './range.ts';
import { useRows } from './rows.ts';

/** Room to the right of now, as a share of the range. */
const AHEAD = 0.08;

const KEYS: Readonly<Record<string, () => void>> = {
  '+': () => zoomBy(-1),
  '=': () => zoomBy(-1),
  '-': () => zoomBy(1),
  ArrowLeft: () => pan(-0.5),
  h: () => pan(-0.5),
  ArrowRight: () => pan(0.5),
  l: () => pan(0.5),
};

export function Timeline() {
  const { timeline, views } = words.value;
  const [panel, px] = useWidth<HTMLDivElement>();
  const zoom = readZoom();
  const span = SPANS[zoom];
  const chosen = readEnd();
  const to = (chosen ?? now.value) + (chosen === null ? span * AHEAD : 0);
  const from = to - span;
  // The range moves each second; what is in it is looked up less often.
  const grain = Math.max(5000, span / 200);
  const rows = useRows({
    from: Math.floor(from / grain) * grain,
    to: Math.ceil(to / grain) * grain,
  });
  const drag = useDrag(px);
  const since = Math.max(from - span, now.peek() - WEEK_MS);

  useEffect(() => {
    loadLeases(since).catch(() => undefined);
  }, [Math.floor(since / (span / 2))]);
  useEffect(
    () =>
      onKey((key) => {
        KEYS[key]?.();
        return key in KEYS;
      }),
    [],
  );

  return (
    <div class="view">
      <div class="view-head">
        <h1>{views.timeline}</h1>
        <Key />
        <div class="end">
          <button
            type="button"
            class="btn"
            onClick={() => pan(-0.5)}
            aria-label={timeline.earlier}
            title={timeline.earlier}
          >
            ‹
          </button>
          <button
            type="button"
            class="btn"
            disabled={chosen === null}
            onClick={() => pan(0.5)}
            aria-label={timeline.later}
            title={timeline.later}
          >
            ›
          </button>
          <span class="seg" role="group" aria-label={timeline.zoom}>
            {ZOOMS.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === zoom}
                onClick={() => setQuery({ zoom: each })}
              >
                {timeline.zooms[each]}
              </button>
            ))}
          </span>
          <button
            type="button"
            class="btn"
            disabled={chosen === null}
            onClick={() => setQuery({ end: null })}
          >
            {timeline.now}
          </button>
        </div>
      </div>
      <div class="panel tl">
        <ul class="tl-names">
          {rows.map(({ name, sub, hot }) => (
            <li key={name}>
              <span class="strong clip" title={name}>
                {name}
              </span>
              <small class={hot ? 'shu' : ''}>{sub}</small>
            </li>
          ))}
        </ul>
        <div class="tl-scroll" ref={panel} {...drag}>
          {px === 0 ? null : <Drawing rows={rows} range={{ from, to, px }} />}
        </div>
      </div>
      {rows.length === 0 ? <p class="dim after">{timeline.none}</p> : null}
    </div>
  );
}
