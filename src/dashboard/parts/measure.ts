// The width that is really there: charts are drawn at it, so that their text keeps its size.

import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export function useWidth<T extends Element>(): [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const seen = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width));
    });
    seen.observe(current);
    setWidth(Math.floor(current.getBoundingClientRect().width));
    return () => seen.disconnect();
  }, []);
  return [element, width];
}
