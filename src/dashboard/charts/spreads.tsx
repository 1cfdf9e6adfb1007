// How long things took: median, 90 % and 99 % on one scale of times.

import type { Flow } from '../data/contract.ts';
import { useWidth } from '../parts/measure.ts';
import { shortTime } from '../words/time.ts';
import { words } from '../words/words.ts';

const ROW_PX = 50;
const TOP_PX = 18;
const BOTTOM_PX = 30;
const NAME_PX = 118;
const RIGHT_PX = 64;
const MARKS_MS = [
  100, 1000, 10_000, 60_000, 600_000, 3_600_000, 14_400_000, 86_400_000, 604_800_000,
];

type Spread = Flow['times'][number];

function scaleOf(times: readonly Spread[], px: number) {
  const least = Math.max(50, Math.min(...times.map(({ p50_ms }) => p50_ms)));
  const most = Math.max(...times.map(({ p99_ms }) => p99_ms), least * 2);
  const from = MARKS_MS.findLast((mark) => mark <= least) ?? 50;
  const to = MARKS_MS.find((mark) => mark >= most) ?? most;
  const width = Math.max(80, px - NAME_PX - RIGHT_PX);
  const low = Math.log(from);
  const range = Math.log(to) - low;
  return {
    x: (ms: number) => NAME_PX + ((Math.log(Math.max(from, ms)) - low) / range) * width,
    marks: MARKS_MS.filter((mark) => mark >= from && mark <= to),
  };
}

function Row({ time, y, x }: { time: Spread; y: number; x: (ms: number) => number }) {
  const names = words.value.flow.timesNames;
  const [a, b, c] = [x(time.p50_ms), x(time.p90_ms), x(time.p99_ms)];
  // Texts above stand apart; where they would touch, the median's goes to the left.
  const close = b - a < 56;
  return (
    <g>
      <title>
        {words.value.flow.spread(
          shortTime(time.p50_ms),
          shortTime(time.p90_ms),
          shortTime(time.p99_ms),
          time.count,
        )}
      </title>
      <text class="lab" x="0" y={y + 4}>
        {names[time.name]}
      </text>
      <path class="range" d={`M${a} ${y}H${Math.max(a + 0.1, c)}`} />
      <circle class="p50" cx={a} cy={y} r="5" />
      <circle class="p90" cx={b} cy={y} r="4.5" />
      <path class="p99" d={`M${c} ${y - 7}V${y + 7}`} />
      {close ? (
        <text x={a - 10} y={y + 4} text-anchor="end">
          {shortTime(time.p50_ms)}
        </text>
      ) : (
        <text x={a} y={y - 11} text-anchor="middle">
          {shortTime(time.p50_ms)}
        </text>
      )}
      <text x={b} y={y - 11} text-anchor="middle">
        {shortTime(time.p90_ms)}
      </text>
      <text x={c + 8} y={y + 4}>
        {shortTime(time.p99_ms)}
      </text>
    </g>
  );
}

export function Spreads({ times }: { times: readonly Spread[] }) {
  const [place, px] = useWidth<HTMLDivElement>();
  const height = TOP_PX + times.length * ROW_PX + BOTTOM_PX;
  const bottom = TOP_PX + times.length * ROW_PX;
  const { x, marks } = scaleOf(times, px);
  return (
    <div ref={place} class="spreads">
      {px === 0 ? null : (
        <svg
          class="chart"
          width={px}
          height={height}
          viewBox={`0 0 ${px} ${height}`}
          role="img"
          aria-label={words.value.flow.times}
        >
          {marks.map((mark) => (
            <g key={mark}>
              <path class="grid" d={`M${x(mark)} 4V${bottom}`} />
              <text x={x(mark)} y={bottom + 18} text-anchor="middle">
                {shortTime(mark)}
              </text>
            </g>
          ))}
          {times.map((time, index) => (
            <Row key={time.name} time={time} y={TOP_PX + 24 + index * ROW_PX} x={x} />
          ))}
        </svg>
      )}
    </div>
  );
}
