// Which time the timeline shows: its zoom and its end are in the address bar, so that a link shows the same.

import { useState } from 'preact/hooks';
import { now } from '../../data/clock.ts';
import { route, setQuery } from '../../data/route.ts';

export const ZOOMS = ['15m', '2h', '8h', '1d', '1w'] as const;
type Zoom = (typeof ZOOMS)[number];
const MINUTE = 60_000;
export const SPANS: Readonly<Record<Zoom, number>> = {
  '15m': 15 * MINUTE,
  '2h': 120 * MINUTE,
  '8h': 480 * MINUTE,
  '1d': 1440 * MINUTE,
  '1w': 10_080 * MINUTE,
};
export const WEEK_MS = SPANS['1w'];
export function readZoom(): Zoom {
  const zoom = route.value.query.get('zoom') as Zoom | null;
  return zoom !== null && ZOOMS.includes(zoom) ? zoom : '2h';
}

/** Null: the range follows now. */
export function readEnd(): number | null {
  const end = Number(route.value.query.get('end'));
  return end > 0 ? end * 1000 : null;
}

export function zoomBy(by: 1 | -1): void {
  const index = Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(readZoom()) + by));
  setQuery({ zoom: ZOOMS[index] ?? '2h' });
}

export function pan(share: number): void {
  const span = SPANS[readZoom()];
  const end = (readEnd() ?? now.value) + span * share;
  setQuery({ end: end >= now.value ? null : String(Math.round(end / 1000)) });
}

export function useDrag(px: number) {
  const [from, setFrom] = useState<{ x: number; end: number } | null>(null);
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || event.pointerType === 'touch') return;
      setFrom({ x: event.clientX, end: readEnd() ?? now.value });
    },
    onPointerMove(event: PointerEvent) {
      if (from === null || event.buttons !== 1) return;
      const moved = from.x - event.clientX;
      if (Math.abs(moved) < 4) return;
      const end = from.end + (moved / Math.max(1, px)) * SPANS[readZoom()];
      setQuery({ end: end >= now.value ? null : String(Math.round(end / 1000)) });
    },
    onPointerUp: () => setFrom(null),
  };
}
