// Tasks by state over time, stacked, each band labelled where it ends.

import type uPlot from 'uplot';
import type { Flow } from '../data/contract.ts';
import { number } from '../words/time.ts';
import { words } from '../words/words.ts';
import { axes, countScale } from './axes.ts';
import { colour } from './colours.ts';
import { labelPlaces } from './label-places.ts';
import { fontOf, Plot } from './plot.tsx';

const BANDS = ['done', 'review', 'leased', 'ready', 'held', 'dead'] as const;
type Band = (typeof BANDS)[number];
const LABEL_PX = 13;
const RIGHT_PX = 132;
const HEIGHT = 250;

export function bandName(band: Band): string {
  const { columns, flow } = words.value;
  return band === 'held' ? flow.heldDelayed : columns[band];
}

/** Done counts from the beginning of the range; the rest is as it was at each moment. */
export function bandCounts(flow: Flow): Readonly<Record<Band, number[]>> {
  const first = flow.points[0]?.tasks.done ?? 0;
  return Object.fromEntries(
    BANDS.map((band) => [
      band,
      flow.points.map(({ tasks }) =>
        Math.max(0, band === 'done' ? tasks.done - first : tasks[band]),
      ),
    ]),
  ) as Record<Band, number[]>;
}

function stacked(flow: Flow, bands: readonly Band[]): uPlot.AlignedData {
  const counts = bandCounts(flow);
  const step = flow.step_seconds;
  const now = Date.now() / 1000;
  // A point shows the end of its step; the last step has not ended yet.
  const times = flow.points.map(({ at }) => Math.min(Date.parse(at) / 1000 + step, now));
  let below = times.map(() => 0);
  const sums = bands.map((band) => {
    below = below.map((sum, index) => sum + (counts[band][index] ?? 0));
    return below;
  });
  return [times, ...sums];
}

function drawLabels(
  bands: readonly Band[],
  last: Readonly<Record<Band, number>>,
  place: HTMLElement,
) {
  const ink = colour('--ink', place);
  return (plot: uPlot) => {
    const pen = plot.ctx;
    const ratio = devicePixelRatio;
    const x = plot.bbox.left + plot.bbox.width + 7 * ratio;
    pen.save();
    pen.font = fontOf(place, ratio);
    pen.fillStyle = ink;
    pen.textBaseline = 'middle';
    pen.textAlign = 'left';
    let below = 0;
    const shown = bands.flatMap((band) => {
      const count = last[band];
      const middle = plot.valToPos(below + count / 2, 'y', true);
      below += count;
      return count === 0 ? [] : [{ text: `${bandName(band)} ${number(count)}`, middle }];
    });
    const places = labelPlaces(
      shown.map(({ middle }) => middle),
      { gap: LABEL_PX * ratio, top: 0, bottom: plot.bbox.top + plot.bbox.height },
    );
    for (const [index, { text }] of shown.entries()) pen.fillText(text, x, places[index] ?? 0);
    pen.restore();
  };
}

export function Cumulative({ flow }: { flow: Flow }) {
  const counts = bandCounts(flow);
  const bands = BANDS.filter((band) => band !== 'dead' || counts.dead.some((count) => count > 0));
  const last = Object.fromEntries(bands.map((band) => [band, counts[band].at(-1) ?? 0])) as Record<
    Band,
    number
  >;
  const summary = bands.map((band) => `${bandName(band)} ${last[band]}`).join(', ');
  return (
    <Plot
      data={stacked(flow, bands)}
      height={HEIGHT}
      label={`${words.value.flow.cumulative}: ${summary}`}
      shape={`${bands.join()} ${JSON.stringify(last)} ${words.value.lang} ${flow.step_seconds}`}
      options={(place) => ({
        padding: [8, RIGHT_PX, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: countScale },
        axes: axes(place),
        series: [
          {},
          ...bands.map((band, index) => ({
            stroke: colour(`--st-${band}`, place),
            width: 1,
            points: { show: false },
            ...(index === 0 ? { fill: colour(`--st-${band}-wash`, place) } : {}),
          })),
        ],
        bands: bands.slice(1).map((band, index) => ({
          series: [index + 2, index + 1] as [number, number],
          fill: colour(`--st-${band}-wash`, place),
        })),
        hooks: { draw: [drawLabels(bands, last, place)] },
      })}
    />
  );
}
