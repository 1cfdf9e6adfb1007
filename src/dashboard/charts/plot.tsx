// uPlot inside a component: drawn at the measured width, again when the colours change.

import { useLayoutEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { useWidth } from '../parts/measure.ts';
import { colours } from '../shell/theme.ts';

export interface PlotInput {
  readonly data: uPlot.AlignedData;
  readonly height: number;
  /** For screen readers; the figures themselves stand in a table. */
  readonly label: string;
  /** Made again when `shape` changes; otherwise only the data is. */
  readonly shape: string;
  readonly options: (place: HTMLElement) => Omit<uPlot.Options, 'width' | 'height'>;
}

export function Plot({ data, height, label, shape, options }: PlotInput) {
  const [place, width] = useWidth<HTMLDivElement>();
  const plot = useRef<uPlot | null>(null);
  const theme = colours.value;

  useLayoutEffect(() => {
    const { current } = place;
    if (current === null || width === 0) return;
    plot.current = new uPlot({ ...options(current), width, height }, data, current);
    return () => {
      plot.current?.destroy();
      plot.current = null;
    };
  }, [width, height, shape, theme]);

  useLayoutEffect(() => {
    plot.current?.setData(data);
  }, [data]);

  return (
    <div class="plot" ref={place} role="img" aria-label={label} style={{ height: `${height}px` }} />
  );
}

/** The page's own letters, for what is drawn on a canvas. */
export function fontOf(place: HTMLElement, ratio = 1): string {
  return `${11 * ratio}px ${getComputedStyle(place).fontFamily}`;
}
