// What became of leases, bar by bar, and how many were handed out.

import uPlot from 'uplot';
import type { Flow } from '../data/contract.ts';
import { words } from '../words/words.ts';
import { axes, countScale, EDGE_PX } from './axes.ts';
import { colour, hatch } from './colours.ts';
import { Plot } from './plot.tsx';

const HEIGHT = 250;

export interface LeaseBars {
  readonly times: readonly number[];
  readonly completed: readonly number[];
  readonly failed: readonly number[];
  readonly expired: readonly number[];
  readonly handedOut: readonly number[];
  readonly stepSeconds: number;
}

/** Points put together to bars that are wide enough to be seen. */
export function gather(flow: Flow, bars: number): LeaseBars {
  const each = Math.max(1, Math.ceil(flow.points.length / bars));
  const groups: Flow['points'][] = [];
  for (let from = 0; from < flow.points.length; from += each) {
    groups.push(flow.points.slice(from, from + each));
  }
  const sum = (name: 'completed' | 'failed' | 'expired' | 'handed_out') =>
    groups.map((group) => group.reduce((total, { counts }) => total + counts[name], 0));
  return {
    times: groups.map((group) => Date.parse(group[0]?.at ?? '') / 1000),
    completed: sum('completed'),
    failed: sum('failed'),
    expired: sum('expired'),
    handedOut: sum('handed_out'),
    stepSeconds: flow.step_seconds * each,
  };
}

export function LeaseBarsChart({ bars }: { bars: LeaseBars }) {
  const { flow: text } = words.value;
  const { completed, failed, expired, handedOut, stepSeconds } = bars;
  const middle = bars.times.map((seconds) => seconds + stepSeconds / 2);
  const withFailed = completed.map((count, index) => count + (failed[index] ?? 0));
  const all = withFailed.map((count, index) => count + (expired[index] ?? 0));
  const total = (list: readonly number[]) => list.reduce((sum, count) => sum + count, 0);
  const label = `${text.leases}: ${total(completed)} ${text.completed}, ${total(failed)} ${text.failed}, ${total(expired)} ${text.expired}, ${total(handedOut)} ${text.handedOut}`;
  return (
    <Plot
      data={[middle, all, withFailed, [...completed], [...handedOut]]}
      height={HEIGHT}
      label={label}
      shape={`${words.value.lang} ${stepSeconds}`}
      options={(place) => {
        const paths = uPlot.paths.bars?.({ size: [0.62, 40], align: 0 });
        const bar = (stroke: string, fill: string | CanvasPattern): uPlot.Series => ({
          stroke: colour(stroke, place),
          fill,
          width: 1,
          points: { show: false },
          ...(paths === undefined ? {} : { paths }),
        });
        const ink = colour('--ink-2', place);
        return {
          padding: [8, EDGE_PX, 0, 0],
          legend: { show: false },
          cursor: { show: false },
          scales: {
            x: {
              time: false,
              range: () => [bars.times[0] ?? 0, (bars.times.at(-1) ?? 0) + stepSeconds],
            },
            y: countScale,
          },
          axes: axes(place),
          series: [
            {},
            bar(
              '--out-expired',
              hatch(colour('--st-delayed-wash', place), colour('--out-expired', place), false),
            ),
            bar(
              '--out-failed',
              hatch(colour('--st-held-wash', place), colour('--out-failed', place), true),
            ),
            bar('--out-completed', colour('--out-completed', place)),
            {
              stroke: ink,
              width: 1.5,
              points: { show: true, size: 6, stroke: ink, fill: colour('--surface', place) },
            },
          ],
        };
      }}
    />
  );
}
