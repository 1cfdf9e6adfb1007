// Notes of agents have a size. One that is too long is cut, with a mark, rather than refused: an agent
// that cannot report what it did would lose the work, not the words.

const MARK = '\n[… the middle was cut: the note was too long …]\n';

/** At most this many characters, the mark included. The end of a log says as much as its beginning. */
export function cutNote(text: string, most: number): string {
  // Cheap for the usual case: a text has at most as many characters as code units.
  if (text.length <= most) return text;
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const room = Math.max(0, most - MARK.length);
  const head = Math.ceil(room / 2);
  const end = characters.slice(characters.length - (room - head));
  return [...characters.slice(0, head), MARK, ...end].join('');
}
