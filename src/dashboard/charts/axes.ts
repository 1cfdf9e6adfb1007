// Axes as all time charts have them: hairlines, small text, times of the reader's day.

import type uPlot from 'uplot';
import { at } from '../words/time.ts';
import { colour } from './colours.ts';
import { fontOf } from './plot.tsx';
import { niceStep, timeTicks } from './ticks.ts';

const PX_PER_TIME = 84;
const PX_PER_COUNT = 46;
/** Half of the longest time: one that stands at the right edge is not cut off. */
export const EDGE_PX = 22;

export function timeLabel(ms: number): string {
  const date = new Date(ms);
  return at(date.getHours() === 0 && date.getMinutes() === 0 ? 'shortDay' : 'minute', ms);
}

export function axes(place: HTMLElement): uPlot.Axis[] {
  const text = colour('--ink-3', place);
  const line = colour('--line', place);
  const font = fontOf(place);
  return [
    {
      stroke: text,
      font,
      size: 26,
      gap: 6,
      grid: { show: false },
      ticks: { show: false },
      splits: (plot, _axis, from, to) =>
        timeTicks(from * 1000, to * 1000, Math.max(2, Math.floor(plot.width / PX_PER_TIME))).map(
          (ms) => ms / 1000,
        ),
      values: (_plot, splits) => splits.map((seconds) => timeLabel(seconds * 1000)),
    },
    {
      stroke: text,
      font,
      size: 38,
      gap: 6,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
      splits: (plot, _axis, _from, to) => {
        const step = niceStep(to, Math.max(2, Math.floor(plot.height / PX_PER_COUNT)));
        return Array.from({ length: Math.floor(to / step) + 1 }, (_, index) => index * step);
      },
    },
  ];
}

/** Counts begin at 0 and leave some air. */
export const countScale: uPlot.Scale = {
  range: (_plot, _from, to) => [0, Math.max(4, Math.ceil(to * 1.06))],
};
