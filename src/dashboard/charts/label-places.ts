// Where labels stand beside a chart: as near to what they name as they can without writing over each other, and inside.

/** Wanted places from the bottom up (a larger y is lower), and those they get. */
export function labelPlaces(
  wanted: readonly number[],
  { gap, top, bottom }: { readonly gap: number; readonly top: number; readonly bottom: number },
): number[] {
  const places = [...wanted];
  let limit = bottom - gap / 2;
  for (const [index, y] of places.entries()) {
    places[index] = Math.min(y, limit);
    limit = (places[index] ?? y) - gap;
  }
  limit = top + gap / 2;
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.max(places[index] ?? 0, limit);
    limit = (places[index] ?? 0) + gap;
  }
  return places;
}
