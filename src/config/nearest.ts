// The known word somebody probably meant.

function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(swap, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

/** Null when nothing is near: at most a third of the word may differ. */
export function nearest(word: string, known: readonly string[]): string | null {
  const asked = word.toLowerCase().slice(0, 100);
  let best: { word: string; far: number } | null = null;
  for (const candidate of known) {
    const far = distance(asked, candidate.toLowerCase());
    if (best === null || far < best.far) best = { word: candidate, far };
  }
  return best !== null && best.far <= Math.max(1, Math.floor(asked.length / 3)) ? best.word : null;
}
