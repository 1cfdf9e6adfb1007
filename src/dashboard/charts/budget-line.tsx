// What is left of the forge's limits over time: it falls with every call and is whole again at each reset.

import type { Flow } from '../data/contract.ts';
import { number } from '../words/time.ts';
import { words } from '../words/words.ts';
import { axes, EDGE_PX } from './axes.ts';
import { colour } from './colours.ts';
import { Plot } from './plot.tsx';

const HEIGHT = 120;

export function BudgetLine({ samples }: { samples: Flow['budget'] }) {
  const { flow: text } = words.value;
  const left = samples.map(({ remaining }) => remaining);
  const limit = Math.max(...samples.map((sample) => sample.limit));
  return (
    <Plot
      data={[samples.map(({ at }) => Date.parse(at) / 1000), left]}
      height={HEIGHT}
      label={text.budgetLine(number(Math.min(...left)), number(limit))}
      shape={`${limit} ${words.value.lang}`}
      options={(place) => ({
        padding: [8, EDGE_PX, 0, 8],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { range: () => [0, limit] } },
        axes: axes(place),
        series: [
          {},
          {
            stroke: colour('--ink-2', place),
            fill: colour('--sunken', place),
            width: 1.5,
            points: { show: false },
          },
        ],
      })}
    />
  );
}
