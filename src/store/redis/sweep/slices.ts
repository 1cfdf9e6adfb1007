// A few of many at a time: what the sweep does every second must not grow with what there is.

/** Each call goes on where the last one ended, and begins again after the end. */
export function createSlices(most: number): <T>(all: readonly T[]) => T[] {
  let from = 0;
  return (all) => {
    if (from >= all.length) from = 0;
    const slice = all.slice(from, from + most);
    from += most;
    return slice;
  };
}
