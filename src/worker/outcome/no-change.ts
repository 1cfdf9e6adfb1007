// The agent's explicit word that nothing has to be changed. Silence is never taken for it.

const STATEMENT = /^\W*banto:\s*no change needed\b[\s:.,;–—-]*(.*)$/gim;

export const NO_CHANGE_LINE = 'BANTO: no change needed: <why>';

/** Null: it did not say so. */
export function noChangeIn(text: string): string | null {
  const found = [...text.matchAll(STATEMENT)].at(-1)?.[1];
  // The line of the prompt itself, repeated, is not a statement.
  if (found === undefined || found.includes('<why>')) return null;
  return found.replaceAll(/[*_`]+$/g, '').trim();
}
